"""Decompositions of matrices and functions of them: values, first and second gradients, errors; as in real PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autograd_lab
from tests.worlds import assert_alike, is_alike, said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

SHAPES = [(2, 2), (4, 2), (2, 4), (3, 3), (2, 3, 3), (2, 4, 2)]
"""Of matrices, and of batches of them."""

ANY = """
(lambda u, s, v: (u.abs() * s[..., None, :]).sum() + (s**3).sum() + (v**4).sum())(*L.svd(x, full_matrices=False))
(lambda u, s, v: (s**3).sum() + (u[..., :2]**4).sum())(*L.svd(x))
(lambda u, s, v: ((u * s[..., None, :]) @ v.mT).pow(2).sum() + v.abs().pow(3).sum())(*m.svd(x))
(lambda q, r: (q**4).sum() + (r**3).abs().sum())(*L.qr(x))
(lambda q, r: (q**4).sum() + (r**3).abs().sum())(*m.qr(x))
(L.pinv(x)**3).sum() + m.pinverse(x).sum()
m.matrix_exp(x @ x.mT / 9).pow(2).sum() + L.matrix_exp(x @ x.mT / 99).sum()
L.solve_triangular(x @ x.mT, x, upper=True).pow(2).sum()
L.solve_triangular(x @ x.mT, x.mT, upper=False, left=False, unitriangular=True).pow(2).sum()
(lambda l, q: (l**2).sum() + (q.abs() * l[..., None, :]).sum())(*L.eigh(x.mT @ x))
(L.eigvalsh(x @ x.mT, UPLO="U")**2).sum()
(L.matrix_norm(x, 2) + L.matrix_norm(x, "nuc", keepdim=True).sum() + L.matrix_norm(x, -2)).sum()
(L.svdvals(x)**2).sum() + L.cond(x).sum() + L.cond(x, -2).sum() + m.norm(x.flatten(0, -2), p="nuc")
"""


def gradients(m: Any, text: str, array: Any) -> list[Any]:
    """A number that depends on a matrix, its gradient, and the gradient of that one's square."""
    x = m.tensor(array, requires_grad=True)
    y = eval(text, {"m": m, "L": m.linalg, "x": x})
    (g,) = m.autograd.grad(y, x, create_graph=True)
    (second,) = m.autograd.grad((g**2).sum(), x)
    return [y.detach().numpy(), g.detach().numpy(), second.numpy()]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("text", ANY.strip().splitlines())
def test_values_and_two_gradients_are_those_of_pytorch(text: str, shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(1).normal(size=shape)
    assert_alike(gradients(autograd_lab, text, array), gradients(torch, text, array), 1e-5, 1e-6)


SAID = """
L.svd(v) | L.svd(n) | L.svd(h) | L.svd(nan) | L.eigh(x) | L.eigh(v) | L.eigh(n) | L.eigh(sq, "X") | L.qr(v) | L.qr(n)
L.qr(x, mode="x") | L.qr(x, mode="complete")[0].sum().backward() | L.qr(x, mode="r")[1].sum().backward() | L.pinv(v)
m.matrix_exp(x) | m.matrix_exp(n) | L.solve_triangular(x, x, upper=True) | L.solve_triangular(sq, n[:1], upper=True)
L.svd(x, driver="gesvd") | m.svd(x, compute_uv=False) | m.svd(x, some=False).V.shape | L.qr(x, "r") | L.svd(x[:0])
L.svdvals(x).grad_fn.name() | L.eigvalsh(sq).grad_fn.name() | L.pinv(x).grad_fn.name() | type(L.svd(x)) | L.pinv(x[:0])
m.svd(x)[2].grad_fn.name() | L.matrix_norm(x, 2).grad_fn.name() | L.matrix_norm(x, 3) | m.norm(x, p="x")
m.norm(x, p="nuc") | L.pinv(sq, rtol=0.9) | L.pinv(sq, hermitian=True) | x.svd()[1] | sq.matrix_exp() | x.pinverse()
"""


@pytest.mark.parametrize("text", [text for line in SAID.strip().splitlines() for text in line.split(" | ")])
def test_what_is_said_is_what_pytorch_says(text: str) -> None:
    def story(m: Any) -> Any:
        x = m.tensor([[2.0, 1.0], [0.5, 3.0], [1.0, 0.0]], requires_grad=True)
        n, nan = m.arange(4).view(2, 2), m.full((2, 2), float("nan"))
        names = {"v": m.ones(2), "n": n, "h": m.ones(2, 2).half(), "nan": nan, "sq": x[:2]}
        return eval(text, {"m": m, "L": m.linalg, "x": x, **names})

    assert said(autograd_lab, story) == said(torch, story)


def test_what_fails_quietly_says_where_as_in_pytorch() -> None:
    for name, bad in (("inv_ex", [[1.0, 2.0], [2.0, 4.0]]), ("cholesky_ex", [[1.0, 2.0], [2.0, 1.0]])):
        for matrix in (bad, [[2.0, 1.0], [1.0, 3.0]]):
            ours, theirs = (getattr(m.linalg, name)(m.tensor(matrix)) for m in (autograd_lab, torch))
            assert ours.info.tolist() == theirs.info.tolist()
            assert type(ours).__name__ == type(theirs).__name__
    with pytest.raises(autograd_lab.linalg.LinAlgError, match="diagonal element 2 is zero"):
        autograd_lab.linalg.inv_ex(autograd_lab.ones(2, 2), check_errors=True)


@pytest.mark.parametrize("right", ["ones(2, 2, 1)", "ones(2, 2)", "ones(2, 2, 3)"])
@pytest.mark.parametrize("matrix", [[[1.0, 2.0], [2.0, 4.0]], [[2.0, 1.0], [1.0, 3.0]]], ids=str)
def test_systems_without_a_solution_say_where_elimination_ended_as_in_pytorch(matrix: Any, right: str) -> None:
    def story(m: Any) -> Any:
        A = m.tensor([matrix, [[1.0, 0.0], [0.0, 2.0]]], requires_grad=True)
        B = eval(f"m.{right}", {"m": m}).requires_grad_()
        found = m.linalg.solve_ex(A, B)
        if not found.info.any():
            found.result.sum().backward()
        return [type(found).__name__, found.result.tolist(), found.info, A.grad, B.grad]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours[0], theirs[0]), (ours, theirs)


