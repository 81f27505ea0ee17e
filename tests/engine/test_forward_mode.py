"""Forward mode: the tangent of each op is that of real PyTorch, or refused by name; and what it costs."""

from __future__ import annotations

import gc
import math
import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autograd_lab
import autograd_lab.autograd.forward_ad
from autograd_lab.engine.exact import levels as forward
from tests.engine.test_ops import EXPRESSIONS, inputs
from tests.nn.programs import ALIKE, OTHER_SECOND_GRAPH
from tests.nn.test_nn_ops import WORLDS, Leaves
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")

REFUSED = ("m.cholesky(",)
"""Ops without a rule, by what their expressions contain."""
OTHER = {
    "m.fmax(x,y)": "of equal operands PyTorch takes the second one's tangent, and gives the gradient to the first",
    "(x*1).logical_not_()": "PyTorch leaves the tangent of what was overwritten",
    "x.scatter_reduce(1,k.long()*0,y,'prod')": "PyTorch refuses products",
    "x.index_reduce(0,i,y,'prod')": "PyTorch refuses it",
    "(x*1).index_reduce_(1,i,y[:, :2],'amax')": "PyTorch refuses it",
    "m.cholesky_inverse(sq,True)": "PyTorch's differs from differences of values",
    "F.rrelu(r(3, 4) * 1, 0.2, 0.2, True, True)": "PyTorch refuses it in place",
}


def tangent_of(m: Any, make: Callable[[], Any]) -> Any:
    """The tangent of what is made inside a level, None if there is none, or what is raised."""
    try:
        tangent = m.autograd.forward_ad.unpack_dual(make()).tangent
    except (NotImplementedError, RuntimeError) as error:
        return type(error).__name__
    return None if tangent is None else np.asarray(tangent.detach().double().tolist())


def of_op(m: Any, expression: str) -> Any:
    names = inputs(m)
    with m.autograd.forward_ad.dual_level():
        for number, name in enumerate(("x", "y", "sq", "u", "w"), 3):
            primal = names[name].detach()
            along = (np.arange(primal.numel()) * number % 7 / 7 - 0.4).reshape(tuple(primal.shape))
            names[name] = m.autograd.forward_ad.make_dual(primal, m.tensor(along.tolist()))
        return tangent_of(m, lambda: eval(expression, names))


def of_layer(m: Any, f: Any, expression: str) -> Any:
    class Duals(Leaves):
        def r(self, *shape: int) -> Any:
            return m.autograd.forward_ad.make_dual(self.t(*shape), self.t(*shape))

        def q(self, *shape: int) -> Any:
            return m.autograd.forward_ad.make_dual(self.p(*shape), self.t(*shape))

    with m.autograd.forward_ad.dual_level():
        return tangent_of(m, lambda: Duals(m, "float64").evaluated(expression, f))


def assert_same(ours: Any, theirs: Any, tolerance: float) -> None:
    if not isinstance(theirs, np.ndarray):
        assert ours is theirs or ours == theirs
    else:
        np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=tolerance / 50)


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.filterwarnings("ignore")
def test_an_op_has_pytorchs_tangent_or_is_refused(expression: str) -> None:
    ours = of_op(autograd_lab, expression)
    if any(name in expression for name in REFUSED):
        assert ours == "NotImplementedError"
    elif expression in OTHER:
        with pytest.raises((AssertionError, ValueError)):
            assert_same(ours, of_op(torch, expression), 2e-3)
    else:
        assert_same(ours, of_op(torch, expression), 2e-3)


@pytest.mark.parametrize("expression", [*ALIKE, *OTHER_SECOND_GRAPH])
@pytest.mark.filterwarnings("ignore")
def test_a_layer_has_pytorchs_tangent(expression: str) -> None:
    ours, theirs = (of_layer(*world, expression) for world in WORLDS)
    if expression in OTHER:
        assert isinstance(ours, np.ndarray) and theirs == "NotImplementedError"
    else:
        assert_same(ours, theirs, 1e-6)


