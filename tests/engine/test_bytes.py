"""Tensors of bytes as masks, as older programs have them: in subscripts and in `where`; as in real PyTorch."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")

TEXTS = """
x[mask] | x[row] | x[:, column] | x[row, 0] | x[row, column[:2]] | x[one] | x[one, 1] | x[none] | x[None, mask]
x[..., column] | x[mask.numpy()] | x[column] | m.where(mask, x, -x) | m.where(mask, 1, 2) | m.where(mask, x, 0.0)
x.where(mask, m.zeros(())) | m.where(mask.int(), x, x) | m.where(mask) | x[mask.long()] | x[m.ones(0, dtype=m.uint8)]
put(x, mask, 9) | put(x, mask, m.tensor([9.0])) | put(x, mask, m.arange(3.0)) | put(x, row, m.arange(3.0))
put(x, row, 9) | put(x, (slice(None), column), 9) | put(x, (row, column[:2]), 9) | put(x, one, 9)
put(x, (one, 1), 9.0) | put(x, none, 9) | x.index_put((mask,), m.arange(3.0)) | x.index_put((mask,), m.tensor(1.0))
x.clone().index_put_((row,), m.tensor(1.0)) | x.index_put((row, column[:2]), m.tensor(1.0), True)
x.masked_fill(mask, 0) | x.masked_select(mask)
""".strip()


def story(m: Any, text: str) -> Any:
    def put(x: Any, index: Any, value: Any) -> Any:
        y = x * 1
        y[index] = value
        return y

    x = m.arange(6.0).view(2, 3).requires_grad_()
    mask = m.tensor([[1, 0, 2], [0, 1, 0]], dtype=m.uint8)
    row, column = m.tensor([1, 0], dtype=m.uint8), m.tensor([1, 0, 1], dtype=m.uint8)
    names = {"one": m.tensor(1, dtype=m.uint8), "none": m.tensor(0, dtype=m.uint8), "put": put}
    out = eval(text, {"m": m, "x": x, "mask": mask, "row": row, "column": column, **names})
    if isinstance(out, tuple):
        return [one.tolist() for one in out]
    if out.requires_grad:
        (out * out).sum().backward()
    return out.tolist(), str(out.dtype), x.grad if x.grad is None else x.grad.tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", [text for line in TEXTS.splitlines() for text in line.split(" | ")])
def test_bytes_are_truth_values_where_they_are_in_pytorch(text: str) -> None:
    ours, theirs = (said(m, lambda m: story(m, text))[0] for m in (autograd_lab, torch))
    assert ours == theirs


@pytest.mark.parametrize("text", ["x[mask]", "x[:, column]", "m.where(mask, x, -x)", "put(x, row, m.arange(3.0))"])
def test_bytes_as_masks_are_warned_of_at_their_line_with_the_words_of_pytorch(text: str) -> None:
    def heard(m: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            story(m, text)
        return [(one.category, str(one.message).partition(" (Triggered")[0]) for one in caught], caught[0].filename

    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)  # else it says some things once a process
    try:
        (ours, file), (theirs, _) = heard(autograd_lab), heard(torch)
    finally:
        torch.set_warn_always(before)
    assert ours[0] == theirs[0]
    assert file in ("<string>", __file__)


def test_an_index_is_warned_of_once() -> None:
    def heard(m: Any) -> list[str]:
        x = m.zeros(2, 2)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            x[[[0], [1]]] = 1.0
        return [str(one.message).partition(" (Triggered")[0] for one in caught]

    assert heard(autograd_lab) == heard(torch)
