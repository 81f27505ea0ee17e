"""Stories of hooks: on tensors, on nodes, after accumulation; what they see, and what they change."""

from __future__ import annotations

from typing import Any

from tests.stories import said


def a_hook_on_a_leaf_sees_the_sum(torch: Any) -> Any:
    """It is called once, with what arrived on both paths."""
    x = torch.tensor(2.0, requires_grad=True)
    seen = []
    x.register_hook(lambda grad: seen.append(grad.item()))
    y = x * 3 + x * 4
    y.backward()
    return seen, x.grad


def a_hook_changes_what_flows_on(torch: Any) -> Any:
    """What it returns replaces the gradient, also in what is retained."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 4
    y.retain_grad()
    y.register_hook(lambda grad: grad * 10)
    z = y + 1
    z.backward()
    return y.grad, x.grad


def a_hook_that_only_looks(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x.exp()
    h.register_hook(print)
    (h * h).sum().backward()
    return x.grad


def three_hooks_in_a_row(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda grad: grad + 1)
    x.register_hook(lambda grad: grad * 2)
    x.register_hook(lambda grad: print("third", grad))
    (x * x).sum().backward()
    return x.grad


def a_hook_is_removed(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    handle = x.register_hook(lambda grad: grad * 100)
    (x * 3).backward()
    handle.remove()
    (x * 3).backward()
    return x.grad


def gradients_are_clipped_on_the_way(torch: Any) -> Any:
    x = torch.tensor([1.0, 10.0, -10.0], requires_grad=True)
    h = x * 2
    h.register_hook(lambda grad: grad.clamp(-1, 1))
    loss = (h**2).sum()
    loss.backward()
    return x.grad


def a_gradient_is_turned_round(torch: Any) -> Any:
    features = torch.tensor([1.0, 2.0], requires_grad=True)
    shared = features * 2
    task = shared.sum()
    turned = shared * 1
    turned.register_hook(lambda grad: -0.5 * grad)
    domain = (turned * turned).sum()
    (task + domain).backward()
    return features.grad


def the_order_of_nodes_by_hooks(torch: Any) -> Any:
    x1 = torch.tensor(2.0, requires_grad=True)
    x2 = torch.tensor(5.0, requires_grad=True)
    log = torch.log(x1)
    product = x1 * x2
    sine = torch.sin(x2)
    total = log + product
    f = total - sine
    order = []
    named = {"x1": x1, "x2": x2, "log": log, "product": product, "sine": sine, "total": total, "f": f}
    for name, tensor in named.items():
        tensor.register_hook(lambda grad, name=name: order.append((name, grad.item())))
    f.backward()
    return order


def a_hook_on_a_node(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    seen = []
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs, outputs)))
    y.sum().backward()
    return seen, x.grad


def a_hook_before_a_node(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y.grad_fn.register_prehook(lambda gradients: (gradients[0] * 3,))
    y.sum().backward()
    return x.grad


def a_step_after_accumulation(torch: Any) -> Any:
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor(0.5, requires_grad=True)

    def update(parameter: Any) -> None:
        with torch.no_grad():
            parameter -= 0.1 * parameter.grad
        parameter.grad = None

    w.register_post_accumulate_grad_hook(update)
    b.register_post_accumulate_grad_hook(update)
    for _ in range(2):
        loss = ((w * 2).sum() + b - 1) ** 2
        loss.backward()
    return w, b, w.grad, w._version


def a_hook_on_a_constant(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0])
    x.register_hook(print)


def a_hook_of_the_wrong_shape(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    h.register_hook(lambda grad: grad.sum())
    try:
        h.sum().backward()
    except RuntimeError as error:
        return said(error), x.grad


def a_hook_that_fails(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2

    def check(grad: Any) -> None:
        if grad.abs().max() > 1:
            raise ValueError("gradient too large")

    h.register_hook(check)
    (h * 3).sum().backward()


def hooks_of_a_module(torch: Any) -> Any:
    layer = torch.nn.ReLU()
    shapes = []
    layer.register_forward_hook(lambda module, args, output: shapes.append(tuple(output.shape)))
    x = torch.tensor([[-1.0, 2.0]], requires_grad=True)
    y = layer(x)
    y.sum().backward()
    return shapes, x.grad


def a_hook_of_many_gradients(torch: Any) -> Any:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    seen = []
    torch.autograd.graph.register_multi_grad_hook([a, b], lambda gradients: seen.append(gradients))
    (a * b).backward()
    return seen