def test_what_has_no_rule_is_refused_by_its_name_in_pytorchs_words() -> None:
    x = autograd_lab.tensor([1.0, 2.0])
    with pytest.raises(NotImplementedError, match=re.escape("Trying to use forward AD with cholesky that does not")):
        autograd_lab.func.jvp(lambda x: autograd_lab.cholesky(x.diag()), (x,), (x,))
    assert forward.level == 0


FACTORS = """
[one.abs() for one in L.qr(a)]
[one.abs() for one in L.qr(a, "complete")]
L.qr(a, "r")
[one.abs() for one in L.svd(a, False)]
[one.abs() for one in L.svd(a)][1:2]
L.svdvals(a)
L.eigvalsh(a @ a.mT)
L.eigh(a.mT @ a + m.arange(a.shape[-1]).diag())[1].square()
L.matrix_norm(a, "nuc")
L.matrix_norm(a, 2)
L.pinv(a)
L.lu(a)[1:]
L.matrix_exp(a.mT @ a / 9)
L.lu_solve(*L.lu_factor(a.mT @ a + m.eye(a.shape[-1])), a.mT)
L.householder_product(a, a[..., 0, :] / 3)
"""


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 2)])
@pytest.mark.parametrize("expression", FACTORS.strip().splitlines())
def test_factors_of_matrices_have_pytorchs_tangents(expression: str, shape: tuple[int, ...]) -> None:
    def told(m: Any) -> Any:
        one, other = (m.sin(m.arange(24.0).double()[: math.prod(shape)].view(shape) ** 2 + at) for at in (0, 1))
        try:
            found = m.func.jvp(lambda a: eval(expression, {"m": m, "L": m.linalg, "a": a}), (one,), (other,))[1]
        except RuntimeError as error:
            return str(error).partition("\n")[0]
        return [one.tolist() for one in (found if isinstance(found, (tuple, list)) else [found])]

    ours, theirs = told(autograd_lab), told(torch)
    if isinstance(theirs, str):
        assert ours == theirs
    else:
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other, 1e-7, 1e-9)


@pytest.mark.parametrize(
    "expression",
    [
        "L.svdvals(a).sin().sum()",
        "(L.svd(a)[0] ** 2 * L.svd(a)[2] ** 2).sin().sum()",
        "L.eigvalsh(a @ a.T).log().sum()",
        "(L.eigh(a @ a.T)[1] ** 2).sin().sum()",
        "L.lu(a)[1].sin().sum() + L.lu(a)[2].cos().sum()",
        "L.qr(a)[0].square().sin().sum() + L.qr(a)[1].cos().sum()",
        "L.cond(a)",
    ],
)
def test_each_result_that_is_saved_has_its_tangent_in_forward_over_reverse(expression: str) -> None:
    def told(m: Any, of: Any) -> Any:
        a = m.sin(m.arange(9.0).double().view(3, 3) ** 2)
        return of(m)(lambda a: eval(expression, {"m": m, "L": m.linalg, "a": a}))(a).tolist()

    ours = told(autograd_lab, lambda m: m.func.hessian)
    np.testing.assert_allclose(ours, told(torch, lambda m: m.func.hessian), 1e-6, 1e-8)
    np.testing.assert_allclose(
        ours, told(autograd_lab, lambda m: lambda f: m.func.jacrev(m.func.jacrev(f))), 1e-6, 1e-8
    )


# --- dual numbers ----------------------------------------------------------------------------------------------------

duals = Stories()


def _dual(m: Any, **options: Any) -> tuple[Any, Any, Any]:
    x, t = m.tensor([1.0, 2.0], **options), m.tensor([1.0, 0.5])
    return m.autograd.forward_ad.make_dual(x, t), x, t


def _two(m: Any, tensor: Any) -> list[Any]:
    """Primal and tangent; PyTorch's primals may have nodes of C++ that have no name."""
    found = m.autograd.forward_ad.unpack_dual(tensor)
    return [found.primal.detach(), found.tangent]


@duals
def a_dual_is_a_view_and_prints_its_tangent(m: Any) -> Any:
    dual, x, _ = _dual(m)
    return dual, dual * 2, repr(dual.sum()), x, dual._is_view(), _two(m, dual), _two(m, x)


