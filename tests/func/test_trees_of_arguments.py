"""Arguments that are dicts, lists and tuples of tensors, as parameters of a model are: blocks come as PyTorch's do."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import filled, is_alike, said

torch = pytest.importorskip("torch")

DERIVED = """
F.jacrev(f)(p, x)
F.jacfwd(f)(p, x)
F.jacrev(f, argnums=(0, 1))(p, x)
F.jacfwd(f, argnums=(1, 0))(p, x)
F.jacrev(f, argnums=1)(p, x)
F.jacfwd(f, argnums=(1,))(p, x)
F.jacrev(lambda p, x: (f(p, x)["s"], x), has_aux=True)(p, x)
F.jacfwd(lambda t: t[0] * t[1])((x, x + 1))
F.hessian(lambda p: f(p, x)["o"].sum())(p)
F.hessian(lambda p, x: f(p, x)["o"].sum(), argnums=(0, 1))(p, x)
F.grad(lambda p, x: f(p, x)["o"].sum(), argnums=(0, 1))(p, x)
"""


@pytest.mark.parametrize("text", DERIVED.strip().splitlines())
def test_each_leaf_has_its_block(text: str) -> None:
    def story(m: Any) -> Any:
        def f(p: Any, x: Any) -> Any:
            h = (p["w"] @ x / 8 + p["b"][0]).sigmoid() * p["b"][1]
            return {"o": h, "s": (p["w"] * p["w"]).sum() * x}

        p = {"w": m.arange(6.0).view(2, 3), "b": [m.ones(2), m.tensor(2.0)]}
        return eval(text, {"F": m.func, "f": f, "p": p, "x": m.tensor([1.0, 2.0, 4.0])})

    assert is_alike(said(autograd_lab, story)[0], said(torch, story)[0])  # PyTorch also warns of its own jit


def test_neural_tangent_kernels_are_found_in_both_ways() -> None:
    def story(m: Any) -> Any:
        F = m.func
        net = filled(m.nn.Sequential(m.nn.Linear(2, 3), m.nn.Sigmoid(), m.nn.Linear(3, 2)))
        params = {name: one.detach() for name, one in net.named_parameters()}
        x = m.arange(6.0).reshape(3, 2) / 4

        def single(params: Any, x: Any) -> Any:
            return F.functional_call(net, params, (x.unsqueeze(0),)).squeeze(0)

        jacobians = [j.flatten(2) for j in F.vmap(F.jacrev(single), (None, 0))(params, x).values()]
        kernel = m.stack([m.einsum("Naf,Mbf->NMab", j, j) for j in jacobians]).sum(0)

        def pair(one: Any, other: Any) -> Any:
            output, back = F.vjp(lambda p: single(p, one), params)
            return F.vmap(lambda v: F.jvp(lambda p: single(p, other), (params,), back(v))[1])(m.eye(output.numel()))

        other = F.vmap(F.vmap(pair, (None, 0)), (0, None))(x, x)
        return m.allclose(kernel, other, atol=1e-5), kernel.shape, list(jacobians[0].shape)

    assert is_alike(said(autograd_lab, story)[0], said(torch, story)[0])


@pytest.mark.parametrize("text", [
    "m.func.jvp(lambda a, b: a, (x, x), (x,))", "m.func.jvp(lambda a: a, (x,), [x])",
    "m.func.vjp(lambda a: (a, {'k': a}), x)[1](x)", "m.func.linearize(lambda a: a, x)[1](x, {'k': [x, x]})",
])  # fmt: skip
def test_trees_that_do_not_match_are_written_as_by_pytorch(text: str) -> None:
    told = []
    for m in (autograd_lab, torch):
        with pytest.raises(RuntimeError, match=r"tructure|argspec") as caught:
            eval(text, {"m": m, "x": m.ones(2)})
        told.append(str(caught.value))
    assert told[0] == told[1]
