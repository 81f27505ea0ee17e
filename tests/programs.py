"""Small programs that run in the engine and in real PyTorch alike.

Each takes the module to use as `torch` and returns what is to be compared: numbers, texts, tensors, nodes, in lists.
Mistakes are part of it: `error(...)` gives the exception that a mistake raises.
"""

from __future__ import annotations

import gc
import warnings
import weakref
from collections.abc import Callable
from typing import Any

PROGRAMS: list[Callable[[Any], Any]] = []


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS.append(function)
    return function


def error(action: Callable[[], Any]) -> str:
    """The type and the first line of the exception that an action raises, or what it returned."""
    try:
        return f"fine: {action()!r}"
    except Exception as exception:
        return f"{type(exception).__name__}: {exception}".splitlines()[0]


def graph(tensor: Any) -> list[Any]:
    """The whole graph of a tensor: names, and for each edge the number of the node and of its output."""
    nodes: list[Any] = [tensor.grad_fn]
    numbers = {tensor.grad_fn: 0}
    found = []
    for node in nodes:
        edges: list[Any] = []
        for target, index in node.next_functions if node is not None else ():
            if target is not None and target not in numbers:
                numbers[target] = len(nodes)
                nodes.append(target)
            edges.append((numbers.get(target), index))
        found.append((type(node).__name__, edges))
    return found


def saved(node: Any) -> dict[str, str]:
    """All `_saved_` attributes of a node, as text."""
    return {name: str(getattr(node, name)) for name in sorted(dir(node)) if name.startswith("_saved_")}