@duals
def views_of_a_dual_show_its_tangent(m: Any) -> Any:
    dual, _, _ = _dual(m)
    return [_two(m, one) for one in (dual[0], dual.view(2, 1), dual.expand(2, 2), dual[None].t(), *dual.split(1))]


@duals
def detach_and_integers_have_none(m: Any) -> Any:
    dual, _, _ = _dual(m)
    return [_two(m, one) for one in (dual.detach(), dual.long(), dual > 1, dual.argmax(), dual.round())]


@duals
def a_write_moves_the_tangent_with_the_value(m: Any) -> Any:
    dual, x, t = _dual(m)
    dual.mul_(3).add_(1).sin_()
    return _two(m, dual), x, t, _two(m, x)


@duals
def a_write_of_a_dual_reaches_views_and_bases(m: Any) -> Any:
    dual, _, _ = _dual(m)
    base, other = m.zeros(3), m.zeros(2)
    part, seen = base[1:], other.view(2, 1)
    part.copy_(dual)
    other.add_(dual)
    return [_two(m, one) for one in (base, part, other, seen)]


@duals
def a_write_to_a_part(m: Any) -> Any:
    dual, _, _ = _dual(m)
    y = dual * 1
    y[0] = 5.0
    z = dual * 1
    z[1:] *= dual[:1]
    return _two(m, y), _two(m, z)


@duals
def shapes_changed_in_place(m: Any) -> Any:
    dual, _, _ = _dual(m)
    return _two(m, (dual * 1).unsqueeze_(0)), _two(m, m.stack([dual, dual * 2]).t_())


@duals
def results_of_several_dtypes(m: Any) -> Any:
    dual, _, _ = _dual(m)
    return _two(m, dual.double()), _two(m, dual.half()), _two(m, dual + m.ones(2).double())


@duals
def gradients_have_tangents_too(m: Any) -> Any:
    x = m.tensor([1.0, 2.0], requires_grad=True)
    dual = m.autograd.forward_ad.make_dual(x, m.tensor([1.0, 0.5]))
    (recorded,) = m.autograd.grad((dual**3).exp().sum(), x, create_graph=True)
    (plain,) = m.autograd.grad((dual**3).sum(), x)
    (dual**3).sum().backward()
    told = [_two(m, one) for one in (plain, x.grad)]
    return told, _two(m, recorded)[1].requires_grad, plain.requires_grad, (dual * dual).sum()


@duals
def recording_off_leaves_tangents_on(m: Any) -> Any:
    dual, _, _ = _dual(m)
    with m.no_grad():
        return _two(m, dual * dual)


@duals
def a_tangent_can_be_differentiated(m: Any) -> Any:
    x, t = m.tensor(2.0, requires_grad=True), m.tensor(3.0, requires_grad=True)
    tangent = m.autograd.forward_ad.unpack_dual(m.autograd.forward_ad.make_dual(x, t) ** 3).tangent
    return m.autograd.grad(tangent, (x, t))


@duals
def tangents_that_do_not_fit(m: Any) -> Any:
    dual, x, t = _dual(m)
    make = m.autograd.forward_ad.make_dual
    wrong = [(x, m.ones(3)), (m.tensor([1]), t), (x, m.tensor([1, 2])), (dual, t)]
    return [said(m, lambda m, pair=pair: make(*pair)) for pair in wrong]


@duals
def levels_do_not_nest(m: Any) -> Any:
    return said(m, lambda m: m.autograd.forward_ad.enter_dual_level())


@pytest.mark.parametrize("tell", duals, ids=lambda tell: tell.__name__)
def test_dual_numbers_are_those_of_pytorch(tell: Any) -> None:
    def inside(m: Any) -> Any:
        with m.autograd.forward_ad.dual_level():
            return tell(m)

    assert said(autograd_lab, inside) == said(torch, inside)


def without_a_level(m: Any) -> Any:
    ad = m.autograd.forward_ad
    with ad.dual_level():
        kept = ad.make_dual(m.ones(2), m.ones(2)) * 2
    tries = [lambda m: ad.make_dual(m.ones(2), m.ones(2)), lambda m: ad.exit_dual_level()]
    level = ad.enter_dual_level()
    ad.exit_dual_level(level=level)

    @ad.dual_level()
    def decorated() -> Any:
        return ad.unpack_dual(ad.make_dual(m.ones(2), m.ones(2))).tangent

    return kept, ad.unpack_dual(kept).tangent, [said(m, one) for one in tries], level, decorated()


