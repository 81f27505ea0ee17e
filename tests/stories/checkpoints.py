"""Stories of what is kept instead of a tensor: checkpoints, and hooks that pack and unpack."""

from __future__ import annotations

from typing import Any


def a_part_that_is_computed_again(torch: Any) -> Any:
    calls = []

    def part(x: Any) -> Any:
        calls.append("part")
        return (x * x).sin()

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(part, x, use_reentrant=False)
    loss = (y * 3).sum()
    calls.append("backward")
    loss.backward()
    return calls, x.grad


def a_part_with_a_backward_of_its_own(torch: Any) -> Any:
    def part(x: Any) -> Any:
        return (x * x).sin()

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(part, x, use_reentrant=True)
    y.sum().backward()
    return y.grad_fn.name(), x.grad


def a_chain_of_checkpoints(torch: Any) -> Any:
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    w = torch.tensor([1.5, 0.5], requires_grad=True)
    h = x
    for _ in range(3):
        h = torch.utils.checkpoint.checkpoint(lambda t: torch.tanh(t * w), h, use_reentrant=False)
    h.sum().backward()
    return x.grad, w.grad


def a_checkpoint_inside_another(torch: Any) -> Any:
    checkpoint = torch.utils.checkpoint.checkpoint

    def inner(x: Any) -> Any:
        return x.exp()

    def outer(x: Any) -> Any:
        return checkpoint(inner, x * 2, use_reentrant=False) * x

    x = torch.tensor([0.0, 1.0], requires_grad=True)
    y = checkpoint(outer, x, use_reentrant=False)
    y.sum().backward()
    return x.grad


def a_checkpoint_that_is_not_needed(torch: Any) -> Any:
    k = torch.tensor([1.0, 2.0])
    y = torch.utils.checkpoint.checkpoint(torch.exp, k, use_reentrant=False)
    return y, y.requires_grad


def saved_tensors_are_packed(torch: Any) -> Any:
    """Of two factors the second one is packed first."""
    packed = []

    def pack(tensor: Any) -> Any:
        packed.append(tensor.tolist())
        return tensor.tolist()

    def unpack(numbers: Any) -> Any:
        return torch.tensor(numbers)

    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([3.0, 4.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = a * b
    y.sum().backward()
    return packed, a.grad, b.grad


def saved_in_half_precision(torch: Any) -> Any:
    x = torch.tensor([1.0, 1.0001], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
        y = x * x
    z = x * x
    (y + z).sum().backward()
    return x.grad


def only_some_nodes_are_packed(torch: Any) -> Any:
    names = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = x.exp()
    with torch.autograd.graph.saved_tensors_hooks(lambda t: names.append("pack") or t, lambda t: t):
        y = h.sin() + h
    z = y * y
    z.sum().backward()
    return names, x.grad


def unpacked_twice(torch: Any) -> Any:
    unpacked = []

    def unpack(tensor: Any) -> Any:
        unpacked.append(tensor.shape)
        return tensor

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), unpack):
        y = (x**3).sum()
    y.backward(retain_graph=True)
    y.backward()
    return unpacked, x.grad


def saving_is_refused(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.disable_saved_tensors_hooks("not in this part"):
        y = x * x
        y.sum().backward()
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            x.exp()


def a_packed_tensor_hides_a_write(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        h = x * 2
        y = h * h
    h.zero_()
    y.sum().backward()
    return h, x.grad