def warned(action: Callable[[], Any]) -> list[str]:
    """The first sentences of the warnings that an action gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        action()
    return [f"{each.category.__name__}: {str(each.message).split('.')[0]}" for each in caught]


def leaf(torch: Any, *numbers: float) -> Any:
    return torch.tensor(numbers or (1.0, 2.0, 3.0), requires_grad=True)


def order(*tensors: Any) -> list[str]:
    """A list that fills with the names of these tensors as their gradients pass."""
    seen: list[str] = []
    for name, tensor in zip("abcdefgh", tensors, strict=False):
        tensor.register_hook(lambda g, name=name: seen.append(f"{name} {g}"))
    return seen


# --- the graph -----------------------------------------------------------------------------------------------------


@program
def two_factors_share_an_operand(torch: Any) -> Any:
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    y = (a + b) * (b + 1)
    shape = graph(y)
    y.backward()
    return [y, shape, a.grad, b.grad, a.is_leaf, y.is_leaf, y.grad_fn.name()]


@program
def each_leaf_has_one_accumulator(torch: Any) -> Any:
    x = leaf(torch)
    y, z = x * 2, x + 1
    first, second = y.grad_fn.next_functions[0][0], z.grad_fn.next_functions[0][0]
    return [first is second, first.variable is x, first.next_functions, first.name(), first._sequence_nr()]


@program
def a_product_with_itself_has_two_edges(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x
    return [graph(y), y.grad_fn.next_functions[0] == y.grad_fn.next_functions[1], graph(x**2)]


@program
def a_number_is_the_second_operand(torch: Any) -> Any:
    x = leaf(torch)
    return [graph(t) for t in (3 * x, x * 3, 1 + x, x - 1, 1 - x, 2 / x, x / 2, 2**x, x % 2)]


@program
def names_of_ops_that_surprise(torch: Any) -> Any:
    x, m = leaf(torch), torch.ones(3, 3, requires_grad=True)
    made = [
        m.T,
        m.t(),
        x @ m,
        m @ x,
        x @ x,
        m @ m,
        x.max(),
        x.max(0)[0],
        x.sum(),
        x.sum(0),
        x.mean(),
        m.mean(1),
        x.square(),
    ]
    return [graph(t) for t in made]


@program
def batched_products_take_the_steps_of_pytorch(torch: Any) -> Any:
    x, w, v = torch.ones(2, 3, 4, requires_grad=True), torch.ones(4, 2, requires_grad=True), torch.ones(4)
    small = torch.ones(2, 4, 2)
    return [graph(t) for t in (x @ w, x @ v, x @ small, w.t() @ small, x[:1] @ small, small.mT @ x.mT)]


@program
def ln_plus_product_minus_sine(torch: Any) -> Any:
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(5.0, requires_grad=True)
    y = torch.log(a) + a * b - torch.sin(b)
    shape = graph(y)
    y.backward()
    return [y, shape, a.grad, b.grad]


@program
def a_network_of_two_layers(torch: Any) -> Any:
    x = torch.tensor([[1.0, -2.0], [0.5, 3.0]])
    w, b = torch.tensor([[0.1, -0.2, 0.3], [0.4, 0.5, -0.6]], requires_grad=True), torch.zeros(3, requires_grad=True)
    v = torch.tensor([[1.0], [2.0], [-1.0]], requires_grad=True)
    loss = (((x @ w + b).relu() @ v - 1) ** 2).mean()
    shape = graph(loss)
    loss.backward()
    return [loss, shape, w.grad, b.grad, v.grad]


@program
def outputs_of_one_node_are_numbered(torch: Any) -> Any:
    u = leaf(torch) * 1
    a, b, c = u.unbind()
    values, indices = (leaf(torch) * 1).view(1, 3).max(1)
    y = a + b + c
    return [a.grad_fn is b.grad_fn, a.output_nr, b.output_nr, graph(y), values, indices, indices.requires_grad]


@program
def sequence_numbers_grow_by_one(torch: Any) -> Any:
    x = leaf(torch)
    a = x * 2
    b = a + 1
    return [b.grad_fn._sequence_nr() - a.grad_fn._sequence_nr()]


@program
def nodes_take_notes(torch: Any) -> Any:
    node = (leaf(torch) * 2).grad_fn
    node.metadata["note"] = 1
    return [node.metadata, node.requires_grad, type(node), repr(node).split(" at ")[0], error(lambda: node.foo)]


@program
def a_history_less_tensor_is_a_leaf(torch: Any) -> Any:
    x = leaf(torch)
    return [torch.ones(2).is_leaf, x.is_leaf, (x * 1).is_leaf, x.double().is_leaf, x.detach().is_leaf, x.grad_fn]


# --- what is saved, what is freed ----------------------------------------------------------------------------------


@program
def each_op_saves_what_its_formula_needs(torch: Any) -> Any:
    x, k = leaf(torch), torch.ones(3)
    made = [
        x * x,
        x * k,
        k * x,
        x * 2,
        2.5 * x,
        x + x,
        x / 2,
        x / k,
        x**2,
        2**x,
        x**k,
        x.exp(),
        x.relu(),
        x.sum(),
        x.log(),
    ]
    return [saved(t.grad_fn) for t in made]


@program
def saved_inputs_are_the_inputs_and_saved_results_are_not(torch: Any) -> Any:
    x = leaf(torch)
    y, z = x**2, x.exp()
    result = z.grad_fn._saved_result
    return [y.grad_fn._saved_self is x, result is z, result.grad_fn is z.grad_fn, result]


@program
def a_second_backward_wants_what_was_saved(torch: Any) -> Any:
    makers: list[Callable[[Any], Any]] = [
        lambda x: x * x,
        lambda x: x + x,
        lambda x: x * 3,
        lambda x: 1 - x,
        lambda x: x / 2,
        lambda x: x.sum(),
        lambda x: x.mean(),
        lambda x: x.view(3),
        lambda x: x[1:],
        lambda x: x[[0, 1]],
        lambda x: torch.cat([x, x]),
        lambda x: x.max(),
        lambda x: x.relu(),
        lambda x: torch.where(x > 1, x, 0.0),
        lambda x: x.t(),
        lambda x: x.clone(),
        lambda x: x**1,
    ]
    found = []
    for make in makers:
        x = leaf(torch)
        y = make(x).sum()
        y.backward()
        found += [error(y.backward), x.grad]
    return found


def of_a_pass_that_fails(torch: Any, watch: Callable[[Any], Any]) -> Any:
    """What leaves have whose last gradient came before the node that fails, and what those have that wait for it."""
    before, both, behind = leaf(torch), leaf(torch), leaf(torch)
    watch(before)
    stale = (behind * both).exp()
    y = (stale * 2 * both).sum() + before.sum() + (before * 3).sum()
    with torch.no_grad():
        stale.zero_()
    return [error(y.backward), before.grad, both.grad, behind.grad]


@program
def a_pass_that_fails_has_reached_some_leaves(torch: Any) -> Any:
    return of_a_pass_that_fails(torch, lambda leaf: None)


@program
def so_has_one_that_a_hook_watches(torch: Any) -> Any:
    return of_a_pass_that_fails(torch, lambda leaf: leaf.register_hook(lambda g: None))


@program
def an_op_without_a_derivative_refuses_before_leaves_behind_it_have_theirs(torch: Any) -> Any:
    x, y, z = leaf(torch), leaf(torch), leaf(torch)
    loss = (x * 2).sum() + (torch.floor_divide(y, 2) * z).sum() + (z * y).sum()
    return [error(loss.backward), x.grad, y.grad, z.grad]


@program
def a_functions_backward_sees_which_leaves_have_theirs(torch: Any) -> Any:
    seen = []

    class Looks(torch.autograd.Function):  # type: ignore[misc]  # torch is a parameter
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            seen.append([each.grad is None for each in (before, behind)])
            return g * 2

    before, behind = leaf(torch), leaf(torch)
    (Looks.apply(behind * 2) * before).sum().backward()
    return [seen, before.grad, behind.grad]


@program
def an_unpack_hook_sees_which_leaves_have_theirs(torch: Any) -> Any:
    seen = []
    before, behind = leaf(torch), leaf(torch)

    def unpacked(kept: Any) -> Any:
        seen.append([each.grad is None for each in (before, behind)])
        return kept

    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpacked):
        y = (behind * behind).exp()
    (y + before).sum().backward()
    return [seen, before.grad, behind.grad]


@program
def retaining_the_graph_on_the_second_call_is_too_late(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    return [error(lambda: y.backward(retain_graph=True)), x.grad]


@program
def backward_frees_saved_tensors_and_nothing_else(torch: Any) -> Any:
    x = leaf(torch)
    y = x**3
    z = y.sum()
    node = y.grad_fn
    z.backward()
    freed = error(lambda: node._saved_self)
    return [freed, node._saved_exponent, y.grad_fn is node, graph(z), z.grad_fn._saved_self_sym_sizes]


@program
def only_what_ran_is_freed(torch: Any) -> Any:
    x = leaf(torch)
    a = x * x
    b = a * a
    torch.autograd.grad(b.sum(), a)
    return [error(lambda: b.grad_fn._saved_self), a.grad_fn._saved_self is x, error(a.sum().backward), x.grad]


@program
def two_losses_share_what_is_before_them(torch: Any) -> Any:
    x = leaf(torch)
    h = x * x
    first, second = h.sum(), (h * 2).sum()
    first.backward()
    mistake = error(second.backward)
    y = leaf(torch)
    h = y * y
    (h.sum() + (h * 2).sum()).backward()
    return [mistake, x.grad, y.grad]


@program
def the_graph_keeps_its_inputs_alive(torch: Any) -> Any:
    x = leaf(torch)
    u = x * 1
    watch = weakref.ref(u)
    y = u * u
    del u
    gc.collect()
    alive = watch() is not None
    y.sum().backward()
    gc.collect()
    return [alive, watch() is None]


# --- gradients -----------------------------------------------------------------------------------------------------


@program
def gradients_accumulate_in_one_tensor(torch: Any) -> Any:
    x = leaf(torch)
    (x * 2).sum().backward()
    gradient = x.grad
    (x * 3).sum().backward()
    found = [x.grad is gradient, gradient, gradient._version, gradient.requires_grad, gradient.is_leaf]
    x.grad.zero_()
    found += [gradient, x.grad is gradient]
    x.grad = None
    (x * x).sum().backward()
    return [*found, x.grad, x.grad is gradient]


@program
def a_vector_wants_a_gradient_to_start_with(torch: Any) -> Any:
    x = leaf(torch)
    y = x * x
    found = [error(y.backward), error(lambda: torch.ones(3).sum().backward())]
    found += [error(lambda: y.backward(torch.ones(2))), error(lambda: y.backward(1.0))]
    y.backward(torch.tensor([1.0, 0.0, 2.0]))
    return [*found, x.grad]


@program
def broadcasting_is_undone(torch: Any) -> Any:
    a, b, c = torch.ones(4, 3), leaf(torch), torch.tensor(2.0, requires_grad=True)
    d = torch.ones(4, 1, requires_grad=True)
    ((a * b + d) * c).sum().backward()
    return [b.grad, c.grad, d.grad, b.grad.shape]


@program
def gradients_of_both_kinds_of_floats(torch: Any) -> Any:
    x = leaf(torch)
    y = (x.double() * 2).sum()
    y.backward()
    z = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    (x * z).sum().backward()
    return [y, x.grad, z.grad, x.grad.dtype, z.grad.dtype, graph(y)]


@program
def grad_returns_what_backward_would_store(torch: Any) -> Any:
    x, w = leaf(torch), leaf(torch, 2.0, 2.0, 2.0)
    y = x * w
    z = (y * y).sum()
    first = torch.autograd.grad(z, [x, y, w], retain_graph=True)
    unused = torch.ones(2, requires_grad=True)
    mistakes = [
        error(lambda: torch.autograd.grad(z, unused, retain_graph=True)),
        error(lambda: torch.autograd.grad(z, torch.ones(2), retain_graph=True)),
        error(lambda: torch.autograd.grad(z, [], retain_graph=True)),
        error(lambda: torch.autograd.grad(torch.ones(1), x)),
    ]
    lenient = torch.autograd.grad(z, [x, unused], retain_graph=True, allow_unused=True)
    zeros = torch.autograd.grad(z, [unused], retain_graph=True, materialize_grads=True)
    weighted = torch.autograd.grad(y, x, grad_outputs=torch.tensor([1.0, 0.0, 3.0]))
    return [list(first), mistakes, list(lenient), list(zeros), list(weighted), x.grad]


@program
def backward_into_chosen_inputs(torch: Any) -> Any:
    x, w = leaf(torch), leaf(torch)
    (x * w).sum().backward(inputs=[w])
    y = x * 2
    (y * y).sum().backward(inputs=[y])
    return [x.grad, w.grad, y.grad, error(lambda: (x * 2).sum().backward(inputs=[]))]


@program
def several_roots_at_once(torch: Any) -> Any:
    x = leaf(torch)
    torch.autograd.backward([(x * 2).sum(), (x * 3).sum()])
    torch.autograd.backward([x * 1], [torch.tensor([1.0, 0.0, 0.0])])
    found = [x.grad, error(lambda: torch.autograd.backward([x * 1, x * 2], [torch.ones(3)]))]
    y = x * x
    z = y.sum()
    torch.autograd.backward([z, y], [None, torch.ones(3)])
    return [*found, x.grad]


@program
def gradients_of_gradients(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    first = torch.autograd.grad(x**3, x, create_graph=True)[0]
    second = torch.autograd.grad(first, x, create_graph=True)[0]
    third = torch.autograd.grad(second, x)[0]
    return [first, second, third, graph(first), graph(second)]


@program
def backward_with_a_graph_of_its_own(torch: Any) -> Any:
    x = leaf(torch)
    (x * x).sum().backward()
    old = x.grad
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (x * x * x).sum().backward(create_graph=True)
    found = [x.grad is old, old, x.grad, x.grad.requires_grad]
    y = leaf(torch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (y * y).sum().backward(create_graph=True)
    return [*found, y.grad, graph(y.grad)]


@program
def retaining_gives_no_graph_to_gradients(torch: Any) -> Any:
    x = leaf(torch)
    (x * x).sum().backward(retain_graph=True)
    return [x.grad, x.grad.requires_grad]


@program
def gradients_at_corners(torch: Any) -> Any:
    found = []
    for name in ("relu", "abs", "sign", "sqrt", "norm", "prod"):
        a = torch.zeros(1, requires_grad=True)
        getattr(a, name)().sum().backward()
        found.append(a.grad)
    for choose in (lambda a: a.max(), lambda a: a.max(0).values, lambda a: a.amax(), lambda a: a.min()):
        a = leaf(torch, 1.0, 3.0, 3.0, 1.0)
        choose(a).backward()
        found.append(a.grad)
    a = leaf(torch, 0.0, 1.0)
    (a.clamp(0.0, 1.0) + torch.maximum(a, torch.zeros(2)) + a**0).sum().backward()
    b = leaf(torch, 0.0, 4.0)
    torch.where(b > 0, b.sqrt(), b).sum().backward()
    return [*found, a.grad, b.grad]


@program
def products_with_zeros(torch: Any) -> Any:
    found = []
    for numbers in ((0.0, 2.0, 3.0), (0.0, 0.0, 3.0)):
        a = leaf(torch, *numbers)
        a.prod().backward()
        b = leaf(torch, *numbers)
        b.view(1, 3).prod(1).sum().backward()
        found += [a.grad, b.grad]
    a, b = leaf(torch, 0.0, 2.0), leaf(torch, 0.0, 3.0)
    (a**b).sum().backward()
    return [*found, a.grad, b.grad]


@program
def a_leaf_is_reached_once_with_the_sum(torch: Any) -> Any:
    x = leaf(torch)
    seen = order(x)
    (x * 3 + x * 4).sum().backward()
    return seen


# --- order and hooks -----------------------------------------------------------------------------------------------


@program
def the_node_recorded_last_runs_first(torch: Any) -> Any:
    x = leaf(torch)
    a, b, c = x * 1, x * 2, x * 3
    seen = order(a, b, c, x)
    (c + a + b).sum().backward()
    h = x * 1
    p = h.sin()
    q = h.exp()
    diamond = order(h, p, q, x)
    (q * p).sum().backward()
    return [seen, diamond]


@program
def leaves_are_reached_as_soon_as_they_are_ready(torch: Any) -> Any:
    a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)
    c, d = a + b, b + 1
    y = c * d
    seen = order(a, b, c, d, y)
    y.backward()
    return seen


@program
def a_hook_sees_and_replaces(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 4
    y.retain_grad()
    handle = y.register_hook(lambda g: g * 10)
    y.sum().backward()
    handle.remove()
    handle.remove()
    first = [x.grad, y.grad]
    x.grad = None
    (x * 4).sum().backward()
    return [*first, x.grad, type(handle).__name__]


@program
def hooks_run_one_after_another(torch: Any) -> Any:
    x = leaf(torch)
    seen: list[str] = []
    y = x * 1
    y.register_hook(lambda g: g + 1)
    y.register_hook(lambda g: seen.append(str(g)))
    y.register_hook(lambda g: g * 2)
    y.sum().backward()
    return [seen, x.grad]


@program
def hooks_that_are_mistakes(torch: Any) -> Any:
    x = leaf(torch)
    found = [error(lambda: torch.ones(2).register_hook(lambda g: g))]
    for bad in (lambda g: 5, lambda g: g.double()):
        handle = x.register_hook(bad)
        found.append(error(x.sum().backward))
        handle.remove()
    return [*found, x.grad]


@program
def a_hook_stays_with_the_value_it_was_hung_on(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    seen = order(y)
    y.mul_(3)
    y.sum().backward()
    z = x * 1
    z.retain_grad()
    z.mul_(3)
    z.sum().backward()
    return [seen, x.grad, z.grad]


@program
def retained_gradients_accumulate(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 4
    z = y.sum()
    found = [x.retain_grad(), x.retains_grad, y.retains_grad, error(torch.ones(2).retain_grad)]
    y.retain_grad()
    y.retain_grad()
    z.backward(retain_graph=True)
    found.append(str(y.grad))
    z.backward()
    return [*found, y.retains_grad, y.grad, x.grad]


@program
def hooks_after_accumulation(torch: Any) -> Any:
    x = leaf(torch)
    seen: list[str] = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(f"post {p.grad}"))
    x.register_hook(lambda g: seen.append("tensor"))
    (x * 2).sum().backward()
    return [seen, error(lambda: (x * 2).register_post_accumulate_grad_hook(lambda p: None))]


@program
def hooks_of_nodes(torch: Any) -> Any:
    x = leaf(torch)
    seen: list[str] = []
    y = x * 2
    accumulator = y.grad_fn.next_functions[0][0]
    y.grad_fn.register_prehook(lambda outputs: seen.append(f"before {outputs}"))
    y.register_hook(lambda g: seen.append("tensor"))
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append(f"after {inputs} {outputs}"))
    accumulator.register_prehook(lambda outputs: seen.append(f"leaf before {outputs}"))
    accumulator.register_hook(lambda inputs, outputs: seen.append(f"leaf after {inputs} {outputs}"))
    y.sum().backward()
    found = [seen, x.grad]
    for change in (
        lambda node: node.register_hook(lambda inputs, outputs: (inputs[0] * 10, None)),
        lambda node: node.register_prehook(lambda outputs: (outputs[0] * 10,)),
    ):
        z = leaf(torch)
        y = z * 2
        change(y.grad_fn)
        y.sum().backward()
        found.append(z.grad)
    return found


@program
def hooks_and_grad(torch: Any) -> Any:
    x = leaf(torch)
    y = x * 1
    y.register_hook(lambda g: g * 2)
    first = torch.autograd.grad(y.sum(), [x, y])
    x.register_hook(lambda g: g * 3)
    return [list(first), list(torch.autograd.grad((x * 1).sum(), x))]


# --- in place ------------------------------------------------------------------------------------------------------


@program
def a_leaf_refuses_to_be_written(torch: Any) -> Any:
    x = leaf(torch)
    ways: list[Callable[[], Any]] = [
        lambda: x.add_(1),
        lambda: x.zero_(),
        lambda: x.__iadd__(1),
        lambda: x.__setitem__(0, 1.0),
        lambda: x.copy_(torch.ones(3)),
        lambda: x.mul_(x),
        lambda: x.view(3).add_(1),
        lambda: x[0].mul_(2),
        lambda: x[0:2].zero_(),
    ]
    return [[error(way) for way in ways], x, x._version]


@program
def a_write_is_noticed_if_the_value_was_saved(torch: Any) -> Any:
    found = []
    for make, write in (
        (lambda u: u * u, lambda u, y: u.add_(1)),
        (lambda u: u + 3, lambda u, y: u.add_(1)),
        (lambda u: u * 2, lambda u, y: u.add_(1)),
        (lambda u: u * 2, lambda u, y: y.add_(1)),
        (lambda u: u**2, lambda u, y: y.add_(1)),
        (lambda u: u.exp(), lambda u, y: y.add_(1)),
        (lambda u: u.exp(), lambda u, y: u.mul_(2)),
        (lambda u: u.sigmoid(), lambda u, y: y.mul_(2)),
        (lambda u: u * 1, lambda u, y: y.relu_()),
        (lambda u: u * u, lambda u, y: u.detach().add_(1)),
        (lambda u: u * u, lambda u, y: u.data.add_(1)),
        (lambda u: u * u, lambda u, y: u.view(3)[0].zero_()),
        (lambda u: u.view(3) * 2 * u, lambda u, y: (u.add_(1), u.add_(1))),
    ):
        x = leaf(torch)
        u = x * 1
        y = make(u)
        write(u, y)
        found += [error(y.sum().backward), x.grad]
    return found


@program
def the_message_tells_type_shape_and_versions(torch: Any) -> Any:
    w = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    y = (w * w).sum()
    with torch.no_grad():
        w.mul_(2)
    k = torch.ones(2)
    z = (k * leaf(torch, 1.0, 2.0)).sum()
    k.mul_(2)
    u = leaf(torch) * 1
    u.add_(1)
    u.add_(1)
    v = (u * u).sum()
    u.add_(1)
    s = torch.tensor(1.0, requires_grad=True) * 1
    t = s * s
    s.add_(1)
    return [
        error(y.backward),
        error(z.backward),
        error(v.backward),
        error(t.backward),
        error(lambda: v.grad_fn.next_functions[0][0]._saved_self),
    ]


@program
def versions_count_writes(torch: Any) -> Any:
    a = torch.ones(2, 3)
    found = [a._version]
    for write in (
        lambda: a.add_(1),
        lambda: a.__iadd__(1),
        lambda: a.__setitem__(0, 2),
        lambda: a.zero_(),
        lambda: a.__setitem__(slice(0, 1), 1),
        lambda: a.view(6).mul_(2),
        lambda: a.t()[0].add_(1),
        lambda: a.detach().add_(1),
        lambda: a.data.add_(1),
        lambda: a.__setitem__(a > 0, 2),
        lambda: a.__setitem__([0, 1], 3),
        lambda: a.requires_grad_(),
    ):
        write()
        found.append(a._version)
    found += [a.clone()._version, a.t()._version, (a * 1)._version]
    with torch.no_grad():
        a.sub_(1)
    return [*found, a._version, a]


@program
def adding_to_a_part_counts_twice(torch: Any) -> Any:
    u = leaf(torch) * 1
    u[0] += 1
    return [u._version, graph(u), u]


@program
def a_write_gives_a_new_history(torch: Any) -> Any:
    x = leaf(torch)
    u = x * 2
    u.add_(1)
    u.mul_(3)
    shape = graph(u)
    u.sum().backward()
    k = torch.zeros(3)
    k.add_(x)
    return [shape, u, x.grad, k, k.is_leaf, graph(k)]


@program
def filling_stops_gradients(torch: Any) -> Any:
    found = []
    for write in (
        lambda u: u.zero_(),
        lambda u: u.fill_(2.0),
        lambda u: u.copy_(torch.ones(3)),
        lambda u: u.__setitem__(0, 5.0),
    ):
        x = leaf(torch)
        u = x * 2
        write(u)
        found += [u, graph(u)]
        u.sum().backward()
        found.append(x.grad)
    return found


@program
def a_write_to_a_view_reaches_its_base(torch: Any) -> Any:
    x = leaf(torch)
    u = x * 1
    v = u[0:2]
    v.mul_(3)
    found = [u, v, graph(u), graph(v), u._version, v._version]
    u.sum().backward()
    w = torch.ones(2, 3, requires_grad=True)
    t = w * 1
    t.t()[0].mul_(5)
    (t * torch.arange(6.0).view(2, 3)).sum().backward()
    return [*found, x.grad, t, w.grad]


@program
def a_write_to_the_base_changes_its_views(torch: Any) -> Any:
    x = leaf(torch)
    u = x * 1
    v = u.view(3, 1)
    w = v[1:]
    before = [v.grad_fn.name(), w.grad_fn.name()]
    u.mul_(2)
    found = [*before, v, w, graph(v), graph(w), saved(w.grad_fn)]
    (v.sum() + w.sum()).backward()
    k = torch.zeros(3)
    part = k[:2]
    k.mul_(x)
    return [*found, x.grad, part.requires_grad, part.grad_fn.name(), part.is_leaf]


@program
def assigning_parts_of_tensors(torch: Any) -> Any:
    found = []
    for index, value in (
        (0, lambda x: x[1]),
        ([0, 2], lambda x: x[:2]),
        (slice(1, 3), lambda x: 7.0),
        (..., lambda x: x * 2),
        (slice(None), lambda x: x[0]),
    ):
        x = leaf(torch)
        k = torch.zeros(3)
        k[index] = value(x)
        found += [k, graph(k) if k.grad_fn else None]
        u = x * 1
        u[index] = value(x)
        found += [u, graph(u)]
        (u * u).sum().backward()
        found.append(x.grad)
    return found


@program
def views_that_must_not_be_written(torch: Any) -> Any:
    x = leaf(torch)
    u = x * 1
    _, b, _ = u.unbind()
    p, _ = u.split([1, 2])
    r = u.chunk(3)
    found = [error(lambda: b.add_(1)), error(lambda: p.add_(1)), error(lambda: r[0].mul_(2))]
    found += [error(lambda: u.add_(1)), error(lambda: p * 1)]
    y = x * 1
    with torch.no_grad():
        v = y.view(3)
        w = x.view(3)
    found += [v.requires_grad, v.is_leaf, error(lambda: v.add_(1)), error(lambda: w.add_(1))]
    y.add_(1)
    return [
        *found,
        error(lambda: v.grad_fn),
        torch.ones(1).expand(3).sum(),
        error(lambda: torch.ones(1).expand(3).add_(1)),
    ]


@program
def writes_that_do_not_fit(torch: Any) -> Any:
    k = torch.zeros(2, 3)
    n = torch.tensor([1, 2, 3])
    return [
        error(lambda: torch.ones(3).add_(torch.ones(2, 3))),
        error(lambda: n.add_(1.5)),
        error(lambda: n.div_(2)),
        error(lambda: k.__setitem__(0, torch.ones(2))),
        error(lambda: k.__setitem__(5, 1.0)),
        error(lambda: k.__setitem__((0, 0), torch.ones(2))),
        error(lambda: k.__setitem__(0, [1.0, 2.0, 3.0])),
        error(lambda: k.__setitem__(0, torch.ones(1, 3))),
        error(lambda: torch.ones(2).add_("a")),
        n,
        k,
    ]


@program
def in_place_under_no_grad(torch: Any) -> Any:
    x = leaf(torch)
    y = (x * x).sum()
    with torch.no_grad():
        x.add_(1)
        x -= 0.5
    return [x, x._version, x.is_leaf, error(y.backward)]


@program
def views_know_their_base(torch: Any) -> Any:
    x = leaf(torch)
    u = x * 1
    v = u.view(3, 1)
    w = v[0]
    d = x.detach()
    return [v._base is u, w._base is u, v._is_view(), u._is_view(), u._base, d._is_view(), x.view(3)._base is x]


# --- flags and modes -----------------------------------------------------------------------------------------------


@program
def no_grad_records_nothing(torch: Any) -> Any:
    x = leaf(torch)
    with torch.no_grad():
        y = x * 2
        inside = torch.is_grad_enabled()
        with torch.enable_grad():
            z = x * 2
        made = torch.ones(2, requires_grad=True)
    return [y, z, inside, torch.is_grad_enabled(), made, y.requires_grad, y.is_leaf]


@program
def modes_as_decorators(torch: Any) -> Any:
    x = leaf(torch)

    @torch.no_grad()
    def first(a: Any) -> Any:
        return a * 2

    @torch.no_grad
    def second(a: Any) -> Any:
        return a * 2

    @torch.enable_grad()
    def third(a: Any) -> Any:
        return a * 2

    @torch.no_grad()
    def numbers() -> Any:
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()

    with torch.no_grad():
        inside = third(x)
    seen = [(each, torch.is_grad_enabled()) for each in numbers()]
    return [first(x), second(x), inside, first.__name__, seen]


@program
def set_grad_enabled_works_at_once_and_as_a_block(torch: Any) -> Any:
    x = leaf(torch)
    torch.set_grad_enabled(False)
    a = x * 2
    torch.set_grad_enabled(True)
    b = x * 2
    with torch.set_grad_enabled(False):
        c = x * 2
    return [a, b, c, torch.is_grad_enabled()]


@program
def an_exception_restores_the_mode(torch: Any) -> Any:
    try:
        with torch.no_grad():
            raise ValueError
    except ValueError:
        return [torch.is_grad_enabled()]


@program
def flags_of_tensors(torch: Any) -> Any:
    x, n = leaf(torch), torch.tensor([1, 2])
    y = x * 2
    found = [
        error(lambda: torch.tensor([1, 2], requires_grad=True)),
        error(lambda: n.requires_grad_()),
        error(lambda: setattr(n, "requires_grad", True)),
        error(lambda: setattr(y, "requires_grad", False)),
        error(lambda: setattr(y, "requires_grad", True)),
    ]
    k = torch.ones(2)
    k.requires_grad_()
    k.requires_grad = False
    return [*found, k, k.requires_grad_() is k, x.detach(), x.data, x.detach().requires_grad, y.detach()]


@program
def assigning_a_gradient(torch: Any) -> Any:
    x = leaf(torch)
    found = [
        error(lambda: setattr(x, "grad", torch.ones(2))),
        error(lambda: setattr(x, "grad", 1.0)),
        error(lambda: setattr(x, "grad", torch.ones(3, dtype=torch.float64))),
        error(lambda: setattr(x, "grad", x)),
    ]
    x.grad = torch.ones(3)
    x.sum().backward()
    return [*found, x.grad]


@program
def reading_the_gradient_of_a_computed_tensor_warns(torch: Any) -> Any:
    y = leaf(torch) * 2
    y.sum().backward()
    return [warned(lambda: y.grad), warned(lambda: torch.ones(2).grad)]


@program
def a_step_of_descent_makes_no_leaf(torch: Any) -> Any:
    w = leaf(torch)
    (w * w).sum().backward()
    w = w - 0.1 * w.grad
    return [w.is_leaf, w, graph(w)]


@program
def numbers_out_of_tensors(torch: Any) -> Any:
    x = leaf(torch)
    return [
        torch.tensor(0.3).item(),
        torch.tensor([[1, 2], [3, 4]]).tolist(),
        float(torch.tensor(2.5)),
        int(torch.tensor(7)),
        bool(torch.tensor([0.0])),
        len(x),
        f"{torch.tensor(4.0)} {torch.tensor(4.0):.2f} {x.detach()}",
        "%.3f" % torch.tensor(2.5),  # noqa: UP031 - it is what is tested
        error(lambda: x.item()),
        error(lambda: float(x)),
        error(lambda: bool(x)),
        error(lambda: len(torch.tensor(1.0))),
        error(lambda: list(torch.tensor(1.0))),
        error(lambda: x.numpy()),
        error(lambda: f"{x:.2f}"),
        x.detach().numpy().tolist(),
    ]


@program
def shapes_and_dtypes_print_as_in_pytorch(torch: Any) -> Any:
    x = leaf(torch)
    return [
        repr(x.shape), str(x.size()), x.size(0), x.dim(), x.numel(), x.ndim, repr(torch.ones(2, 3).shape[1:]),
        repr(x.dtype), repr(torch.float64), torch.ones(2, 3).stride(), x.is_contiguous(), repr(torch.Size([2, 3])),
        torch.Size([2, 3]).numel(), x.shape == (3,), repr(torch.tensor(1.0).shape), str(type(x)),
        torch.is_tensor(x),
        str(x.device),
        repr(x.device),
        x.device == torch.device("cpu"),
    ]  # fmt: skip


# --- dtypes --------------------------------------------------------------------------------------------------------


@program
def dtypes_mix_as_in_pytorch(torch: Any) -> Any:
    shaped = [
        torch.ones(2, dtype=getattr(torch, d)) for d in ("float32", "float64", "int64", "int32", "bool", "float16")
    ]
    scalars = [torch.ones((), dtype=getattr(torch, d)) for d in ("float32", "float64", "int64", "bool")]
    found = [repr((a + b).dtype) for a in shaped for b in [*shaped, *scalars]]
    found += [repr((a * n).dtype) for a in [*shaped, *scalars] for n in (2, 2.5, True)]
    return found + [repr((a / 2).dtype) for a in shaped] + [repr(a.exp().dtype) for a in shaped]


@program
def data_decides_the_dtype(torch: Any) -> Any:
    import numpy as np

    return [
        torch.tensor(1.5), torch.tensor(1), torch.tensor(True), torch.tensor([1, 2.5]), torch.tensor([]),
        torch.tensor(np.ones(2)), torch.tensor(np.float64(1.5)), torch.tensor([[1, 2], [3, 4]]),
        torch.from_numpy(np.arange(3)),
        torch.tensor([1, 2], dtype=torch.float32), torch.tensor([True, 2]),
    ]  # fmt: skip


@program
def factories_make_what_pytorch_makes(torch: Any) -> Any:
    return [
        torch.zeros(2, 3), torch.ones((2,)), torch.full((2, 2), 7), torch.full((2,), 1.5), torch.arange(5),
        torch.arange(1, 2, 0.25), torch.arange(3.0), torch.linspace(0, 1, 5), torch.eye(2), torch.eye(2, 3),
        torch.zeros_like(torch.tensor([1, 2])), torch.ones_like(torch.ones(2), requires_grad=True),
        torch.full_like(torch.ones(2), 3.0), torch.rand(2, 3).shape, torch.randn(4).dtype,
        torch.randint(0, 3, (2, 2)).dtype,
        torch.zeros(0, 3), torch.empty(2).shape, torch.ones(2, dtype=torch.float64),
    ]  # fmt: skip


@program
def integer_arithmetic(torch: Any) -> Any:
    a, b = torch.tensor([7, -7, 3]), torch.tensor([2, 2, -2])
    return [
        a + b,
        a * b,
        a / b,
        a % b,
        a - 1,
        a**2,
        a * 1.5,
        -a,
        a > b,
        a == 3,
        a.sum(),
        a.max(),
        abs(a),
        a % 3,
        2 ** b.abs(),
    ]


# --- errors of use -------------------------------------------------------------------------------------------------


@program
def shapes_that_do_not_fit(torch: Any) -> Any:
    x, ones = leaf(torch), torch.ones
    return [
        error(lambda: ones(2, 3) + ones(2)),
        error(lambda: ones(3) * ones(4)),
        error(lambda: x - ones(2)),
        error(lambda: ones(2, 3) / ones(3, 2)),
        error(lambda: torch.where(torch.ones(2, dtype=torch.bool), x, x)),
        error(lambda: ones(2, 3) @ ones(2, 3)),
        error(lambda: ones(2, 3) @ ones(2)),
        error(lambda: ones(3) @ ones(2)),
        error(lambda: ones(3) @ ones(2, 3)),
        error(lambda: ones(2, 2, 3) @ ones(2, 2, 3)),
        error(lambda: torch.tensor(1.0) @ x),
        error(lambda: ones(2, 2, 3) @ ones(3, 3, 2)),
        error(lambda: torch.mm(ones(2), ones(2, 2))),
        error(lambda: torch.mm(ones(2, 2), ones(2))),
        error(lambda: torch.mv(ones(2, 3), ones(2))),
        error(lambda: torch.dot(ones(2), ones(3))),
        error(lambda: torch.dot(ones(2, 2), ones(2))),
        error(lambda: torch.bmm(ones(1, 2, 3), ones(1, 2, 3))),
        error(lambda: torch.addmm(ones(3), ones(2, 3), ones(3, 2))),
        error(lambda: ones(2, 2) @ ones(2, 2, dtype=torch.float64)),
        error(lambda: torch.dot(ones(2), ones(2, dtype=torch.float64))),
    ]


@program
def views_that_cannot_be(torch: Any) -> Any:
    x, ones = leaf(torch), torch.ones
    return [
        error(lambda: x.view(2)),
        error(lambda: ones(2, 3).view(4, -1)),
        error(lambda: ones(2, 3).t().view(6)),
        error(lambda: x.reshape(2, 2)),
        error(lambda: x.view(-1, -1)),
        error(lambda: ones(2, 3).reshape(-1, 4)),
        error(lambda: x.transpose(0, 1)),
        error(lambda: ones(2, 3).permute(0)),
        error(lambda: ones(2, 3).permute(0, 0)),
        error(lambda: ones(2, 2, 2).t()),
        error(lambda: x.unsqueeze(3)),
        error(lambda: x.expand(2)),
        error(lambda: x.expand(4)),
        error(lambda: x.expand(2, 4)),
        error(lambda: ones(2, 3).expand(3)),
        error(lambda: x.expand(-1, 3)),
        error(lambda: x.sum(1)),
        error(lambda: x.sum(dim=-2)),
        error(lambda: x.mean(5)),
        error(lambda: x.max(2)),
        error(lambda: ones(2, 3).sum((0, 0))),
        error(lambda: torch.tensor(1.0).sum(1)),
    ]


@program
def indices_that_are_mistakes(torch: Any) -> Any:
    x = leaf(torch)
    return [
        error(lambda: x[3]),
        error(lambda: x[-4]),
        error(lambda: x[0, 0]),
        error(lambda: torch.ones(2, 3)[0, 3]),
        error(lambda: torch.tensor(1.0)[0]),
        error(lambda: x[[0, 5]]),
        error(lambda: x[torch.tensor([True, False])]),
        error(lambda: x[1.0]),
        error(lambda: x["a"]),
        error(lambda: x[torch.tensor([0.5])]),
        error(lambda: x[::-1]),
    ]


@program
def joining_what_cannot_be_joined(torch: Any) -> Any:
    ones = torch.ones
    return [
        error(lambda: torch.cat([ones(2, 3), ones(2, 2)])),
        error(lambda: torch.cat([ones(2), ones(2, 2)])),
        error(lambda: torch.stack([ones(2), ones(3)])),
        error(lambda: torch.cat([])),
        error(lambda: torch.stack([])),
        error(lambda: torch.cat([torch.tensor(1.0), torch.tensor(2.0)])),
        error(lambda: torch.cat([ones(2), ones(2)], dim=1)),
        error(lambda: torch.cat(ones(2))),
    ]


@program
def factories_misused(torch: Any) -> Any:
    return [
        error(lambda: torch.tensor([[1.0, 2.0], [3.0]])),
        error(lambda: torch.tensor("a")),
        error(lambda: torch.tensor([None])),
        error(lambda: torch.zeros(-1)),
        error(lambda: torch.ones(2.0)),
        error(lambda: torch.arange(3, 1)),
        error(lambda: torch.full((2,), "a")),
        error(lambda: torch.eye(-1)),
        error(lambda: torch.linspace(0, 1, -1)),
    ]


@program
def operands_of_wrong_types(torch: Any) -> Any:
    import numpy as np

    x = leaf(torch)
    return [
        error(lambda: x + "a"),
        error(lambda: x + [1.0, 2.0, 3.0]),  # noqa: RUF005
        error(lambda: x + None),
        error(lambda: torch.exp(1.0)),
        error(lambda: torch.add(1, 2)),
        error(lambda: x @ 2),
        error(lambda: torch.sum([1.0, 2.0])),
        error(lambda: torch.relu(2)),
        error(lambda: torch.mean(3.0)),
        error(lambda: x.foo),
        error(lambda: torch.tensor([1, 2]).mean()),
        error(lambda: -torch.tensor([True])),
        error(lambda: torch.tensor([True]) - torch.tensor([True])),
        error(lambda: torch.tensor([1, 2]) ** -1),
        error(lambda: torch.tensor([]).max()),
        error(lambda: torch.tensor([]).mean()),
        error(lambda: x + np.ones(3)),
        error(lambda: np.ones(3) * x.detach()),
        x.detach() + np.float64(1.0),
        np.float32(2.0) * x.detach(),
        error(lambda: np.array(x.detach())),
    ]


@program
def shared_memory_and_copies(torch: Any) -> Any:
    import numpy as np

    a = torch.ones(2, 3)
    array = np.ones(2)
    b = torch.from_numpy(array)
    b.add_(1)
    same = [a.contiguous() is a, a.reshape(2, 3) is a, a.float() is a, a.view(2, 3) is a, a.clone() is a, a.T.T is a]
    a.numpy()[0, 0] = 5
    return [same, a, a._version, array.tolist(), a.t().stride(), a[:, ::2].stride(), a.t().is_contiguous()]


# --- functions of the user's own -----------------------------------------------------------------------------------


def own(torch: Any, forward: Any, backward: Any) -> Any:
    """A custom Function called My."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("My", (torch.autograd.Function,), body)