def test_tangents_end_with_their_level_as_in_pytorch() -> None:
    assert said(autograd_lab, without_a_level) == said(torch, without_a_level)
    assert forward.level == 0


# --- custom functions ------------------------------------------------------------------------------------------------


def _function(m: Any, **methods: Any) -> Any:
    def forward(ctx: Any, x: Any, k: Any, y: Any) -> Any:
        ctx.save_for_forward(x, y)
        ctx.k = k
        return x * y * k, x + 1

    found = {"forward": forward, "backward": lambda ctx, g, h: (g, None, g), **methods}
    return type("Scaled", (m.autograd.Function,), {name: staticmethod(one) for name, one in found.items()})


def _jvp(ctx: Any, dx: Any, dk: Any, dy: Any) -> Any:
    x, y = ctx.saved_tensors
    return (dx * y + x * dy) * ctx.k, dx if dk is None else dk


customs = {
    "with_a_jvp": {"jvp": _jvp},
    "without_one": {},
    "that_returns_too_many": {"jvp": lambda ctx, dx, dk, dy: (dx, dx, dx)},
    "that_returns_another_size": {"jvp": lambda ctx, dx, dk, dy: (dx[:1], dx)},
}


@pytest.mark.parametrize("name", customs)
def test_a_custom_function_is_that_of_pytorch(name: str) -> None:
    def tell(m: Any) -> Any:
        with m.autograd.forward_ad.dual_level():
            dual, x, _ = _dual(m)
            function = _function(m, **customs[name])
            return [_two(m, one) for one in function.apply(dual, 3.0, x)], function.apply(x, 3.0, x)

    assert said(autograd_lab, tell) == said(torch, tell)


# --- functions of functions ------------------------------------------------------------------------------------------

functions = Stories()


def _point(m: Any) -> tuple[Any, Any]:
    return m.tensor([1.0, 2.0]), m.tensor([1.0, 0.5])


@functions
def products_forward(m: Any) -> Any:
    (x, t), jvp = _point(m), m.func.jvp
    one = jvp(lambda x: x * x, (x,), (t,))
    several = jvp(lambda x, y: {"a": x * y, "b": (x,)}, (x, x), (t, t))
    return one, several, jvp(lambda d: d["a"] * d["b"], ({"a": x, "b": x},), ({"a": t, "b": t},))


@functions
def products_forward_of_constants_and_more(m: Any) -> Any:
    (x, t), jvp = _point(m), m.func.jvp
    constant = jvp(lambda x: t, (x,), (t,)), jvp(lambda x: x.detach(), (x,), (t,))
    return constant, jvp(lambda x: (x * x, x), (x,), (t,), has_aux=True)


@functions
def products_in_reverse(m: Any) -> Any:
    (x, t), vjp = _point(m), m.func.vjp
    several = vjp(lambda x: (x * x, x), x)[1]((t, t))
    out, back, aux = vjp(lambda x: (x * x, x), x, has_aux=True)
    told = [back(t), back(t), out, aux]
    return vjp(lambda x, y: x * y, x, t)[1](t), several, vjp(lambda x: t, x)[1](t), told


@functions
def matrices(m: Any) -> Any:
    (x, t), func = _point(m), m.func
    told = []
    for ask in (func.jacfwd, func.jacrev):
        told += [ask(lambda x: x * x)(x), ask(lambda x: (x * x, x.sum()))(x), ask(lambda x: t)(x)]
        told += [ask(lambda x, y: x * y, argnums=(0, 1))(x, t), ask(lambda x, y: x * y, argnums=1)(x, t)]
        told += [ask(lambda x: {"a": x.exp()})(x), ask(lambda x: (x * x, x), has_aux=True)(x)]
        told.append(ask(lambda x: m.outer(x, x))(x))
    return told


