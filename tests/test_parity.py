"""The same programs say the same in the engine and in real PyTorch."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab
from tests.programs import PROGRAMS, error, graph

torch = pytest.importorskip("torch")
torch.set_num_threads(1)


def told(value: Any) -> Any:
    """What a program returned, in words that both worlds share."""
    if isinstance(value, list | tuple):
        return [told(item) for item in value]
    if isinstance(value, dict):
        return {key: told(item) for key, item in value.items()}
    if isinstance(value, torch.Tensor | autograd_lab.Tensor):
        return repr(value)
    return re.sub("0x[0-9a-f]+", "0x", value) if isinstance(value, str) else value if value is None else repr(value)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_both_worlds_tell_the_same_story(program: Any) -> None:
    assert told(program(autograd_lab)) == told(program(torch))


# --- random programs -----------------------------------------------------------------------------------------------

BINARY = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (b * b + 1)]
UNARY = [
    lambda a: a.sin(), lambda a: a.tanh(), lambda a: a.relu(), lambda a: a * 2, lambda a: 1 - a, lambda a: a**2,
    lambda a: a.t(), lambda a: a[0:1], lambda a: a[-1], lambda a: a.sum(0), lambda a: a.mean(), lambda a: a.exp().log(),
    lambda a: a.reshape(-1), lambda a: a.unsqueeze(0), lambda a: a.clone(), lambda a: a.max(), lambda a: a.detach(),
]  # fmt: skip
WRITES = [
    lambda a, b: a.add_(1), lambda a, b: a.mul_(b), lambda a, b: a.zero_(), lambda a, b: a.__setitem__(0, 2.0),
    lambda a, b: a.view(-1).add_(1), lambda a, b: a.sub_(b), lambda a, b: a.exp_(), lambda a, b: a[0].mul_(2),
]  # fmt: skip

steps = st.tuples(
    st.sampled_from(["unary", "binary", "binary", "write"]), st.integers(0, 99), *[st.integers(0, 99)] * 2
)


def story(m: Any, plan: list[Any]) -> list[Any]:
    """Run a plan of steps; mistakes are part of the story, and the next step goes on."""
    first = m.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
    second = m.tensor([1.5, -0.5], requires_grad=True)
    pool, told, seen = [first, second], [], []
    for kind, which, left, right in plan:
        a, b = pool[left % len(pool)], pool[right % len(pool)]
        try:
            if kind == "write":
                WRITES[which % len(WRITES)](a, b)
            else:
                made = UNARY[which % len(UNARY)](a) if kind == "unary" else BINARY[which % len(BINARY)](a, b)
                pool.append(made)
                if made.requires_grad:
                    made.register_hook(partial(noted, seen, len(pool)))
        except Exception as mistake:
            told.append(f"{type(mistake).__name__}: {mistake}".splitlines()[0])
    for tensor in pool:
        told += [tuple(tensor.shape), tensor._version, tensor.requires_grad, tensor.is_leaf, tensor._is_view()]
        told.append(error(lambda tensor=tensor: graph(tensor) if tensor.grad_fn is not None else None))
    told.append(error(lambda: sum(t.sum() for t in pool[2:] if t.requires_grad).backward()))
    return [
        told,
        seen,
        [t.detach().tolist() for t in pool],
        [None if g is None else g.tolist() for g in (first.grad, second.grad)],
    ]


def noted(seen: list[int], number: int, gradient: Any) -> None:
    seen.append(number)


@settings(max_examples=150, deadline=None)
@given(st.lists(steps, min_size=1, max_size=9))
def test_random_programs_tell_the_same_story(plan: list[Any]) -> None:
    ours, theirs = story(autograd_lab, plan), story(torch, plan)
    assert ours[:2] == theirs[:2]
    for one, other in zip(flat(ours[2:]), flat(theirs[2:]), strict=True):
        assert (one is None) is (other is None)
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)


def flat(value: Any) -> list[Any]:
    return [item for each in value for item in flat(each)] if isinstance(value, list) else [value]
