"""Jacobians, Hessians, their products with vectors, and gradients checked by differences, as in real PyTorch."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograd_lab
import autograd_lab.autograd.functional
from tests.programs import error, leaf, own
from tests.worlds import said

torch = pytest.importorskip("torch")

FUNCTIONS = {
    "squares": lambda a: a * a,
    "cubes": lambda a: (a**3).sum(),
    "a_line": lambda a: (2 * a).sum(),
    "a_constant": lambda a: a.detach() * 0,
    "a_tuple": lambda a: (a * a, a.exp()),
    "a_tuple_of_one": lambda a: (a * a,),
    "two": lambda a, b: (a * b, a + b),
    "two_to_one": lambda a, b: (a * a * b).sum(),
    "one_of_two": lambda a, b: (a * a).sum(),
    "no_tensor": lambda a: 5,
}
OPTIONS = [{}, {"create_graph": True}, {"strict": True}, {"create_graph": True, "strict": True}]


def arguments(m: Any, function: str, needs: bool) -> Any:
    x = m.tensor([1.0, 2.0], requires_grad=needs)
    return (x, m.tensor([3.0, -1.0])) if function in ("two", "two_to_one", "one_of_two") else x


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "_".join(options) or "plain")
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", ["jacobian", "hessian"])
def test_matrices_of_derivatives_are_those_of_pytorch(name: str, function: str, options: Any) -> None:
    def tell(m: Any) -> Any:
        ask = getattr(m.autograd.functional, name)
        points = [arguments(m, function, needs) for needs in (False, True)]
        return [error(lambda point=point: ask(FUNCTIONS[function], point, **options)) for point in points]

    assert said(autograd_lab, tell) == said(torch, tell)


def listed(made: Any) -> Any:
    """Numbers in lists: PyTorch has lists where it has tuples in reverse mode, and may leave a history."""
    return (
        [listed(one) for one in made] if isinstance(made, tuple | list) else (np.round(made.tolist(), 5) + 0).tolist()
    )


@pytest.mark.parametrize("options", [{}, {"create_graph": True}, {"strict": True}, {"vectorize": True}], ids=str)
@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name not in ("a_constant", "no_tensor")])
@pytest.mark.parametrize("name", ["jacobian", "hessian"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_matrices_in_forward_mode_are_those_of_pytorch(name: str, function: str, options: Any) -> None:
    def tell(m: Any) -> Any:
        ask = getattr(m.autograd.functional, name)
        strategy = {"strategy" if name == "jacobian" else "outer_jacobian_strategy": "forward-mode"}
        return error(lambda: listed(ask(FUNCTIONS[function], arguments(m, function, False), **options, **strategy)))

    assert said(autograd_lab, tell)[0] == said(torch, tell)[0]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "_".join(options) or "plain")
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp"])
def test_products_with_vectors_are_those_of_pytorch(name: str, function: str, options: Any) -> None:
    def tell(m: Any) -> Any:
        ask = getattr(m.autograd.functional, name)
        one, wrong = m.tensor([0.5, 2.0]), m.ones(3)
        vectors = [None, m.tensor(2.0), one, (one, one), (one, wrong), wrong]
        given = arguments(m, function, True)
        return [error(lambda v=v: ask(FUNCTIONS[function], given, v, **options)) for v in vectors]

    assert said(autograd_lab, tell) == said(torch, tell)


def test_results_lead_back_to_the_callers_tensors_only_if_that_is_asked_for() -> None:
    def tell(m: Any) -> Any:
        x = leaf(m)
        jacobian = m.autograd.functional.jacobian(lambda a: a**3, x, create_graph=True)
        (second,) = m.autograd.grad(jacobian.sum(), x)
        with m.no_grad():
            quiet = m.autograd.functional.hessian(lambda a: (a**3).sum(), x, create_graph=True)
        return [second, quiet, m.autograd.functional.jacobian(lambda a: a * x, x)]

    assert said(autograd_lab, tell) == said(torch, tell)


def test_arguments_that_are_mistakes() -> None:
    def tell(m: Any) -> Any:
        tools, x = m.autograd.functional, leaf(m)
        square, total = lambda a: a * a, lambda a: (a * a).sum()
        return [
            error(lambda: tools.jacobian(square, 5)), error(lambda: tools.jacobian(square, (x, 5))),
            error(lambda: tools.jacobian(square, x, strategy="sideways")), tools.jacobian(square, x, vectorize=True),
            error(lambda: tools.jacobian(square, x, vectorize=True, strict=True)), tools.jacobian(total, x[0]),
            error(lambda: tools.hessian(total, [x])),
            error(lambda: tools.hessian(total, x, outer_jacobian_strategy="")),
        ]  # fmt: skip

    assert said(autograd_lab, tell) == said(torch, tell)


# --- gradients checked by differences ------------------------------------------------------------------------------


def doubtful(m: Any) -> dict[str, Any]:
    """Functions whose gradients are to be checked."""
    calls: list[int] = []

    def unsteady(ctx: Any, g: Any) -> Any:
        calls.append(1)
        return g * (1 + 1e-9 * len(calls))

    def off(ctx: Any, a: Any) -> Any:
        ctx.set_materialize_grads(False)
        return a * 1

    def cube(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        return a**3

    return {
        "right": lambda a: a * a,
        "right_twice": lambda a: (a.exp(), a.sin().sum()),
        "with_a_constant": lambda a: (a * a, a.detach()),
        "wrong": own(m, lambda ctx, a: a * 2, lambda ctx, g: g).apply,
        "without_the_gradient": own(m, lambda ctx, a: a * 1, lambda ctx, g: g + 1 * (g == 0).all()).apply,
        "unsteady": own(m, lambda ctx, a: a * 1, unsteady).apply,
        "not_for_none": own(m, off, lambda ctx, g: g * 1).apply,
        "raising": own(m, lambda ctx, a: a * 1, lambda ctx, g: 1 / 0).apply,
        "once": own(m, cube, lambda ctx, g: g * 3 * ctx.saved_tensors[0].detach() ** 2).apply,
        "detached": lambda a: a.detach() * 2,
        "booleans": lambda a: (a > 0).double(),
        "no_tensor": lambda a: 5,
        "kinked": lambda a: (a - 0.5).relu(),
        "singly": lambda a: a.float(),
        "writing": lambda a: a.add_(1),
    }


def checked(action: Any) -> Any:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = repr(action())
        except Exception as problem:
            found = f"{type(problem).__name__}: {str(problem).split('NOTE')[0].strip()}"
    mistake = "Error: a leaf Variable" in found  # here more lines follow
    return found.splitlines()[0] if mistake else found, [str(one.message)[:60] for one in caught]


@pytest.mark.parametrize("function", sorted(doubtful(autograd_lab)))
def test_gradcheck_finds_what_pytorch_finds(function: str) -> None:
    def tell(m: Any) -> Any:
        x = m.tensor([0.1, 0.5, 0.3], dtype=m.float64, requires_grad=True)
        weight = m.ones(3, dtype=m.float64, requires_grad=True)
        ask, again = m.autograd.gradcheck, m.autograd.gradgradcheck
        single, differentiable = function in ("right", "wrong", "once"), function not in ("booleans", "detached")
        return [
            checked(lambda: ask(doubtful(m)[function], x)),
            checked(lambda: ask(doubtful(m)[function], (x,), raise_exception=False, check_undefined_grad=False)),
            checked(lambda: ask(doubtful(m)[function], x, nondet_tol=1.0)),
            checked(lambda: again(doubtful(m)[function], x, weight)) if single else None,
            checked(lambda: again(doubtful(m)[function], x, raise_exception=False)) if differentiable else None,
        ]

    assert said(autograd_lab, tell) == said(torch, tell)


def test_gradcheck_looks_at_its_inputs() -> None:
    def tell(m: Any) -> Any:
        x, f = m.ones(3, dtype=m.float64, requires_grad=True), m.ones(3, requires_grad=True)
        ask = m.autograd.gradcheck
        return [
            checked(lambda: ask(lambda a: a * a, x.detach())), checked(lambda: ask(lambda a: a * a, x.expand(2, 3))),
            checked(lambda: ask(lambda a: a * a, f, eps=1e-2, atol=1e-1)),
            checked(lambda: ask(lambda a, k: a * k, (x, 3.0))),
            checked(lambda: ask(lambda a, b: a * b, (x, x))), checked(lambda: ask(lambda a, b: a * 2, (x, x * 1))),
            checked(lambda: ask(lambda a: a * a, x, check_backward_ad=False)), checked(lambda: ask(m.sin, [x])),
        ]  # fmt: skip

    assert said(autograd_lab, tell) == said(torch, tell)


def test_jacobians_by_differences_and_by_backward_can_be_had() -> None:
    def tell(m: Any) -> Any:
        import importlib

        tools = importlib.import_module(f"{m.__name__}.autograd.gradcheck")
        x = m.tensor([0.1, 0.5, 0.3], dtype=m.float64, requires_grad=True)
        return [
            checked(lambda: tools.get_numerical_jacobian(lambda inputs: inputs[0] ** 2, (x,), eps=1e-6)),
            checked(lambda: tools.get_analytical_jacobian((x,), x * x)),
            checked(lambda: tools.get_numerical_jacobian_wrt_specific_input(lambda a: a * a, 0, (x,), (x * x,), 1e-6)),
            issubclass(tools.GradcheckError, RuntimeError),
        ]

    assert said(autograd_lab, tell) == said(torch, tell)


FORWARD = {
    "right": "x * x.exp(), x.sum()",
    "wrong": "Wrong.apply(x)",
    "without forward mode": "Backward.apply(x)",
}


@pytest.mark.parametrize("text", FORWARD.values(), ids=FORWARD)
def test_gradcheck_compares_forward_mode_with_differences(text: str) -> None:
    def story(m: Any) -> list[Any]:
        class Backward(m.autograd.Function):  # type: ignore[misc, name-defined]
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                ctx.x = x
                return x * x

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return 2 * g * ctx.x

        class Wrong(Backward):
            @staticmethod
            def jvp(ctx: Any, tangent: Any) -> Any:
                return 3 * tangent * ctx.x

        def checked(**how: bool) -> str:
            x = m.tensor([1.0, 2.0], dtype=m.float64, requires_grad=True)
            names = {"Backward": Backward, "Wrong": Wrong}
            try:
                return str(m.autograd.gradcheck(lambda x: eval(text, {"x": x, **names}), (x,), **how))
            except Exception as error:
                return f"{type(error).__name__}: {error}"

        only = {"check_backward_ad": False, "check_undefined_grad": False}
        told = [
            checked(check_forward_ad=True),
            checked(check_forward_ad=True, check_batched_forward_grad=text[0] == "x"),
        ]
        told += [checked(check_forward_ad=True, raise_exception=False, **only), checked(check_forward_ad=True, **only)]
        return [*told, checked(**only), checked(check_batched_forward_grad=True)]

    assert said(autograd_lab, story) == said(torch, story)


def test_tuples_of_tensors_are_made_and_undone_by_the_names_that_libraries_import() -> None:
    def story(m: Any) -> Any:
        f: Any = m.autograd.functional
        x, y = m.ones(2, requires_grad=True), m.ones(3, dtype=m.float64)
        refused = [error(lambda given=given: f._as_tuple(given, "inputs", "jvp")) for given in (1, (x, [x]))]
        undone = [f._tuple_postprocess(((x, y),), how) for how in (True, False, (True, True), (False, False))]
        freed = [one.requires_grad for kept in (True, False) for (one,) in f._grad_postprocess(((x,),), kept)]
        basis = f._construct_standard_basis_for((x, y), (2, 3))
        return [f._as_tuple(x), f._as_tuple((x, 1)), refused, undone, freed, basis]

    assert said(autograd_lab, story) == said(torch, story)