@functions
def second_derivatives(m: Any) -> Any:
    (x, t), f = _point(m), m.func
    cubes = [
        f.hessian,
        lambda g: f.jacfwd(f.jacfwd(g)),
        lambda g: f.jacrev(f.jacrev(g)),
        lambda g: f.jacrev(f.jacfwd(g)),
    ]
    along = f.jvp(f.grad(lambda x: (x**3).exp().sum()), (x,), (t,))
    return [ask(lambda x: (x**3).sum())(x) for ask in cubes], along, f.grad(f.grad(lambda x: x**3))(x[0])


@functions
def third_derivatives(m: Any) -> Any:
    f, x = m.func, m.tensor(2.0)

    def slope(of: Any, at: Any) -> Any:
        return f.jvp(of, (at,), (at * 0 + 1,))[1]

    inner = slope(lambda x: slope(lambda y: slope(lambda z: z**4, y), x), x)
    return f.jacfwd(f.jacfwd(f.jacfwd(lambda x: x**4)))(x), f.grad(f.grad(f.grad(lambda x: x**4)))(x), inner


@functions
def levels_are_not_mixed_up(m: Any) -> Any:
    one = m.tensor(1.0)
    d = lambda f, x: m.func.jvp(f, (x,), (one,))[1]  # noqa: E731 - as in the papers on perturbation confusion
    return d(lambda x: x * d(lambda y: x + y, one), one), m.func.grad(lambda x: x * d(lambda y: x * y, one))(one)


@functions
def gradients(m: Any) -> Any:
    (x, t), f = _point(m), m.func
    pair = f.grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, t)
    return pair, f.grad_and_value(lambda x: (x**3).sum())(x), f.grad(lambda x: ((x**3).sum(), x), has_aux=True)(x)[0]


@functions
def of_what_requires_grad_outside(m: Any) -> Any:
    x = m.tensor([1.0, 2.0], requires_grad=True)
    m.func.jvp(lambda x: x**3, (x,), (x.detach(),))[1].sum().backward()
    first = x.grad.clone()
    m.func.grad(lambda x: (x**3).sum())(x).sum().backward()
    return first, x.grad


@functions
def misuse(m: Any) -> Any:
    (x, t), f = _point(m), m.func
    tries = [
        lambda m: f.jvp(lambda x: x * x, x, t),
        lambda m: f.jvp(lambda x: 3, (x,), (t,)),
        lambda m: f.jvp(lambda x: x, (3,), (t,)),
        lambda m: f.jvp(lambda x: x, (x,), (m.ones(3),)),
        lambda m: f.jacfwd(lambda x: x, argnums=3)(x),
        lambda m: f.grad(lambda x: x**3)(x),
        lambda m: f.vjp(lambda x: 3, x),
    ]
    return [said(m, one) for one in tries]


@pytest.mark.parametrize("tell", functions, ids=lambda tell: tell.__name__)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_functions_of_functions_are_those_of_pytorch(tell: Any) -> None:
    (ours, _), (theirs, _) = said(autograd_lab, tell), said(torch, tell)
    assert ours == theirs
    assert forward.level == 0


ATOMS: dict[str, Callable[[Any], Any]] = {
    "sin": lambda x: x.sin(),
    "square": lambda x: x * x,
    "softmax": lambda x: x.softmax(0),
    "centred": lambda x: x - x.mean(),
    "running": lambda x: x.cumsum(0),
    "mirrored": lambda x: x.flip(0) * 2,
    "outer": lambda x: m_outer(x),
    "sorted": lambda x: x.sort()[0],
    "norm": lambda x: x / (x.norm() + 1),
}


def m_outer(x: Any) -> Any:
    return autograd_lab.outer(x, x).sum(1)


@given(st.lists(st.sampled_from(sorted(ATOMS)), min_size=1, max_size=5), st.integers(0, 2**32 - 1))
def test_forward_and_reverse_are_transposes_of_each_other(names: list[str], seed: int) -> None:
    """u · (J v) = (Jᵀ u) · v for any composition, and any u and v."""
    random = np.random.default_rng(seed)
    x, u, v = (autograd_lab.tensor(random.uniform(-1, 1, 4).tolist(), dtype=autograd_lab.float64) for _ in range(3))

    def composed(x: Any) -> Any:
        for name in names:
            x = ATOMS[name](x)
        return x

    pushed = autograd_lab.func.jvp(composed, (x,), (v,))[1]
    (pulled,) = autograd_lab.func.vjp(composed, x)[1](u)
    assert float((u * pushed).sum()) == pytest.approx(float((pulled * v).sum()), rel=1e-9, abs=1e-12)


