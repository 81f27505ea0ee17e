"""Derivatives of functions: by trees of arguments, where nothing is recorded, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.programs import error
from tests.worlds import Stories, said

torch = pytest.importorskip("torch")
story = Stories()


@pytest.mark.parametrize("tell", story, ids=lambda tell: tell.__name__)
def test_both_worlds_tell_the_same_story(tell: Any) -> None:
    assert said(autograd_lab, tell)[0] == said(torch, tell)[0]


def tree(m: Any) -> Any:
    return {"a": m.tensor([1.0, 2.0]), "b": [m.tensor(3.0), (m.tensor([[4.0]]),)]}


def of_a_tree(x: Any) -> Any:
    return {"sum": x["a"] * x["b"][0], "product": [(x["a"] ** 2).sum() * x["b"][1][0]]}


@story
def arguments_of_jacobians_are_trees(m: Any) -> Any:
    f = m.func
    return [f.jacrev(of_a_tree)(tree(m)), f.jacfwd(of_a_tree)(tree(m))]


@story
def several_arguments_give_tuples(m: Any) -> Any:
    x, y = m.tensor([1.0, 2.0]), m.tensor([3.0])

    def both(a: Any, c: Any, b: Any) -> Any:
        return a * b, {"c": (a.sum() * b * b, a[:1])}

    return [
        [of(both, argnums)(x, 1, y) for argnums in ((0, 2), (2, 0), (2,), 0, 2)]
        for of in (m.func.jacrev, m.func.jacfwd)
    ]


@story
def second_derivatives_by_several_arguments_are_tuples_of_tuples(m: Any) -> Any:
    x, y = m.tensor([1.0, 2.0]), m.tensor([3.0])
    return m.func.hessian(lambda a, b: (a * a * b).sum(), argnums=(0, 1))(x, y)


@story
def rows_may_come_in_pieces(m: Any) -> Any:
    x = m.tensor([1.0, 2.0, 3.0])
    found = [m.func.jacrev(m.sin, chunk_size=size)(x) for size in (1, 2, 10)]
    return found, error(lambda: m.func.jacrev(m.sin, chunk_size=0))


@story
def where_nothing_is_recorded_results_have_no_history(m: Any) -> Any:
    x = m.tensor(2.0, requires_grad=True)
    with m.no_grad():
        plain = m.func.grad(m.sin)(x)
        both = m.func.grad_and_value(m.sin)(x)
        out, back = m.func.vjp(m.sin, x)
        [inside] = back(m.tensor(1.0))
    [outside] = back(m.tensor(1.0))
    made = (plain, *both, out, inside, outside)
    return [(float(one), one.requires_grad) for one in made], m.autograd.grad(outside, x)


@story
def a_value_without_history_is_a_constant(m: Any) -> Any:
    def h(x: Any) -> Any:
        with m.no_grad():
            _, value = m.func.grad_and_value(lambda x: x**3)(x)
        return x**3 - value

    x = m.tensor(1.5, requires_grad=True)
    y = m.func.grad(h)(x)
    return y.detach(), m.autograd.grad(y, x)


@story
def arguments_are_chosen_by_numbers(m: Any) -> Any:
    x = m.tensor([1.0])
    told = []
    for of in (m.func.grad, m.func.jacrev, m.func.jacfwd):
        for argnums in (1, -2, 0.0, (0.0,), (), (0, 0), (0, -1), [0]):
            told.append(error(lambda of=of, argnums=argnums: of(lambda a: a.sum(), argnums)(x)))
    return told


OUTPUTS: Any = (None, (), {}, "text", (1, 2), [None])


@story
def outputs_are_tensors(m: Any) -> Any:
    x, told = m.tensor([1.0]), []
    for output in OUTPUTS:
        told.append(error(lambda output=output: m.func.vjp(lambda a: output, x)))
        told.append(error(lambda output=output: m.func.jvp(lambda a: output, (x,), (x,))))
    return told


@story
def what_is_returned_besides_is_tensors_too(m: Any) -> Any:
    x, told = m.tensor([1.0]), []
    for returned in (x, (x,), (x, 1), (x, "text"), (x, [x, 2]), (x, {"a": x})):
        for of in ("grad", "jacrev", "jacfwd", "vjp", "jvp"):

            def f(a: Any, returned: Any = returned, scalar: bool = of == "grad") -> Any:
                if not isinstance(returned, tuple):
                    return a.sum()
                first = a.sum() if scalar else a * 2
                return (first, *returned[1:])

            def run(of: str = of, f: Any = f) -> Any:
                if of == "vjp":
                    return m.func.vjp(f, x, has_aux=True)[2]
                if of == "jvp":
                    return m.func.jvp(f, (x,), (x,), has_aux=True)[2]
                return getattr(m.func, of)(f, has_aux=True)(x)

            told.append((of, error(run)))
    return told


@story
def an_input_that_was_written_to_may_be_saved_and_returned(m: Any) -> Any:
    class Twice(m.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_dirty(inputs[0])
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2 + 0 * ctx.saved_tensors[0]

    x = m.ones(2, requires_grad=True)
    Twice.apply(x.clone()).sum().backward()
    return x.grad


REFUSED = """
f.jvp(lambda x: x, (), ())
f.jvp(lambda x, y: x, (x, x), (x,))
f.jvp(lambda x: x, ({"a": x, "b": [x, (x,)]},), ({"a": x, "b": [x]},))
f.linearize(lambda x: x, x)[1](x, x)
f.linearize(lambda x: x["a"], {"a": x})[1]([x])
f.vjp(lambda x: x, x)[1]((x,))
f.vjp(lambda x: (x, [x]), x)[1](x)
f.vmap(lambda x, y: x, in_dims=(0, [0]))(x, x)
f.vmap(lambda x: x, in_dims=({"a": 0},))([x, x])
f.vmap(lambda x: (x, x), out_dims=(0, (0, 0)))(x)
"""


@pytest.mark.parametrize("text", REFUSED.strip().splitlines())
def test_trees_of_two_forms_are_refused_in_the_words_of_pytorch(text: str) -> None:
    ours, theirs = (error(lambda m=m: eval(text, {"f": m.func, "x": m.ones(2)})) for m in (autograd_lab, torch))
    assert not ours.startswith("fine")
    assert ours == theirs


@story
def what_a_function_returns_as_it_came_is_not_saved_for_forward_either(m: Any) -> Any:
    class Same(m.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(x: Any) -> Any:
            return x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_forward(inputs[0])

    return [error(lambda x=x: Same.apply(x)) for x in (m.ones(2), m.ones(2, requires_grad=True))]


@pytest.mark.parametrize("m", [autograd_lab, torch])
@pytest.mark.parametrize("size", [(5, 7), (16, 16), (33, 31)])
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_an_example_has_the_digits_that_it_has_in_a_batch(m: Any, size: tuple[int, int], kind: str) -> None:
    """Of the examples of `vmap` PyTorch makes one product, of many rows; each of ours is added up as one of those."""
    w, x = m.randn(*size).to(getattr(m, kind)), m.randn(9, size[1]).to(getattr(m, kind))
    linear, b = m.nn.functional.linear, w[:, 0].clone()
    assert m.func.vmap(lambda row: linear(row, w, b))(x).equal(linear(x, w, b))
    assert m.func.vmap(lambda row: linear(row[None], w, b)[0])(x).equal(linear(x, w, b))
    if m is autograd_lab:
        assert m.func.vmap(lambda row: w @ row)(x).equal(x @ w.T)


@pytest.mark.parametrize("f", ["jacfwd", "jacrev", "hessian"])
def test_jacobians_lie_in_memory_as_in_pytorch(f: str) -> None:
    def strides(m: Any) -> list[Any]:
        x = m.arange(6.0).view(2, 3)
        of = getattr(m.func, f)
        return [of(lambda x: x.sin())(x).stride(), of(lambda x: x.exp().sum(1))(x).stride()]

    assert strides(autograd_lab) == strides(torch)


@pytest.mark.parametrize("f", ["sin", "exp", "square", "reciprocal"])
def test_zeros_of_second_derivatives_have_the_sign_that_they_have_in_pytorch(f: str) -> None:
    def signs(m: Any) -> Any:
        return m.func.hessian(lambda x: getattr(x, f)().sum())(m.tensor([0.3, -0.4, 0.5])).signbit().tolist()

    assert signs(autograd_lab) == signs(torch)


NO_DERIVATIVES = """
f.grad(lambda x: x.sum())(i)
f.grad(lambda x: x.sum())(3.0)
f.grad(lambda x: x["a"].sum())({"a": x, "b": i})
f.grad(lambda x, y: x.sum(), argnums=(0, 1))(x, 2)
f.grad_and_value(lambda x: x.sum())(i > 1)
f.vjp(m.sin, i)
f.vjp(lambda x, y: x, x, i)
f.jacrev(lambda x: x * 2)(i)
f.jacfwd(lambda x: x * 2)(i)
f.jacfwd(lambda x, y: x, argnums=1)(x, i)
f.hessian(lambda x: x.sum())(i)
f.jvp(lambda x: x, (i,), (i,))
f.jvp(lambda x: x, (x,), (i,))
f.jvp(lambda x: x, (i,), (x,))
f.jacfwd(m.sin, randomness="x")(x)
f.jacfwd(m.sin, randomness="same")(x)
"""


@pytest.mark.parametrize("text", NO_DERIVATIVES.strip().splitlines())
def test_what_cannot_be_differentiated_by_is_refused(text: str) -> None:
    def told(m: Any) -> Any:
        x = m.tensor([1.0, 2.0])
        return error(lambda: eval(text, {"f": m.func, "m": m, "x": x, "i": m.tensor([1, 2])}))

    assert told(autograd_lab) == told(torch)


def test_jacobians_come_out_of_the_nodes_that_they_come_out_of_in_pytorch() -> None:
    def nodes(m: Any) -> list[Any]:
        x = m.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
        found = [m.func.jacfwd(lambda a: a @ a)(x), m.func.jacrev(lambda a: a @ a)(x)]
        found += [m.func.hessian(lambda a: (a @ a).sum())(x), m.func.hessian(lambda a: a.exp())(x)]
        of_tensors = m.autograd.functional
        found += [of_tensors.jacobian(lambda a: a**2, x[0], vectorize=True, strategy="forward-mode")]
        found += [of_tensors.jacobian(lambda a: a @ a, x, create_graph=True)]
        return [one.grad_fn.name() for one in found]

    assert nodes(autograd_lab) == nodes(torch)
