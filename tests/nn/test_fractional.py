"""Fractional max pooling: with the same draws, the same windows, gradients and graphs."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import graph, said

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize(
    "sizes", ["3, (4, 5)", "(2, 3), output_ratio=(0.5, 0.6)", "1, 2", "3, 1", "(3, 2), (7, 6)", "(2, 4), 3"]
)
def test_windows_begin_where_pytorchs_do(sizes: str, batched: bool) -> None:
    def story(m: Any) -> Any:
        shape = (2, 3, 9, 11) if batched else (3, 9, 11)
        x = ((m.arange(2 * 3 * 99) * 37 % 101) / 7.0)[: 3 * 99 * (1 + batched)].reshape(shape).requires_grad_()
        drawn = ((m.arange(12) * 5 % 13) / 13.0).reshape(2, 3, 2)[: 1 + batched]
        make = eval(f"m.nn.FractionalMaxPool2d({sizes}, return_indices=True, _random_samples=d)", {"m": m, "d": drawn})
        z, places = make(x)
        gradient = m.autograd.grad((z * z).sum(), x, create_graph=True)[0]
        again = m.autograd.grad((gradient * gradient).sum(), x)[0]
        return z, places, graph(z), gradient, graph(gradient), again, list(make.state_dict())

    assert said(autograd_lab, story) == said(torch, story)


def test_windows_are_drawn_anew_each_time() -> None:
    autograd_lab.manual_seed(0)
    pool, x = autograd_lab.nn.FractionalMaxPool2d(2, output_ratio=0.6), autograd_lab.arange(400.0).reshape(1, 1, 20, 20)
    first, second = pool(x), pool(x)
    assert first.shape == (1, 1, 12, 12)
    assert not first.equal(second)


def test_whole_channels_become_selus_left_end() -> None:
    autograd_lab.manual_seed(0)
    drop = autograd_lab.nn.FeatureAlphaDropout(0.5)
    z = drop(autograd_lab.ones(20, 30, 2, 2)).reshape(600, 4)
    assert (z == z[:, :1]).all()
    assert len(z.unique()) == 2