# --- what it costs ---------------------------------------------------------------------------------------------------


def test_a_jacobian_takes_a_pass_for_each_input_forward_and_for_each_output_in_reverse() -> None:
    calls = []
    weights = autograd_lab.ones(5, 3)

    def counted(x: Any) -> Any:
        calls.append(len(calls))
        return (weights @ x).sin()

    nodes: list[str] = []
    with autograd_lab.record() as trace:
        autograd_lab.func.jacrev(counted)(autograd_lab.ones(3))
    nodes += [event.kind for event in trace if event.kind == "backward_started"]
    assert (len(calls), len(nodes)) == (1, 5)
    calls.clear()
    with autograd_lab.record() as trace:
        autograd_lab.func.jacfwd(counted)(autograd_lab.ones(3))
    assert len(calls) == 3
    assert "backward_started" not in {event.kind for event in trace}


def peak(depth: int) -> int:
    """The most bytes that a chain of so many ops holds at once in forward mode."""

    def chain(x: Any) -> Any:
        for _ in range(depth):
            x = x.sin()
        return x

    x = autograd_lab.ones(10_000)
    gc.collect()
    tracemalloc.start()
    autograd_lab.func.jvp(chain, (x,), (x,))
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def test_forward_mode_keeps_nothing_on_its_way() -> None:
    assert peak(200) < 1.5 * peak(10)


FACTORS = """
d(c(3)) * b(3)
b(3) * d(c(3))
d(c(3)) * 2
d(c(3)) / b(3)
d(c(3)) + b(3)
d(c(3)) - c(3)
b(2, 3) @ d(c(3, 2))
d(c(2, 3)) @ d(c(3, 2))
m.dot(b(3), d(c(3)))
m.addmm(d(c(2)), b(3, 2), d(c(2, 2)))
m.addmm(d(c(2)), b(3, 2), b(2, 2))
m.lerp(b(3), d(c(3)), b(3))
m.where(b(3) > 0, d(c(3)), b(3))
m.nn.functional.linear(b(2, 3), d(c(4, 3)), d(c(4)))
m.nn.functional.linear(b(2, 3), c(4, 3), d(c(4)))
m.nn.functional.conv1d(b(1, 2, 4), d(c(3, 2, 2)), d(c(3)))
m.nn.functional.layer_norm(b(2, 3), (3,), d(c(3)), d(c(3)))
m.nn.functional.embedding(m.tensor([0, 1]), d(c(3, 2)))
"""


@pytest.mark.parametrize("text", FACTORS.strip().splitlines())
def test_a_tangent_needs_a_gradient_where_what_is_multiplied_does_if_only_by_zeros(text: str) -> None:
    def story(m: Any) -> Any:
        fw, made = m.autograd.forward_ad, []

        def c(*shape: int) -> Any:
            made.append(m.ones(shape, requires_grad=True))
            return made[-1]

        with fw.dual_level():
            told = {"m": m, "c": c, "b": m.ones, "d": lambda x: fw.make_dual(x, m.ones(x.shape))}
            tangent = fw.unpack_dual(eval(text, told)).tangent
        if not tangent.requires_grad:
            return tangent
        tangent.sum().backward()
        return tangent.tolist(), [one.grad for one in made]

    assert said(autograd_lab, story) == said(torch, story)


def test_the_zeros_of_a_missing_tangent_are_zeros_beside_infinity_too() -> None:
    def story(m: Any) -> Any:
        fw, x = m.autograd.forward_ad, m.full((2,), float("inf"), requires_grad=True)
        with fw.dual_level():
            tangent = fw.unpack_dual(fw.make_dual(x, m.ones(2)) * m.ones(2)).tangent
        tangent.sum().backward()
        return tangent.tolist(), x.grad

    assert said(autograd_lab, story) == said(torch, story)


