"""What an encoder gives for padding: 0 where PyTorch computes nothing for it; and what it says of masks."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_lab
from tests.worlds import filled, is_alike, said

torch = pytest.importorskip("torch")

MASKS = """
src_key_padding_mask=ends | src_key_padding_mask=starts | src_key_padding_mask=ends, mask=causal
mask=causal | mask=causal, is_causal=True | src_key_padding_mask=all_of_one | src_key_padding_mask=added
src_key_padding_mask=ends, mask=m.zeros(4, 4) | src_key_padding_mask=ends.long() | mask=causal.long()
mask=m.zeros(3, 3) | src_key_padding_mask=ends.t()
""".replace("\n", " | ")


def encoder(m: Any, options: str) -> Any:
    layer = m.nn.TransformerEncoderLayer(4, 2, 5, dropout=0.0, batch_first=True)
    norm = m.nn.LayerNorm(4)
    made = filled(eval(f"m.nn.TransformerEncoder(layer, 2, {options})", {"m": m, "layer": layer, "norm": norm}))
    return made


def answer(m: Any, made: Any, masks: str) -> Any:
    x = (m.arange(48) * 5 % 13 / 13.0).reshape(3, 4, 4)
    ends = m.arange(4) >= m.tensor([[4], [2], [1]])
    names = {"m": m, "ends": ends, "starts": ends.flip(1), "causal": m.ones(4, 4).triu(1).bool()}
    names["all_of_one"] = m.arange(4) >= m.tensor([[4], [0], [1]])
    names["added"] = m.zeros(3, 4).masked_fill(ends, float("-inf"))
    return eval(f"made(x, {masks})", {**names, "made": made, "x": x}).tolist()


@pytest.mark.parametrize("masks", [one.strip() for one in MASKS.split("|") if one.strip()])
@pytest.mark.parametrize("options", ["norm=norm", "enable_nested_tensor=False"])
@pytest.mark.parametrize("how", ["eval", "train", "graph"])
def test_an_encoder_gives_what_pytorch_gives_for_padding(masks: str, options: str, how: str) -> None:
    def story(m: Any) -> Any:
        made = encoder(m, options).train(how == "train")
        with m.set_grad_enabled(how == "graph"):
            return answer(m, made, masks)

    if (how, options, masks) == ("eval", "enable_nested_tensor=False", "src_key_padding_mask=all_of_one"):
        return  # PyTorch's fast path gives NaN where nothing may be looked at
    (ours, warned), (theirs, told) = said(autograd_lab, story), said(torch, story)
    if how == "eval" and isinstance(theirs, str) and "masks are" not in theirs:  # its fast path has words of its own
        theirs = theirs if isinstance(ours, list) else ours
    assert is_alike(ours, theirs), f"{ours}\n{theirs}"
    ours, theirs = ([one for one in all if "Support for" in one] for all in (warned, told))
    assert ours == theirs


REASONS = """
TransformerEncoderLayer(4, 2, 5, batch_first=True, activation=m.tanh)
TransformerEncoderLayer(4, 2, 5, batch_first=True, activation="gelu") | TransformerEncoderLayer(4, 2, 5)
TransformerEncoderLayer(3, 3, 5, batch_first=True) | TransformerEncoderLayer(4, 2, 5, batch_first=True, bias=False)
""".strip().replace("\n", " | ")


@pytest.mark.parametrize("text", REASONS.split(" | "))
def test_an_encoder_says_why_it_computes_padding(text: str) -> None:
    def story(m: Any) -> Any:
        made = m.nn.TransformerEncoder(eval(f"m.nn.{text}", {"m": m}), 1)
        return made.use_nested_tensor, made.enable_nested_tensor, made.mask_check

    assert said(autograd_lab, story) == said(torch, story)
