"""`autograd.Function`: whatever a user's own op does, it does here what it does in real PyTorch."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import autograd_lab
from tests.programs import error, leaf, own, warned
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")

story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell) == said(torch, tell)


def times_one(ctx: Any, a: Any) -> Any:
    return a * 1


def pass_on(ctx: Any, g: Any) -> Any:
    return g


def class_of(m: Any, **methods: Any) -> Any:
    """A `Function` with these static methods."""
    return type("My", (m.autograd.Function,), {name: staticmethod(method) for name, method in methods.items()})


def in_place(ctx: Any, a: Any, *others: Any) -> Any:
    a.add_(1)
    ctx.mark_dirty(a)
    return (a, *(other * 1 for other in others)) if others else a


# --- names and kinds -----------------------------------------------------------------------------------------------


@story
def a_node_is_named_after_its_function_and_is_the_ctx(m: Any) -> Any:
    seen = []
    y = own(m, times_one, lambda ctx, g: (seen.append(ctx), g)[1]).apply(leaf(m))
    node = y.grad_fn
    y.sum().backward()
    kinds = isinstance(node, m.autograd.function.BackwardCFunction), isinstance(node, m.autograd.graph.Node)
    return [repr(node), repr(type(node)), node.name(), node._forward_cls is not None, seen[0] is node, kinds]


@story
def an_instance_is_of_no_use(m: Any) -> Any:
    cls = own(m, times_one, pass_on)
    return [type(cls(1, 2)) is cls, error(lambda: cls()(leaf(m))), warned(lambda: cls())]


@story
def base_class_methods_say_what_is_missing(m: Any) -> Any:
    base, x = m.autograd.Function, leaf(m)
    return [
        error(lambda: base.apply(x)), error(lambda: base.backward(None)), error(lambda: base.setup_context(1, 2, 3)),
        error(lambda: class_of(m, forward=times_one).apply(x).sum().backward()),
    ]  # fmt: skip


@story
def vjp_is_another_name_of_backward_and_both_are_too_many(m: Any) -> Any:
    x = leaf(m)
    class_of(m, forward=lambda ctx, a: a * 2, vjp=lambda ctx, g: g * 2).apply(x).sum().backward()
    both = class_of(m, forward=times_one, vjp=pass_on, backward=pass_on)
    return [x.grad, error(lambda: both.apply(x).sum().backward())]


class Cube(autograd_lab.autograd.Function):
    """Pickles find it here."""

    @staticmethod
    def forward(ctx: Any, a: Any) -> Any:
        return a**3


def test_a_function_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(Cube)) is Cube


# --- arguments -----------------------------------------------------------------------------------------------------


@story
def keyword_arguments_find_their_places(m: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, a: Any, k: Any = 2) -> Any:
        seen.append(ctx.needs_input_grad)
        return a * k

    x, cls = leaf(m), own(m, forward, lambda ctx, g: (g * 2, None))
    return [
        error(lambda: cls.apply(a=x, k=3)), error(lambda: cls.apply(x, k=x * 1)), error(lambda: cls.apply(k=3, a=x)),
        error(lambda: cls.apply(x, z=1)), error(lambda: cls.apply(x).sum().backward()), seen,
    ]  # fmt: skip


@story
def a_forward_without_ctx_has_a_setup_context(m: Any) -> Any:
    seen = []

    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        seen.append((len(inputs), output.requires_grad, m.is_grad_enabled()))
        ctx.k = inputs[1]
        ctx.save_for_backward(output)

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.saved_tensors[0].grad_fn is not None)
        return g * ctx.k, None

    x = leaf(m)
    cls = class_of(m, forward=lambda a, k=2: a * k, setup_context=setup, backward=backward)
    for result in (cls.apply(x, 3), cls.apply(x), cls.apply(x, k=4)):
        result.sum().backward()
    returned = class_of(m, forward=lambda a, k=2: a, setup_context=setup, backward=backward)
    return [x.grad, seen, error(lambda: returned.apply(x)), error(lambda: cls.apply())]


@story
def only_tensors_have_edges_also_those_that_need_no_gradient(m: Any) -> Any:
    y = own(m, lambda ctx, *args: args[0] * 1, lambda ctx, *g: (g[0], None, None)).apply(leaf(m), [leaf(m)], m.ones(1))
    return [(None if node is None else node.name(), number) for node, number in y.grad_fn.next_functions]


# --- what is returned ----------------------------------------------------------------------------------------------


def looks(tensor: Any) -> list[Any]:
    return [repr(tensor), tensor.requires_grad, tensor.is_leaf, tensor._is_view(), tensor.output_nr, tensor._version]


RETURNED = {
    "the_input_twice": lambda ctx, a: (a, a),
    "one_result_twice": lambda ctx, a: (lambda r: (r, r))(a * 1),
    "a_list": lambda ctx, a: [a * 1, a * 2],
    "a_tuple_of_one": lambda ctx, a: (a * 1,),
    "nothing": lambda ctx, a: (),
    "none_and_a_tensor": lambda ctx, a: (None, a * 1, 5, a * 2),
    "a_tuple_in_a_tuple": lambda ctx, a: ((a * 1,), a * 2),
    "booleans": lambda ctx, a: a > 1,
    "what_is_detached": lambda ctx, a: a.detach(),
    "a_view_of_the_input": lambda ctx, a: a.view(3, 1),
    "parts_of_the_input": lambda ctx, a: tuple(a.split(1)),
    "a_view_of_a_result": lambda ctx, a: (a * 2).view(3, 1),
    "the_input": lambda ctx, a: a,
}


@pytest.mark.parametrize("name", RETURNED)
@pytest.mark.parametrize("recorded", [True, False])
def test_whatever_forward_returns_looks_as_in_pytorch(name: str, recorded: bool) -> None:
    def tell(m: Any) -> Any:
        x = leaf(m)
        with m.set_grad_enabled(recorded):
            result = own(m, RETURNED[name], lambda ctx, *gs: None).apply(x)
        tensors = [one for one in (result if isinstance(result, tuple) else (result,)) if isinstance(one, m.Tensor)]
        return [repr(result), *map(looks, tensors), x.is_leaf, [one is x for one in tensors]]

    assert said(autograd_lab, tell) == said(torch, tell)


@story
def backward_gets_zeros_for_tensors_and_none_for_the_rest(m: Any) -> Any:
    seen: list[Any] = []

    def record(ctx: Any, *gradients: Any) -> None:
        seen.append(repr(gradients))

    for forward in (RETURNED["none_and_a_tensor"], RETURNED["the_input_twice"], RETURNED["parts_of_the_input"]):
        result = own(m, forward, record).apply(leaf(m))
        result[-1].sum().backward()
    twice = own(m, RETURNED["one_result_twice"], record).apply(leaf(m))
    (twice[0] + twice[1]).sum().backward()
    own(m, lambda ctx, a: (a * 2, (a > 1).long()), record).apply(leaf(m))[0].sum().backward()
    return seen


@story
def backward_runs_also_when_no_gradient_comes(m: Any) -> Any:
    seen: list[Any] = []

    def off(ctx: Any, a: Any) -> Any:
        ctx.set_materialize_grads(False)
        return a * 1

    x, nothing = leaf(m), own(m, times_one, lambda ctx, g: None)
    for forward in (times_one, off):
        first = own(m, forward, lambda ctx, g: (seen.append(repr(g)), g)[1])
        nothing.apply(first.apply(x)).sum().backward()
    return [seen, x.grad]


@story
def a_view_that_forward_returned_is_not_written_to(m: Any) -> Any:
    one = own(m, lambda ctx, a: a.view(3, 1), lambda ctx, g: g.view(3)).apply(leaf(m) * 1)
    same = own(m, lambda ctx, a: a, pass_on).apply(leaf(m) * 1)
    many = own(m, lambda ctx, a: tuple(a.split(1)), lambda ctx, *g: m.cat(g)).apply(leaf(m) * 1)
    free = own(m, lambda ctx, a: a, pass_on).apply(m.ones(3))
    return [error(lambda: one.add_(1)), error(lambda: same.add_(1)), error(lambda: many[0].add_(1)), free.add_(1)]


@story
def a_result_may_be_written_to(m: Any) -> Any:
    x = leaf(m)
    y = own(m, times_one, lambda ctx, g: g * 2).apply(x)
    y.mul_(3).sum().backward()
    return [x.grad, y._version]


@story
def tensors_from_elsewhere_take_on_the_history(m: Any) -> Any:
    other, computed = leaf(m), leaf(m) * 2
    own(m, lambda ctx, a: other, pass_on).apply(leaf(m))
    own(m, lambda ctx, a: computed, pass_on).apply(leaf(m))
    return [looks(other), looks(computed)]


# --- what is marked ------------------------------------------------------------------------------------------------


@story
def a_written_input_is_marked_and_returned(m: Any) -> Any:
    x = leaf(m)
    u, free, cls = x * 1, m.ones(3), own(m, in_place, lambda ctx, g: g * 3)
    view = u.view(3)
    y = cls.apply(u)
    y.sum().backward()
    z = cls.apply(free)
    with m.no_grad():
        unrecorded = cls.apply(x)
    names = [y.grad_fn.name(), view.grad_fn.name()]
    return [y is u, u._version, names, x.grad, z is free, free._version, x._version, unrecorded is x, unrecorded]


@story
def a_written_view_rewrites_its_base(m: Any) -> Any:
    x = leaf(m)
    u = x * 1
    part = u[:2]
    own(m, in_place, lambda ctx, g: g * 3).apply(part)
    names = [part.grad_fn.name(), u.grad_fn.name()]
    u.sum().backward()
    return [names, x.grad, part, part._version]


@story
def a_written_constant_gets_a_history(m: Any) -> Any:
    x, constant = leaf(m), m.ones(3)
    y = own(m, lambda ctx, a, b: (ctx.mark_dirty(a), a.add_(b))[1], lambda ctx, g: (g, g * 2)).apply(constant, x)
    y.sum().backward()
    return [y is constant, looks(constant), x.grad]


@story
def writes_that_are_mistakes(m: Any) -> Any:
    cls, two = own(m, in_place, pass_on), own(m, in_place, lambda ctx, g, h: (g, h))
    with m.no_grad():
        hidden = leaf(m).view(3)
    written = leaf(m) * 1
    return [
        error(lambda: cls.apply(leaf(m))), error(lambda: two.apply((leaf(m) * 1)[:2], leaf(m))),
        error(lambda: two.apply(hidden, leaf(m))), error(lambda: cls.apply((leaf(m) * 1).unbind()[0])),
        error(lambda: cls.apply(leaf(m)[0])), two.apply(leaf(m) * 1, leaf(m)),
        error(lambda: own(m, lambda ctx, a: (ctx.mark_dirty(5), a * 1)[1], pass_on).apply(leaf(m))),
        error(lambda: own(m, lambda ctx, a: (ctx.mark_dirty(a), a * 2)[1], pass_on).apply(written)),
        written._version,
    ]  # fmt: skip


@story
def results_may_be_marked_as_constant(m: Any) -> Any:
    def forward(ctx: Any, a: Any) -> Any:
        above = (a > 1).float()
        ctx.mark_non_differentiable(above)
        return a * 2, above

    seen: list[Any] = []
    x = leaf(m)
    y, above = own(m, forward, lambda ctx, g, h: (seen.append(repr(h)), g * 2)[1]).apply(x)
    y.sum().backward()
    own_input = own(m, lambda ctx, a: (ctx.mark_non_differentiable(a), a)[1], pass_on).apply(x)
    wrong = error(lambda: own(m, lambda ctx, a: (ctx.mark_non_differentiable(5), a)[1], pass_on).apply(x))
    return [looks(y), looks(above), seen, x.grad, looks(own_input), own_input is x, wrong]


# --- what is saved -------------------------------------------------------------------------------------------------


@story
def a_saved_result_has_the_history_that_it_gets(m: Any) -> Any:
    def forward(ctx: Any, a: Any) -> Any:
        result = a.exp()
        ctx.save_for_backward(result, None)
        return result

    x, cls = leaf(m), own(m, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    y = cls.apply(x)
    found = y.grad_fn.saved_tensors
    (g,) = m.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = m.autograd.grad(g.sum(), x)
    written = cls.apply(x)
    written.add_(1)
    stale = error(lambda: written.sum().backward())
    return [found[0] is y, found[0].grad_fn is y.grad_fn, found[1], g, second, stale]


@story
def what_is_saved_is_checked_and_freed(m: Any) -> Any:
    def forward(ctx: Any, a: Any) -> Any:
        before = ctx.saved_tensors, ctx.to_save
        ctx.save_for_backward(a)
        seen.append([repr(before), repr(ctx.to_save)])
        return a * a

    seen: list[Any] = []
    cls = own(m, forward, lambda ctx, g: 2 * g * ctx.saved_tensors[0])
    u = leaf(m) * 1
    y, z = cls.apply(u), cls.apply(u)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    u.add_(1)
    late = [
        error(lambda: y.sum().backward()),
        error(lambda: z.sum().backward()),
        error(lambda: y.grad_fn.saved_tensors),
    ]
    return [seen, late, warned(lambda: error(lambda: z.grad_fn.saved_variables))]


@story
def saved_tensors_of_a_function_go_through_hooks(m: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(b, a)
        return a * b

    def backward(ctx: Any, g: Any) -> Any:
        b, a = ctx.saved_tensors
        return g * b, g * a

    x, k = leaf(m), m.full((3,), 2.0)
    with m.autograd.graph.saved_tensors_hooks(lambda t: (seen.append(repr(t)), t * 1)[1], lambda t: t * 10):
        y = own(m, forward, backward).apply(x, k)
    y.sum().backward()
    z = own(m, forward, backward).apply(x, k)
    z.grad_fn._raw_saved_tensors[0].register_hooks(lambda t: 7.0, lambda number: m.full((3,), number))
    z.sum().backward()
    return [seen, x.grad, error(lambda: z.grad_fn._raw_saved_tensors)]


@story
def gradients_are_lenient_and_gradients_of_gradients_go_through(m: Any) -> Any:
    x, y = leaf(m), m.ones(1, requires_grad=True)
    long = own(m, times_one, lambda ctx, g: m.ones(3, 3)).apply(x)
    long.sum().backward()
    double = own(m, times_one, lambda ctx, g: g.double()).apply(x)
    double.sum().backward()
    whole = own(m, times_one, lambda ctx, g: g.long()).apply(x)
    whole.sum().backward()
    small = own(m, lambda ctx, a, b: a * b, lambda ctx, g: (g, g.sum())).apply(x, y)
    return [x.grad, x.grad.dtype, error(lambda: small.sum().backward())]


@story
def attributes_of_ctx_are_the_users_whatever_they_are_called(m: Any) -> Any:
    names = ["shape", "dtype", "code", "at", "seq", "others", "many", "made", "k", "name_of_mine"]
    seen: list[Any] = []

    def forward(ctx: Any, a: Any) -> Any:
        for number, name in enumerate(names):
            setattr(ctx, name, number)
        return a * 1, a * 2

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        seen.append([getattr(ctx, name) for name in names])
        ctx.shape += 100
        return g + h

    x = leaf(m)
    y, z = own(m, forward, backward).apply(x)
    (y + z).sum().backward(retain_graph=True)
    (y * 3).sum().backward()
    return [seen, x.grad]


@story
def a_pass_inside_of_backward_goes_by_the_node_itself(m: Any) -> Any:
    def backward(ctx: Any, g: Any) -> Any:
        y, a = ctx.saved_tensors
        with m.enable_grad():
            (slope,) = m.autograd.grad((y * y - a).sum(), y, create_graph=True)
        return g / slope

    def forward(ctx: Any, a: Any) -> Any:
        y = a.detach().sqrt()
        ctx.save_for_backward(y, a)
        return y

    x = m.tensor([2.0, 3.0], requires_grad=True)
    (first,) = m.autograd.grad(own(m, forward, backward).apply(x).sum(), x, create_graph=True)
    return [first, m.autograd.grad(first.sum(), x)]


@story
def what_is_once_differentiable_says_so(m: Any) -> Any:
    @m.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        seen.append(m.is_grad_enabled())
        return 2 * g * ctx.saved_tensors[0]

    seen: list[Any] = []
    x, weight = leaf(m), m.ones(3, requires_grad=True)
    y = own(m, lambda ctx, a: (ctx.save_for_backward(a), a * a)[1], backward).apply(x)
    (plain,) = m.autograd.grad(y.sum(), x, create_graph=True)
    (g,) = m.autograd.grad(y, x, weight, create_graph=True)
    unused = error(lambda: m.autograd.grad(g.sum(), x))
    return [plain, g, repr(g.grad_fn), unused, error(lambda: g.sum().backward()), seen]


# --- in a recording ------------------------------------------------------------------------------------------------


def test_a_recording_tells_of_a_functions_name_slots_and_edges() -> None:
    cls = own(autograd_lab, lambda ctx, a, b: (ctx.save_for_backward(b), a * b)[1], lambda ctx, g: (g, None))
    with autograd_lab.record() as trace:
        x, k = leaf(autograd_lab), autograd_lab.ones(3)
        y = cls.apply(x, k)
        with autograd_lab.no_grad():
            cls.apply(x, k)
        y.sum().backward()
    ops = [event for event in trace.events if type(event).__name__ == "OpApplied"]
    assert [event.name for event in ops] == ["mul", "MyBackward", "mul", "My", "SumBackward0"]
    assert [edge is not None for edge in ops[1].edges] == [True, False]
    slots = [(event.slot, event.node == ops[1].node) for event in trace.events if type(event).__name__ == "TensorSaved"]
    assert slots == [("saved_tensors[0]", True)]
