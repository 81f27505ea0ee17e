"""Ten ops in the order of early PyTorch, a number before the tensor that it multiplies: `x.add_(2, y)`."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")
torch.set_num_threads(1)
torch.set_warn_always(True)

METHODS = """
v.add(3, w) | v.sub(3, w) | v.add(True, w) | v.addcmul(3, w, v) | v.addcdiv(3, w, v) | v.addmv(2, 3, A, w)
v.addmv(2, A, w) | A.addmm(2, 3, C, A + 1) | A.addmm(2, C, C) | A.addr(2, 3, v, w) | A.addr(0.5, v, w)
A.addbmm(2, 3, B, B) | B.baddbmm(2, 3, B + 1, B + 2) | B.baddbmm(2, B + 1, B + 2)
"""
FUNCTIONS = """
m.add(v, 3, w) | m.sub(v, 3, w) | m.addcmul(v, 3, w, v) | m.addcdiv(v, 3, w, v) | m.addmv(2, v, 3, A, w)
m.addmv(2, v, A, w) | m.addmm(2, A, 3, A, A) | m.addmm(2, A, A, A) | m.addr(2, A, 3, v, w) | m.addbmm(2, A, 3, B, B)
m.baddbmm(2, B, 3, B, B) | m.add(v, 3, w, out=m.empty(2))
"""
NEITHER = (
    "v.add(w, w, w) | v.add(1, 2, w) | v.sub_(1, 2, 3) | A.addmm(A, A, A) | A.addmm(1, 2, 3, A, A) | m.add(3, v, w)"
)


def texts(lines: str) -> list[str]:
    return lines.strip().replace("\n", " | ").split(" | ")


def given(m: Any, grad: bool = False) -> dict[str, Any]:
    v, w = m.tensor([1.0, -2.0]), m.tensor([0.5, 4.0])
    named = {"v": v, "w": w, "A": m.tensor([[1.0, 2.0], [3.0, -4.0]]), "B": m.ones(1, 2, 2), "C": m.ones(2, 2)}
    return {"m": m, **{name: one.requires_grad_() if grad else one for name, one in named.items()}}


@pytest.mark.parametrize("text", texts(METHODS) + texts(FUNCTIONS))
def test_an_op_gives_the_same_in_the_older_order(text: str) -> None:
    def story(m: Any) -> Any:
        named = given(m, grad="out" not in text)
        found = eval(text, named)
        if found.requires_grad:
            found.sum().backward()
        return found, [named[name].grad for name in "vwAB"]

    assert said(autograd_lab, story)[0] == said(torch, story)[0]


@pytest.mark.parametrize("text", [text.replace("(", "_(", 1) for text in texts(METHODS)])
def test_an_op_that_writes_does_so_in_the_older_order(text: str) -> None:
    def story(m: Any) -> Any:
        named = given(m)
        return eval(text, named), named["v"], named["A"], named["B"], named["v"]._version

    assert said(autograd_lab, story)[0] == said(torch, story)[0]


@pytest.mark.parametrize("text", ["v.add_(2, w)", "v.addcmul_(2, w, w)", "A.addmm(2, A, A)", "m.addmv(2, v, 3, A, w)"])
def test_the_older_order_is_warned_of(text: str) -> None:
    ours, theirs = (said(m, lambda m: eval(text, given(m)))[1] for m in (autograd_lab, torch))
    assert len(ours) == 1
    assert ours == [one.partition(" (Triggered")[0] for one in theirs]


@pytest.mark.parametrize("text", texts(NEITHER))
def test_what_is_in_neither_order_is_an_error(text: str) -> None:
    ours, theirs = (said(m, lambda m: eval(text, given(m)))[0] for m in (autograd_lab, torch))
    assert ours.startswith("TypeError")
    assert theirs.startswith("TypeError")
