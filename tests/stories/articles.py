"""Stories after four articles on computational graphs: what each of them shows, as PyTorch does it."""

from __future__ import annotations

from typing import Any

from tests.stories import filled, said

# --- one expression ------------------------------------------------------------------------------------------------


def an_expression_and_its_edges(torch: Any) -> Any:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    c = a + b
    d = b + 1
    y = c * d
    print(y)
    print(c.grad_fn.name(), d.grad_fn.name(), y.grad_fn.name())
    for node, _ in y.grad_fn.next_functions:
        print([target and target.name() for target, _ in node.next_functions])
    y.backward()
    return a.grad, b.grad


def a_network_and_its_nodes(torch: Any) -> Any:
    nn = torch.nn
    net = filled(torch, nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)))
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    output = net(x)
    names = []
    node = output.grad_fn
    while node.next_functions:
        names.append(node.name())
        node = node.next_functions[1][0] if len(node.next_functions) == 3 else node.next_functions[0][0]
    target = torch.tensor([[1.0]])
    loss = ((output - target) ** 2).mean()
    loss.backward()
    return names, net[0].weight.grad.shape, x.grad


def a_vector_of_two_products(torch: Any) -> Any:
    """Only the sum can go back without weights."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([[2.0, 3.0], [4.0, 5.0]], requires_grad=True)
    z = x @ w
    try:
        z.backward()
    except RuntimeError as error:
        print(said(error))
    z.sum().backward()
    return z, x.grad, w.grad


def one_of_two_branches(torch: Any) -> Any:
    def compute(x: Any, flag: bool) -> Any:
        if flag:
            return x**2 + 1
        return torch.exp(x) * 2

    x = torch.tensor(2.0, requires_grad=True)
    found = []
    for flag in (True, False):
        x.grad = None
        y = compute(x, flag)
        y.backward()
        found.append((y, x.grad))
    return found


def the_graph_is_kept_for_once_more(torch: Any) -> Any:
    x = torch.tensor(1.0, requires_grad=True)
    y = x**2
    y.backward(retain_graph=True)
    y.backward()
    print(f"after two passes: {x.grad}")


def a_tiny_training(torch: Any) -> Any:
    w = torch.tensor([[0.5]], requires_grad=True)
    b = torch.tensor([0.0], requires_grad=True)
    optimizer = torch.optim.SGD([w, b], lr=0.1)
    x = torch.tensor([[1.0], [2.0]])
    for epoch in range(3):
        prediction = x @ w.t() + b
        loss = torch.nn.functional.mse_loss(prediction, 3 * x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())
    return w, b


# --- dynamic graphs ------------------------------------------------------------------------------------------------


def both_branches_end_in_a_product(torch: Any) -> Any:
    def f(x: Any) -> Any:
        y = x * x if x > 0 else x * 3
        return y * 2

    found = []
    for start in (2.0, -2.0):
        x = torch.tensor(start, requires_grad=True)
        y = f(x)
        y.backward()
        found.append((y.grad_fn.name(), x.grad))
    return found


def a_loop_that_doubles(torch: Any) -> Any:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(5):
        y = y * 2
    y.backward()
    return y, x.grad


def a_loop_that_ends_by_value(torch: Any) -> Any:
    x = torch.tensor(1.5, requires_grad=True)
    y = x
    while y < 20:
        y = y * y
    y.backward()
    return y, x.grad


def a_value_that_stays_itself(torch: Any) -> Any:
    x = torch.tensor(3.0, requires_grad=True)
    y = x if x > 0 else x * 2
    y.backward()
    return y is x, y.grad_fn, x.grad


def a_recursion(torch: Any) -> Any:
    def power(x: Any, n: int) -> Any:
        if n == 0:
            return torch.ones(())
        return x * power(x, n - 1)

    x = torch.tensor(2.0, requires_grad=True)
    y = power(x, 4)
    y.backward()
    return y, x.grad


def a_row_of_layers_on_a_batch(torch: Any) -> Any:
    nn = torch.nn
    model = filled(torch, nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2)))
    x = torch.linspace(-1.0, 1.0, 8).view(2, 4)
    output = model(x)
    output.sum().backward()
    return output.shape, [tuple(p.grad.shape) for p in model.parameters()]


# --- operators -----------------------------------------------------------------------------------------------------


def relu_of_a_convolution(torch: Any) -> Any:
    conv = filled(torch, torch.nn.Conv2d(1, 1, 2))
    x = torch.arange(9.0).view(1, 1, 3, 3)
    y = torch.relu(conv(x))
    edges = [target and target.name() for target, _ in y.grad_fn.next_functions[0][0].next_functions]
    y.mean().backward()
    return edges, conv.weight.grad


def a_linear_loss_with_a_bias_that_fits(torch: Any) -> Any:
    x = torch.linspace(-1.0, 1.0, 6).view(3, 2)
    w = torch.linspace(0.1, 0.8, 4).view(2, 2).requires_grad_()
    b = torch.zeros(2, requires_grad=True)
    loss = (x @ w + b).pow(2).mean()
    (to_w,) = torch.autograd.grad(loss, w, create_graph=True)
    to_w.norm().backward()
    return to_w, w.grad, b.grad


def an_operator_on_the_wrong_tensor(torch: Any) -> Any:
    class Swish(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * torch.sigmoid(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            s = torch.sigmoid(x)
            return grad * s * (1 + x * (1 - s))

    x = torch.tensor([[1.0, 2.0]])
    W = torch.tensor([[0.5, -0.5], [1.0, 0.0]], requires_grad=True)
    y = x @ W
    out = Swish.apply(x)
    try:
        out.sum().backward()
    except RuntimeError as error:
        print(said(error), W.grad)
    out = Swish.apply(y)
    out.sum().backward()
    return W.grad


# --- the life of a graph -------------------------------------------------------------------------------------------


def a_trace_of_what_leads_where(torch: Any) -> Any:
    def show(node: Any, depth: int) -> None:
        if node is not None:
            print("  " * depth + node.name())
            for target, _ in node.next_functions:
                show(target, depth + 1)

    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    z = torch.trace(x @ x.T)
    show(z.grad_fn, 0)
    z.backward()
    return x.grad


def a_sine_by_the_chain_rule(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    y = torch.cos(x**2)
    y.backward()
    by_hand = -torch.sin(x.detach() ** 2) * 2 * x.detach()
    return x.grad, by_hand


def a_write_behind_the_counter(torch: Any) -> Any:
    """No error, and gradients of values that the graph never saw."""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (x**2).sum()
    x.data += 1
    print(x._version)
    y.backward()
    return x.grad


def gradients_of_two_paths_add_up(torch: Any) -> Any:
    x = torch.tensor(3.0, requires_grad=True)
    square = x**2
    cube = x**3
    y = square + cube
    y.backward()
    return x.grad
