"""The mathematical sign of an op, for the maths view.

>>> symbol_of("MulBackward0"), symbol_of("ExpBackward0"), symbol_of("SwishBackward")
('×', 'exp', 'swish')
"""

from __future__ import annotations

import re
from functools import cache

SIGNS = {
    "add": "+",
    "sub": "−",
    "rsub": "−",
    "mul": "×",
    "div": "÷",
    "neg": "−( )",
    "pow": "( )ⁿ",
    "mm": "@",
    "bmm": "@",
    "mv": "@",
    "dot": "·",
    "matmul": "@",
    "addmm": "@ +",
    "sum": "Σ",
    "prod": "Π",
    "sqrt": "√",
    "reciprocal": "1 / ( )",
    "sigmoid": "σ",
    "t": "( )ᵀ",
    "permute": "permute",
    "copyslices": "[…] =",
    "copybackwards": "copy",
    "gt": ">",
    "lt": "<",
    "ge": "≥",
    "le": "≤",
    "eq": "=",
    "ne": "≠",
}


@cache
def base_of(name: str) -> str:
    """The op's own name without what PyTorch appends to a node's: `MulBackward0` is `mul`, `add_` is `add`."""
    return re.sub(r"Backwards?\d*$", "", name.split("::")[-1]).lower().rstrip("_") or name


def symbol_of(name: str) -> str:
    """A sign where mathematics has one, else the op's own name."""
    base = base_of(name)
    return SIGNS.get(base, base)
