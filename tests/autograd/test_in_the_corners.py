"""What those who know autograd by heart would miss: callbacks, rare errors, hooks by hand, tangents that are copied."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
import autograd_lab.autograd.forward_ad
from tests.programs import error, leaf
from tests.worlds import Stories, graph, said

torch = pytest.importorskip("torch")
story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell)[0] == said(torch, tell)[0]


def function(m: Any, **methods: Any) -> Any:
    return type("Own", (m.autograd.Function,), {name: staticmethod(method) for name, method in methods.items()})


# --- the pass that runs ----------------------------------------------------------------------------------------------


@story
def callbacks_are_called_at_the_end_of_their_pass(m: Any) -> Any:
    told: list[Any] = []
    engine = m.autograd.Variable._execution_engine
    x = leaf(m)

    def inner(g: Any) -> None:
        engine.queue_callback(lambda: told.append("inner"))
        told.append("hook")

    def outer(g: Any) -> None:
        engine.queue_callback(lambda: (told.append("outer"), engine.queue_callback(lambda: told.append("last"))))
        with m.enable_grad():
            y = x.detach().requires_grad_() * 2
        y.register_hook(inner)
        y.sum().backward()
        told.append("after the inner pass")

    z = x * 3
    z.register_hook(outer)
    z.sum().backward()
    return told, error(lambda: engine.queue_callback(print))


@story
def a_pass_that_fails_forgets_its_callbacks(m: Any) -> Any:
    told: list[Any] = []
    engine = m.autograd.Variable._execution_engine
    x = leaf(m)
    z = x * 3

    def fail(g: Any) -> None:
        engine.queue_callback(lambda: told.append("never"))
        raise ValueError("no")

    z.register_hook(fail)
    failed = error(lambda: z.sum().backward())
    (x * 2).sum().backward()
    return failed, told


@story
def a_hook_asks_what_will_run(m: Any) -> Any:
    a, b, told = leaf(m), leaf(m), []
    c = a * b
    d, other = c * 2, c * 3
    will = m._C._will_engine_execute_node

    def hook(g: Any) -> None:
        told.extend([m._C._current_graph_task_id() >= 0, will(c.grad_fn), will(d.grad_fn), will(other.grad_fn)])

    d.register_hook(hook)
    m.autograd.grad(d.sum(), a, retain_graph=True)
    d.sum().backward()
    outside = [m._C._current_graph_task_id(), error(lambda: will(d.grad_fn)), error(lambda: will(a))]
    return told, outside


@story
def errors_wait_in_the_graph(m: Any) -> Any:
    x = leaf(m)
    refused = m._C._functions.DelayedError("no way back", 1)(x * 2)
    lost = m._C._functions.UndefinedGrad()(x * 2)
    lost.sum().backward()
    return [graph(refused), error(lambda: refused.sum().backward()), lost.grad_fn.name(), x.grad]


@story
def a_node_tells_what_its_gradients_are_like(m: Any) -> Any:
    x = m.ones(3, 2, requires_grad=True)
    nodes = [(x * 2).grad_fn, x.sum(0).grad_fn, m.var_mean(x, dim=0)[0].grad_fn]
    return [[(list(one.shape), str(one.dtype), str(one.device)) for one in node._input_metadata] for node in nodes]


# --- Function --------------------------------------------------------------------------------------------------------


@story
def outputs_that_are_constant_may_have_no_gradient(m: Any) -> Any:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        first, second = x.clone(), x.clone()
        ctx.mark_non_differentiable(second)
        ctx._materialize_non_diff_grads = False
        return first, second

    def backward(ctx: Any, g: Any, none: Any) -> Any:
        seen.append(none)
        return g

    function(m, forward=forward, backward=backward).apply(leaf(m))[0].sum().backward()
    return seen


@story
def a_view_from_a_function_is_not_written_to(m: Any) -> Any:
    def forward(ctx: Any, *x: Any) -> Any:
        views = tuple(one.view_as(one) for one in x)
        return views if len(views) > 1 else views[0]

    own = function(m, forward=forward, backward=lambda ctx, *g: g)
    plain = m.ones(2)

    def write(count: int, *x: Any) -> None:
        made = own.apply(*x)
        (made if count == 1 else made[0]).add_(leaf(m))

    return [
        error(lambda: write(1, plain)),
        error(lambda: write(2, plain, plain)),
        error(lambda: write(1, leaf(m) * 1)),
        error(lambda: write(2, leaf(m) * 1, plain)),
        error(lambda: write(2, leaf(m) * 1, leaf(m) * 1)),
    ]


@story
def a_function_says_how_it_is_batched(m: Any) -> Any:
    of = m.autograd.Function
    return [of.generate_vmap_rule, error(lambda: of.vmap(None, None, None))]


@story
def a_gradient_once_differentiable_has_a_place_for_each_argument(m: Any) -> Any:
    backward = m.autograd.function.once_differentiable(lambda ctx, g: (g, None, g))
    own = function(m, forward=lambda ctx, a, factor, b: a * factor * b, backward=backward)
    a, b = leaf(m), leaf(m)
    (found,) = m.autograd.grad(own.apply(a, 2, b).sum(), a, create_graph=True)
    return graph(found), error(lambda: found.sum().backward())


# --- tensors ---------------------------------------------------------------------------------------------------------


@story
def hooks_may_be_set_by_hand(m: Any) -> Any:
    x = m.ones(2)
    x._backward_hooks = {}
    x._backward_hooks["a"] = len
    return list(x._backward_hooks)


@story
def not_all_of_a_tensor_can_be_deleted(m: Any) -> Any:
    x = leaf(m)

    def delete(name: str) -> Any:
        delattr(x, name)

    names = ("data", "requires_grad", "_grad_fn", "_backward_hooks", "grad")
    return [error(lambda name=name: delete(name)) for name in names]


@story
def a_saved_tensor_is_not_made_by_hand(m: Any) -> Any:
    return m.autograd.SavedTensor()


@story
def memory_that_was_exchanged_gets_no_gradient_of_what_was(m: Any) -> Any:
    x = leaf(m)
    before = x.clone()
    with m.no_grad():
        x.set_(m.ones(3))
    unused = error(lambda: m.autograd.grad(before.sum(), x))
    x.sum().backward()
    return unused, x.grad


@story
def inference_tensors_may_change_their_size_where_they_are_made(m: Any) -> Any:
    with m.inference_mode():
        x = m.ones(1, 2, requires_grad=True)
        sizes = [x.resize_(2, 1).shape, x.resize_as_(m.ones(2)).shape, x.requires_grad]
    view = x.view(-1)
    m.autograd.graph.increment_version(x)
    return sizes, view.requires_grad, view.is_leaf, view._is_view()


@story
def runs_of_slices_are_recorded(m: Any) -> Any:
    x = m.tensor([[1.0, 2.0], [1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    found = m.unique_consecutive(x, return_inverse=True, return_counts=True, dim=0)
    empty = m.unique_consecutive(x[:0], return_inverse=True, return_counts=True, dim=0)
    return [*found, *empty, error(lambda: found[0].sum().backward())]


@pytest.mark.parametrize("reduction", ["scatter_reduce", "index_reduce"])
def test_a_product_with_two_zeros_is_differentiated_once(reduction: str) -> None:
    def tell(m: Any) -> Any:
        x = m.tensor([1.0, 2.0], requires_grad=True)
        factors = m.tensor([0.0, 0.0, 0.0, 3.0], requires_grad=True)
        out = getattr(m, reduction)(x, 0, m.tensor([0, 0, 1, 1]), factors, "prod")
        found = m.autograd.grad(out.sum(), (x, factors), create_graph=True)
        return [
            *found,
            error(lambda: m.autograd.grad(found[0].sum(), x, retain_graph=True, allow_unused=True)),
            error(lambda: found[1].sum().backward()),
        ]

    assert said(autograd_lab, tell)[0] == said(torch, tell)[0]


# --- forward mode ----------------------------------------------------------------------------------------------------


@story
def tangents_are_copied_detached_and_refused(m: Any) -> Any:
    of = m.autograd.forward_ad
    with of.dual_level():
        tangent = m.tensor([5.0, 6.0])
        dual = of.make_dual(m.ones(2), tangent)
        copied = m.zeros(2).copy_(dual)
        own = of.unpack_dual(copied).tangent
        tangent.mul_(2)
        detached = dual.clone()
        detached.detach_()
        return [
            own,
            of.unpack_dual(detached * 2).tangent,
            error(lambda: of.make_dual(m.ones(2), dual)),
            error(lambda: m.add(m.ones(2), 1, out=dual)),
            error(lambda: m.mul(dual, 2, out=m.ones(2))),
        ]


@story
def a_check_of_forward_mode_counts_its_calls(m: Any) -> Any:
    calls, seen = [0], []

    def jvp(ctx: Any, a: Any, b: Any) -> Any:
        calls[0] += 1
        return a, b

    def forward(ctx: Any, a: Any, b: Any) -> Any:
        if m.autograd.forward_ad._current_level >= 0:
            seen.append((a.requires_grad, b.requires_grad))
        return a.clone(), b.clone()

    own = function(m, forward=forward, jvp=jvp)
    x, y = (m.ones(1, dtype=m.float64, requires_grad=True) for _ in range(2))
    for undefined in (False, True):
        m.autograd.gradcheck(
            own.apply, (x, y), check_forward_ad=True, check_backward_ad=False, check_undefined_grad=undefined
        )
    return calls, seen


@story
def a_check_of_forward_mode_tells_zeros_from_nothing(m: Any) -> Any:
    def jvp(ctx: Any, a: Any, b: Any) -> Any:
        return a if b is None else a + 1 + b

    own = function(m, forward=lambda ctx, a, b: (ctx.set_materialize_grads(False), a + b)[1], jvp=jvp)
    x, y = (m.ones(1, dtype=m.float64, requires_grad=True) for _ in range(2))
    return error(lambda: m.autograd.gradcheck(own.apply, (x, y), check_forward_ad=True, check_backward_ad=False))


def test_a_class_is_no_longer_decorated_with_a_mode() -> None:
    def tell(m: Any) -> Any:
        m.no_grad()(type("Own", (), {}))

    assert said(autograd_lab, tell) == said(torch, tell)


# --- operators of a program's own ------------------------------------------------------------------------------------


@story
def an_operator_of_ones_own_is_one_node(m: Any) -> Any:
    @m.library.custom_op("corners::power", mutates_args=(), schema="(Tensor x, float power) -> Tensor")
    def power(x: Any, power: float = 2.0) -> Any:
        return x.exp().log() ** power

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(inputs[0])
        ctx.power = inputs[1]

    def back(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * ctx.power * x ** (ctx.power - 1), None

    x = leaf(m)
    before = power(x, 3.0)
    refused = error(before.sum().backward)
    power.register_autograd(back, setup_context=keep)
    power.register_fake(lambda x, power: m.empty_like(x))
    y = power(x, power=3.0)
    y.sum().backward()
    there = m.ops.corners.power(x, 1.0)
    return repr(power), type(y.grad_fn).__name__, refused, y.detach(), x.grad, there.detach(), power(m.ones(2), 2.0)


@story
def operators_are_known_by_name(m: Any) -> Any:
    m.library.custom_op("corners::half", lambda x: x / 2, mutates_args=(), schema="(Tensor x) -> Tensor")
    m.library.register_autograd("corners::half", lambda ctx, g: g / 2)
    m.library.register_fake("corners::half")(lambda x: x)
    x = leaf(m)
    m.ops.corners.half(x).sum().backward()
    return x.grad, error(lambda: m.ops.corners.third), hasattr(m.ops, "corners")


# --- what only those know who have read PyTorch's own tests -----------------------------------------------------------


@story
def a_gradient_may_be_of_another_dtype(m: Any) -> Any:
    wide = function(m, forward=lambda ctx, a: a * 2, backward=lambda ctx, g: g.double())
    found: list[Any] = [leaf(m).grad_dtype]
    for wanted in (m.float16, None, m.float64):
        x = leaf(m)
        _ = x * 1  # whose node knows the dtype, too
        x.grad_dtype = wanted
        wide.apply(x).sum().backward()
        found += [x.grad_dtype, x.grad, error(lambda x=x: setattr(x, "grad_dtype", m.bfloat16))]
        wide.apply(x).sum().backward()
        found.append(x.grad)
    x = leaf(m)
    x.grad_dtype = m.float16
    y = x * 2
    refused = [error(lambda: setattr(x, "grad", m.ones(3))), error(lambda: y.grad_dtype)]
    x.grad_dtype = None
    x.grad = m.ones(3, dtype=m.float64)
    low = leaf(m).detach().bfloat16().requires_grad_()
    low.grad_dtype = None
    (low * 2).sum().backward()
    low.grad = low.grad.float()
    (low * 3).sum().backward()
    return [*found, *refused, x.grad, low.grad, error(lambda: setattr(x, "grad_dtype", 3))]


@story
def most_of_a_tensor_is_read_only(m: Any) -> Any:
    names = "shape dtype device layout name is_cuda is_xla is_leaf grad_fn _version _base T mH ndim itemsize _grad_fn"
    x = leaf(m)
    found = [(error(lambda n=n: setattr(x, n, 1)), error(lambda n=n: delattr(x, n))) for n in names.split()]
    y = m.ones(2)
    y.real = m.zeros(2)
    kind = type("Named", (m.Tensor,), {"name": "mine", "is_cuda": True})
    own = m.ones(2).as_subclass(kind)
    own.name = "other"
    return [found, y, error(lambda: setattr(x, "imag", 1)), own.name, kind.name, own.is_cuda]


@story
def the_order_of_a_pass_is_known_beforehand(m: Any) -> Any:
    told: list[Any] = []
    alone = m.autograd.set_multithreading_enabled

    def order(_: Any) -> None:
        told.append([node.name() for node in m._C._current_graph_task_execution_order()])

    a, b = leaf(m), leaf(m)
    y = (b.sin() * a.cos()).sum()
    y.register_hook(order)
    with alone(False):
        y.backward(retain_graph=True)
        m.autograd.grad(y, a, retain_graph=True)
    outside = error(lambda: m._C._current_graph_task_execution_order())
    z = a.exp().sum()
    z.register_hook(order)
    return [told, outside, error(z.backward)]


@story
def versions_are_set_by_hand(m: Any) -> Any:
    x = m.ones(2)
    x.add_(1)
    set_to = m._C._autograd._unsafe_set_version_counter
    set_to((x,), (7,))
    return [x._version, error(lambda: set_to((x,), (-1,)))]


@story
def a_saved_tensor_is_had_without_a_node(m: Any) -> Any:
    seen: list[str] = []
    x = leaf(m)
    with m.autograd.graph.saved_tensors_hooks(lambda t: seen.append("in") or t, lambda t: seen.append("out") or t):
        saved = m._C._autograd._make_saved_tensor(x, is_output=False)
        found = [saved.unpack(), saved.unpack()]
    y = m.ones(2, 2).requires_grad_()[:, m.tensor([1, 0])]
    kept = y.grad_fn._raw_saved_indices
    kept[1].register_hooks(lambda t: t, lambda t: t)
    with_none = error(lambda: kept[0].register_hooks(lambda t: t, lambda t: t))
    return [seen, found, m._C._autograd._make_saved_tensor(x, False).unpack() is x, len(kept), with_none]


@story
def hooks_that_are_set_inside_of_a_pass_end_with_it(m: Any) -> Any:
    told: list[str] = []
    hooks = m.autograd.graph.saved_tensors_hooks

    def unpack(kept: Any) -> Any:
        later.__enter__()
        told.append("out")
        return kept

    later = hooks(lambda t: told.append("later") or t, lambda t: t)
    x = leaf(m)
    with hooks(lambda t: t, unpack):
        y = x.exp()
    y.sum().backward()
    _ = x.exp()
    return [told, m._C._autograd._saved_tensors_hooks_is_enabled()]


@story
def what_was_saved_can_be_taken_once(m: Any) -> Any:
    told: list[Any] = []

    def backward(ctx: Any, g: Any) -> Any:
        told.append([len(ctx.saved_tensors), error(lambda: ctx.saved_tensors)])
        return g

    own = function(m, forward=lambda ctx, a: (ctx.save_for_backward(a), a * 1)[1], backward=backward)
    own.clear_saved_tensors_on_access = True
    y = own.apply(leaf(m))
    y.sum().backward()
    return [told, m.autograd.Function.clear_saved_tensors_on_access]


@story
def a_pure_view_may_be_written_to(m: Any) -> Any:
    told: list[Any] = []

    def forward(ctx: Any, a: Any, *others: Any) -> Any:
        ctx._is_pure_view = True
        return a[:2] if not others else (a[:2], others[0] * 1)

    own = function(m, forward=forward, backward=lambda ctx, *gs: told.append(1) or gs)
    x = leaf(m)
    y = own.apply(x * 1)
    y.mul_(3)
    y.sum().backward()
    return [x.grad, told, error(lambda: own.apply(x * 1, x))]


@story
def what_forward_made_is_no_dirty_view(m: Any) -> Any:
    def forward(ctx: Any, a: Any) -> Any:
        out = a.clone().view_as(a)
        ctx.mark_dirty(out)
        return out

    return error(lambda: function(m, forward=forward, backward=lambda ctx, g: g).apply(leaf(m) * 1))


@story
def a_class_of_tensors_outlives_a_function_that_returns_its_input(m: Any) -> Any:
    kind = type("Kind", (m.Tensor,), {})
    same = function(m, forward=lambda ctx, a: a, backward=lambda ctx, g: g)
    x = m.ones(2).as_subclass(kind)
    y, z = same.apply(x), same.apply(x.clone().requires_grad_())
    return [type(y).__name__, y is x, type(z).__name__, z.grad_fn.name(), z._is_view()]


@story
def nodes_are_nodes_in_name_only(m: Any) -> Any:
    node, names = m.autograd.graph.Node, m._C._functions
    own = type(function(m, forward=lambda ctx, a: a * 1, backward=lambda ctx, g: g).apply(leaf(m)).grad_fn)
    kinds = [own, type((leaf(m) * 1).grad_fn), names.AccumulateGrad, names.DelayedError, node, int]
    return [[issubclass(kind, node) for kind in kinds], [node in kind.mro() for kind in kinds], isinstance(node, node)]


@story
def batches_that_do_not_fit_are_told_as_they_are_there(m: Any) -> Any:
    x = leaf(m)
    batched = m.autograd.grad
    return [
        error(lambda: batched(x * 2, x, m.ones(2, 2), is_grads_batched=True)),
        error(lambda: batched(x.sum(), x, m.ones(2, 1), is_grads_batched=True)),
    ]
