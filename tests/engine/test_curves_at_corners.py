"""Second and third gradients where a curve has a corner: as PyTorch takes them."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import is_alike, said

torch = pytest.importorskip("torch")

CURVES = """
F.relu(x) | F.relu6(x) | F.elu(x) | F.elu(x, 0.5) | F.elu(x * 1, inplace=True) | F.selu(x) | F.celu(x, 0.5)
F.leaky_relu(x) | F.softplus(x, 2.0, 3.0) | F.softplus(x) | F.gelu(x) | F.silu(x) | F.mish(x) | F.hardtanh(x, -0.5, 0.5)
F.hardswish(x) | F.softshrink(x) | F.hardshrink(x) | F.tanhshrink(x) | F.softsign(x) | F.threshold(x, 0.5, 9.0)
F.smooth_l1_loss(x, x.detach() * 0, beta=0.5) | F.huber_loss(x, x.detach() * 0, delta=0.5) | x.clamp(-0.5, 0.5)
""".strip()


@pytest.mark.parametrize("text", [text for line in CURVES.splitlines() for text in line.split(" | ")])
def test_a_curve_bends_at_its_corner_as_in_pytorch(text: str) -> None:
    def story(m: Any) -> Any:
        places = [-20.0, -3.0, -0.5, 0.0, 0.5, 1.5, 3.0, 20.0]
        x = m.tensor(places, dtype=m.float64, requires_grad=True)
        gradient, found = eval(text, {"F": m.nn.functional, "x": x}), []
        for _ in range(3):
            weights = m.linspace(0.5, 1.5, len(places), dtype=m.float64)
            (gradient,) = m.autograd.grad((gradient * weights).sum(), x, create_graph=True)
            if not gradient.requires_grad:
                break
            found.append(gradient.tolist())
        return found

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), f"{ours}\n{theirs}"