OFF = """
F.jvp(m.sin, (x,), (t,))
F.jvp(shifted, (x,), (t,))
F.jvp(lambda x: F.jvp(shifted, (x,), (t,))[1], (x,), (t,))
"""


@pytest.mark.parametrize("text", OFF.strip().splitlines())
@pytest.mark.parametrize("mode", [True, False])
def test_tangents_can_be_switched_off_inside(text: str, mode: bool) -> None:
    def story(m: Any) -> Any:
        off = m.autograd.forward_ad._set_fwd_grad_enabled

        def shifted(x: Any) -> Any:
            with off(False):
                shift = x**2
            return x**2 - shift

        names = {"m": m, "F": m.func, "x": m.tensor([0.5, 1.0]), "t": m.ones(2), "shifted": shifted}
        with off(mode):
            found = eval(text, names)
        return found, m.autograd.forward_ad._is_fwd_grad_enabled()

    assert said(autograd_lab, story)[0] == said(torch, story)[0]  # PyTorch warns of its own making


@pytest.mark.parametrize("primal", ["m.ones(4)", "m.ones(5)[:4]", "m.ones(5)[1:]"])
@pytest.mark.parametrize("tangent", ["m.ones(4)", "m.ones(5)[:4]", "m.ones(5)[1:]"])
def test_a_tangent_shares_memory_with_what_was_given_only_if_it_lies_there_as_the_tensor_does(
    primal: str, tangent: str
) -> None:
    def story(m: Any) -> Any:
        x, t = eval(primal), eval(tangent)
        with m.autograd.forward_ad.dual_level():
            dual = m.autograd.forward_ad.make_dual(x, t)
            m.autograd.forward_ad.unpack_dual(dual).tangent.mul_(2)
        return t

    assert said(autograd_lab, story)[0] == said(torch, story)[0]  # PyTorch warns of its own making


TRANSPOSED = (
    "x.cumprod(1)", "(x * m.tensor([0.0, 1.0])).cumprod(1)", "x.logcumsumexp(0)",
    "x.renorm(2, 0, 1.0)", "m.zeros(2, 2).scatter_reduce(0, m.tensor([[0, 0], [1, 0]]), x, 'mean')",
    "m.linalg.lu_factor(x)[0]", "m.linalg.cholesky(x @ x.T + m.eye(2))",
    "m.linalg.cholesky(x @ x.T + m.eye(2), upper=True)", "m.linalg.cholesky(x + 3 * m.eye(2))",
    "m.cholesky_solve(m.ones(2, 1), m.linalg.cholesky(x @ x.T + m.eye(2)))",
    "m.linalg.solve_triangular(x, m.ones(2, 1), upper=True)",
)  # fmt: skip


@pytest.mark.parametrize("text", TRANSPOSED)
@pytest.mark.parametrize("asked", ["F.jvp(f, (x,), (t,))", "F.hessian(g)(x)", "F.jacfwd(F.jacfwd(g))(x)"])
def test_tangents_by_a_transposed_formula_are_pytorchs_also_of_other_tangents_and_of_gradients(
    text: str, asked: str
) -> None:
    def story(m: Any) -> Any:
        names: dict[str, Any] = {"m": m, "F": m.func, "x": m.tensor([[0.5, 1.5], [2.0, -1.0]], dtype=m.float64)}
        names |= {"t": m.tensor([[1.0, 0.3], [-0.2, 0.7]], dtype=m.float64)}
        before = m.get_default_dtype()
        m.set_default_dtype(m.float64)
        try:
            names["f"] = lambda x: eval(text, names | {"x": x})
            names["g"] = lambda x: names["f"](x).sin().sum()
            found = eval(asked, names)
        finally:
            m.set_default_dtype(before)
        return [one.tolist() for one in (found if isinstance(found, tuple) else (found,))]

    np.testing.assert_allclose(
        np.concatenate([np.ravel(one) for one in story(autograd_lab)]),
        np.concatenate([np.ravel(one) for one in story(torch)]),
        rtol=1e-6,
        atol=1e-9,
    )
