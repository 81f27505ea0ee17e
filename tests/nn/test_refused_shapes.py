"""Shapes and lengths that do not fit, or have nothing in them, and memory that is not in one piece."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.programs import error
from tests.worlds import is_alike, said

torch = pytest.importorskip("torch")

CELLS = [
    ((3, 10), (1, 20)), ((1, 10), (3, 20)), ((3, 10), (3, 21)), ((3, 11), (3, 20)), ((3, 5, 10), (3, 20)),
    ((3, 10), (20,)), ((3, 10), (3, 20)),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["RNNCell", "LSTMCell", "GRUCell"])
@pytest.mark.parametrize("size, state", CELLS)
def test_a_cell_wants_a_state_for_each_example(kind: str, size: Any, state: Any) -> None:
    def tell(m: Any) -> Any:
        hidden = m.zeros(*state)
        given = (hidden, hidden) if kind == "LSTMCell" else hidden
        return error(lambda: len(getattr(m.nn, kind)(10, 20)(m.zeros(*size), given)))

    assert said(autograd_lab, tell) == said(torch, tell)


def test_a_cell_may_have_no_hidden_units() -> None:
    def tell(m: Any) -> Any:
        return [getattr(m.nn, kind)(3, 0)(m.zeros(2, 3)) for kind in ("RNNCell", "GRUCell")]

    assert said(autograd_lab, tell)[0] == said(torch, tell)[0]


TIMES_AND_SIZES = [
    ([9] * 3, [5, 2, 1]), ([9] * 3, [6, 2, 1]), ([9, 10, 9], [5, 2, 1]), ([9] * 3, [-1, 2, 1]), ([-1, 9, 9], [5, 2, 1]),
    ([10] * 3, [6, 2, 1]), ([9] * 2, [5, 2, 1]), ([9] * 3, [5, 2]),
]  # fmt: skip


@pytest.mark.parametrize("times, sizes", TIMES_AND_SIZES)
@pytest.mark.parametrize("shape", [(3, 5), (8,), (7,), (9,), (2, 5)])
def test_ctc_says_which_length_does_not_fit(times: Any, sizes: Any, shape: Any) -> None:
    def tell(m: Any) -> Any:
        x, targets = m.zeros(9, 3, 4).log_softmax(2), m.ones(*shape, dtype=m.int64)
        return error(lambda: m.nn.functional.ctc_loss(x, targets, times, sizes, reduction="sum").shape)

    assert said(autograd_lab, tell) == said(torch, tell)


def test_a_loss_of_bfloat16_is_bfloat16() -> None:
    def tell(m: Any) -> Any:
        x, y = (m.tensor(each, dtype=m.bfloat16) for each in ([0.5, 3.0, -2.0], [0.0, 0.5, 1.5]))
        x.requires_grad_()
        found = []
        for name in ("smooth_l1_loss", "l1_loss", "mse_loss", "huber_loss"):
            loss = getattr(m.nn.functional, name)(x, y, reduction="none")
            found.append([loss.detach(), *m.autograd.grad(loss.sum(), x)])
        return found

    assert said(autograd_lab, tell) == said(torch, tell)


def test_diagonals_are_filled_where_they_are() -> None:
    def tell(m: Any) -> Any:
        found = []
        for wrap in (False, True):
            found.append(m.arange(63.0).reshape(7, 3, 3)[:, 1].fill_diagonal_(-1, wrap=wrap))
            found.append(m.arange(30.0).reshape(5, 6)[1:, 2:].t().fill_diagonal_(-1, wrap=wrap))
        return [*found, m.arange(27.0).reshape(3, 3, 3)[:, 1:, 1:][:2].fill_diagonal_(-1)]

    assert said(autograd_lab, tell) == said(torch, tell)


def test_nothing_is_drawn_and_cut_in_its_shape() -> None:
    def tell(m: Any) -> Any:
        cut = [[len(part) for part in m.zeros(0).unsafe_chunk(4)], [len(part) for part in m.zeros(0).chunk(4)]]
        return [m.multinomial(m.ones(0, 3), 2).shape, *cut]

    assert said(autograd_lab, tell) == said(torch, tell)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("size", [(3, 4), (9, 13), (4, 6), (2, 11), (40, 30)])
def test_pictures_of_bytes_are_resized_to_bytes(mode: str, corners: bool, size: Any) -> None:
    def tell(m: Any) -> Any:
        pictures = (m.arange(2 * 3 * 24) * 37 % 256).reshape(2, 3, 4, 6).to(m.uint8)
        resized = m.nn.functional.interpolate(pictures, size=size, mode=mode, align_corners=corners)
        return resized.tolist(), str(resized.dtype)

    assert said(autograd_lab, tell) == said(torch, tell)


def test_sequences_of_bytes_are_not_resized() -> None:
    def tell(m: Any) -> Any:
        return m.nn.functional.interpolate(m.zeros(1, 1, 4, dtype=m.uint8), size=3, mode="linear")

    assert said(autograd_lab, tell) == said(torch, tell)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("rule", [
    {"size": (3, 4)}, {"size": (13, 5)}, {"size": (1, 1)}, {"scale_factor": 0.5}, {"scale_factor": (0.3, 1.7)},
    {"size": (3, 4), "align_corners": True}, {"scale_factor": 0.4, "recompute_scale_factor": True},
])  # fmt: skip
def test_pictures_are_made_smaller_by_means_as_in_pytorch(mode: str, rule: dict[str, Any]) -> None:
    def story(m: Any) -> list[Any]:
        x = (m.arange(126.0, dtype=m.float64).cos() * 50 + 100).view(2, 1, 7, 9).requires_grad_()
        z = m.nn.functional.interpolate(x, mode=mode, antialias=True, **rule)
        w = m.arange(z.numel(), dtype=m.float64).sin().view(z.shape).requires_grad_()
        (g,) = m.autograd.grad(z, x, w, create_graph=True)
        (h,) = m.autograd.grad((g * g).sum(), w)
        pictures = m.nn.functional.interpolate(x.detach().byte(), mode=mode, antialias=True, **rule)
        names = [each.grad_fn.name() for each in (z, g)]
        return [*(each.tolist() for each in (z, g, h, pictures)), *names]

    ours, theirs = said(autograd_lab, story), said(torch, story)
    assert is_alike(ours, theirs), (ours, theirs)


@pytest.mark.parametrize("kind", ["int64", "bfloat16", "float16"])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "nearest", "area"])
def test_what_antialiasing_does_not_take_is_refused_as_in_pytorch(mode: str, kind: str) -> None:
    def story(m: Any) -> Any:
        x = m.ones(1, 1, 4, 4).to(getattr(m, kind))
        return m.nn.functional.interpolate(x, size=2, mode=mode, antialias=True)

    assert said(autograd_lab, story) == said(torch, story)