def test_cholesky_tells_large_matrices_that_have_one_from_those_that_have_none_as_pytorch_does() -> None:
    def matrices(m: Any, scale: float) -> Any:
        eye = m.eye(120) * scale
        return [eye + 1e-3 * scale, eye - 2 * scale * (m.arange(120) == 100).diag(), eye * m.tensor(float("nan"))]

    def story(m: Any, scale: float) -> Any:
        out = [m.linalg.cholesky_ex(one).info.tolist() for one in matrices(m, scale)]
        return [*out, m.linalg.cholesky_ex(m.stack(matrices(m, scale))).info.tolist()]

    for scale in (1e-3, 0.3, 1e3):  # determinants of such are 0 or infinite in float32
        assert story(autograd_lab, scale) == story(torch, scale)


@pytest.mark.parametrize(
    "text", ["L.cholesky(m.stack([e, -e, e]))", "L.cholesky(m.stack([e, -e]).view(1, 2, 2, 2))", "L.cholesky(nan)"]
)
def test_cholesky_says_which_matrix_of_a_batch_has_none(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(text, {"m": m, "L": m.linalg, "e": m.eye(2), "nan": m.full((2, 2), float("nan"))})

    assert said(autograd_lab, story) == said(torch, story)


@pytest.mark.parametrize(
    "options", ["", "upper=False", "transpose=True", "False, True", "True, True, True", "unitriangular=True"]
)
def test_triangular_solve_gives_what_its_successor_does_and_a_copy(options: str) -> None:
    def story(m: Any) -> Any:
        a = (m.arange(18.0).view(2, 3, 3).sin() + m.eye(3) * 2).requires_grad_()
        b = m.arange(6.0).view(3, 2).requires_grad_()
        out = eval(f"m.triangular_solve(b, a, {options})", {"m": m, "a": a, "b": b})
        (out.solution.pow(2).sum() + (out.cloned_coefficient * a).sum()).backward()
        return [type(out).__name__, *(one.tolist() for one in (*out, a.grad, b.grad))]

    ours, theirs = (said(m, story)[0] for m in (autograd_lab, torch))
    assert is_alike(ours, theirs)


@pytest.mark.parametrize("text", ["b[0], a", "b, a[0]", "b, a[:1]", "b[:1], a"])
def test_triangular_solve_refuses_what_pytorch_refuses(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(f"m.triangular_solve({text})", {"m": m, "a": m.eye(2), "b": m.ones(2, 1)})

    assert said(autograd_lab, story)[0] == said(torch, story)[0]