@program
def a_function_saves_and_differentiates(torch: Any) -> Any:
    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        return a * a

    def backward(ctx: Any, g: Any) -> Any:
        (a,) = ctx.saved_tensors
        return 2 * a * g

    square, x = own(torch, forward, backward), leaf(torch)
    y = square.apply(x)
    found = [y, graph(y), y.grad_fn.saved_tensors[0] is x, type(y.grad_fn).__name__]
    y.sum().backward()
    found += [x.grad, error(y.sum().backward), error(lambda: y.grad_fn.saved_tensors)]
    first = torch.autograd.grad(square.apply(x).sum(), x, create_graph=True)[0]
    found += [first, list(torch.autograd.grad(first.sum(), x))]
    u = x * 1
    z = square.apply(u)
    u.add_(1)
    return [*found, error(z.sum().backward), square.apply(torch.ones(2)), error(lambda: square()(x))]


@program
def a_function_may_save_its_result(torch: Any) -> Any:
    def forward(ctx: Any, a: Any) -> Any:
        result = a.exp()
        ctx.save_for_backward(result)
        return result

    x = leaf(torch)
    y = own(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(x)
    first = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
    watch = weakref.ref(y)
    second = torch.autograd.grad(first.sum(), x)[0]
    del y, first
    return [second, watch() is None]


@program
def a_function_knows_which_gradients_are_needed(torch: Any) -> Any:
    seen = []

    def forward(ctx: Any, a: Any, k: float, b: Any) -> Any:
        ctx.k = k
        seen.append((ctx.needs_input_grad, torch.is_grad_enabled()))
        return a * k + b

    x = leaf(torch)
    y = own(torch, forward, lambda ctx, g: (g * ctx.k, None, g)).apply(x, 3.0, torch.ones(3))
    y.sum().backward()
    return [seen, y, graph(y), x.grad]


@program
def a_function_with_several_results(torch: Any) -> Any:
    seen = []

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        seen.append(f"{g} {h}")
        return g * 2 + h * 3

    x = leaf(torch)
    y, z = own(torch, lambda ctx, a: (a * 2, a * 3), backward).apply(x)
    same = y.grad_fn is z.grad_fn
    y.sum().backward()
    return [same, y.output_nr, z.output_nr, y, z, seen, x.grad]


@program
def functions_that_are_mistakes(torch: Any) -> Any:
    x = leaf(torch)

    def run(forward: Any, backward: Any, *args: Any) -> str:
        return error(lambda: own(torch, forward, backward).apply(*args).sum().backward())

    def fail(ctx: Any, g: Any) -> Any:
        raise ValueError("boom")

    one = lambda ctx, a: a * 1  # noqa: E731
    return [
        run(lambda ctx, a, b: a + b, lambda ctx, g: g, x, x),
        run(one, lambda ctx, g: (g, g), x),
        run(one, lambda ctx, g: (g, None), x),
        run(one, lambda ctx, g: (), x),
        run(one, lambda ctx, g: torch.ones(2), x),
        run(one, lambda ctx, g: 5, x),
        run(one, lambda ctx, g: None, x),
        run(lambda ctx, a, k: a * k, lambda ctx, g: (g, g), x, 2.0),
        run(lambda ctx, a: (ctx.save_for_backward(5), a * 1)[1], lambda ctx, g: g, x),
        run(one, fail, x),
        error(lambda: type("My", (torch.autograd.Function,), {"forward": staticmethod(one)}).apply(x).sum().backward()),
        error(lambda: type("My", (torch.autograd.Function,), {}).apply(x)),
        x.grad,
    ]


@program
def a_function_that_returns_or_writes_its_input(torch: Any) -> Any:
    def write(ctx: Any, a: Any) -> Any:
        a.mul_(2)
        ctx.mark_dirty(a)
        return a

    x, z = leaf(torch), leaf(torch)
    y = own(torch, lambda ctx, a: a, lambda ctx, g: g * 2).apply(x)
    y.sum().backward()
    writer = own(torch, write, lambda ctx, g: g * 2)
    u = z * 1
    v = writer.apply(u)
    v.sum().backward()
    return [y is x, y, y._is_view(), x.grad, v is u, u, u._version, z.grad, error(lambda: writer.apply(leaf(torch)))]
