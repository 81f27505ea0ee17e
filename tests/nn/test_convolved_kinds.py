"""What convolutions say of operands of different dtypes: a learner's most common mistake with data from numpy."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import autograd_lab
from tests.worlds import said

torch = pytest.importorskip("torch")

SIZES = {
    "several pictures": ("2, 2, 6, 6", "3, 2, 3, 3", 3, 1),
    "one picture": ("1, 1, 5, 5", "1, 1, 3, 3", 1, 1),
    "one that is not in a batch": ("1, 5, 5", "1, 1, 3, 3", 1, 1),
    "a wide kernel": ("1, 1, 9, 9", "1, 1, 5, 5", 1, 1),
    "groups": ("1, 2, 5, 5", "2, 1, 3, 3", 2, 2),
    "a large picture": ("1, 5, 70, 70", "1, 5, 3, 3", 1, 1),
}
KINDS = ("float32", "float64")


@pytest.mark.parametrize("sizes", SIZES.values(), ids=list(SIZES))
@pytest.mark.parametrize("kinds", product(KINDS, KINDS, (*KINDS, None)))
def test_a_convolution_says_what_pytorch_says_of_the_dtypes_of_its_operands(sizes: Any, kinds: Any) -> None:
    of_x, of_w, outputs, groups = sizes

    def story(m: Any) -> Any:
        x, w = (
            eval(f"m.ones({size}, dtype=m.{kind})", {"m": m}) for size, kind in zip((of_x, of_w), kinds, strict=False)
        )
        b = None if kinds[2] is None else m.ones(outputs, dtype=getattr(m, kinds[2]))
        return m.nn.functional.conv2d(x, w, b, groups=groups).sum().item()

    assert said(autograd_lab, story) == said(torch, story)


def test_a_layer_says_what_pytorch_says_of_pictures_of_another_dtype() -> None:
    for text in ("nn.Conv2d(1, 2, 3)(m.ones(4, 1, 8, 8).double())", "nn.Conv2d(1, 2, 3).double()(m.ones(4, 1, 8, 8))",
                 "nn.Conv1d(1, 2, 3, bias=False).double()(m.ones(4, 1, 8))",
                 "nn.ConvTranspose2d(1, 2, 3).double()(m.ones(4, 1, 8, 8))"):  # fmt: skip
        assert said(autograd_lab, text) == said(torch, text)


TRANSPOSED = {
    "one picture": ("1, 2, 5, 5", "2, 3, 3, 3", 3, 1),
    "several pictures": ("2, 2, 5, 5", "2, 3, 3, 3", 3, 1),
    "none": ("0, 2, 5, 5", "2, 3, 3, 3", 3, 1),
    "groups": ("1, 2, 5, 5", "2, 1, 3, 3", 2, 2),
}


@pytest.mark.parametrize("sizes", TRANSPOSED.values(), ids=list(TRANSPOSED))
@pytest.mark.parametrize("bias", ["float32", "float64", "float16", "bfloat16", "int64"])
@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int64"])
def test_a_transposed_convolution_takes_or_refuses_a_bias_of_another_dtype_as_pytorch_does(
    kind: str, bias: str, sizes: Any
) -> None:
    of_x, of_w, outputs, groups = sizes

    def story(m: Any) -> Any:
        x, w = (eval(f"m.ones({size}, dtype=m.{kind})", {"m": m}) for size in (of_x, of_w))
        b = m.ones(outputs, dtype=getattr(m, bias))
        if b.is_floating_point() and x.is_floating_point():
            b.requires_grad_()
        z = m.nn.functional.conv_transpose2d(x, w, b, groups=groups)
        if z.requires_grad:
            z.sum().backward()
        return [z.sum(), b.grad]

    assert said(autograd_lab, story) == said(torch, story)
