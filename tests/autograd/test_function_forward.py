"""`Function.jvp`: the tangents that it may return, by what forward did to make the outputs."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import autograd_lab
import autograd_lab.autograd.forward_ad
from tests.worlds import said

torch = pytest.importorskip("torch")


def dirty(ctx: Any, x: Any) -> Any:
    x.mul_(2)
    ctx.mark_dirty(x)
    return x


def constant(ctx: Any, x: Any) -> Any:
    out = x.clone()
    ctx.mark_non_differentiable(out)
    return x.clone(), out


FORWARDS = {
    "writes": dirty,
    "marks_a_constant": constant,
    "returns_its_input": lambda ctx, x: x,
    "returns_a_view": lambda ctx, x: x[:1],
    "copies": lambda ctx, x: x.clone(),
    "returns_integers": lambda ctx, x: x.long(),
    "returns_an_object": lambda ctx, x: (x.clone(), object()),
}
JVPS = {
    "a_copy": lambda ctx, t: t * 2,
    "what_it_got": lambda ctx, t: t,
    "a_write": lambda ctx, t: t.mul_(2),
    "a_view": lambda ctx, t: t.view_as(t),
    "a_part": lambda ctx, t: t[:1],
    "a_part_of_a_copy": lambda ctx, t: t.clone()[:1],
    "a_number": lambda ctx, t: 3,
    "two": lambda ctx, t: (t.clone(), t),
    "one_and_none": lambda ctx, t: (t.clone(), None),
}


def tangents(m: Any, outputs: Any, tangent: Any) -> list[Any]:
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    found = [m.autograd.forward_ad.unpack_dual(one).tangent for one in outputs if isinstance(one, m.Tensor)]
    return [None if one is None else (one.tolist(), one is tangent, one._is_view()) for one in found]


@pytest.mark.parametrize("of_a_view", [False, True], ids=["a dual", "a view of a dual"])
@pytest.mark.parametrize("forward, jvp", list(itertools.product(FORWARDS, JVPS)))
def test_a_jvp_does_to_tangents_as_its_forward_does(forward: str, jvp: str, of_a_view: bool) -> None:
    def story(m: Any) -> Any:
        methods = {"forward": FORWARDS[forward], "jvp": JVPS[jvp]}
        own = type("Own", (m.autograd.Function,), {name: staticmethod(each) for name, each in methods.items()})
        x, tangent = m.tensor([1.0, 2.0]), m.tensor([3.0, 4.0])
        with m.autograd.forward_ad.dual_level():
            dual = m.autograd.forward_ad.make_dual(x, tangent)
            return tangents(m, own.apply(dual.view_as(dual) if of_a_view else dual), tangent)

    expected, _ = said(torch, story)
    if "INTERNAL ASSERT" not in str(expected):
        assert said(autograd_lab, story) == (expected, [])


def test_integers_have_no_tangent() -> None:
    def story(m: Any) -> Any:
        seen = []

        class Own(m.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any, index: Any) -> Any:
                return x.clone()

            @staticmethod
            def jvp(ctx: Any, t: Any, none: Any) -> Any:
                seen.append(none)
                return t.clone()

        with m.autograd.forward_ad.dual_level():
            Own.apply(m.autograd.forward_ad.make_dual(m.ones(2), m.ones(2)), m.tensor([1]))
        return seen

    assert said(autograd_lab, story) == said(torch, story)
