"""`linearize`, `functionalize` and batch norms under `vmap`: values and errors as PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")

LINEARIZED = """
F.linearize(lambda x: x.cos(), x)[0]
F.linearize(lambda x: x.cos(), x)[1](t)
F.linearize(lambda x: (x.cos(), x.sum()), x)[1](t)
F.linearize(lambda d: {"a": d["x"] * d["y"][0]}, {"x": x, "y": (t,)})[1]({"x": t, "y": (x,)})
F.vmap(F.linearize(lambda x: x * x.sum(), x)[1])(m.arange(6.0).reshape(2, 3))
F.linearize(F.grad(lambda x: x.pow(3).sum()), x)[1](t)
F.linearize(lambda x: x.cos(), x)[1](t.unsqueeze(0))
F.linearize(lambda x: x.cos(), x)[1](t.double())
F.functionalize(lambda x: x.add(1).mul_(2).view(3, 1))(x)
F.functionalize(lambda x: x.add_(1))(x) + x
F.grad(F.functionalize(lambda x: (x + x).add_(1).pow(2).sum()))(x)
F.functionalize(m.sin, remove="all")
"""


@pytest.mark.parametrize("text", LINEARIZED.strip().splitlines())
def test_values_and_errors(text: str) -> None:
    def story(m: Any) -> Any:
        return eval(text, {"m": m, "F": m.func, "x": m.tensor([0.5, 1.0, 2.0]), "t": m.tensor([1.0, 0.0, -1.0])})

    assert said(autograd_lab, story)[0] == said(torch, story)[0]  # PyTorch's tracer warns of buffers of its own


def test_batch_norms_forget_their_statistics_and_other_layers_keep_theirs() -> None:
    def story(m: Any) -> Any:
        net = m.nn.Sequential(m.nn.BatchNorm1d(2), m.nn.Sequential(m.nn.BatchNorm2d(2)))
        net.append(m.nn.InstanceNorm1d(2, track_running_stats=True))
        same = m.func.replace_all_batch_norm_modules_(net) is net
        return same, list(net.state_dict()), net[0].running_mean, net[2].running_var

    assert said(autograd_lab, story) == said(torch, story)
