"""What an op is called without what PyTorch adds to it.

>>> base_of("MulBackward0"), base_of("add_"), base_of("SwishBackward"), base_of("mine::TwiceBackward")
('mul', 'add', 'swish', 'twice')
>>> spelled("IndexAddBackward0"), spelled("SmoothL1LossBackward0"), spelled("Log1PBackward0"), spelled("add_")
('index_add', 'smooth_l1_loss', 'log1p', 'add')
"""

from __future__ import annotations

import re
from functools import cache


@cache
def base_of(name: str) -> str:
    """The op's own name without what PyTorch appends to a node's: `MulBackward0` is `mul`, `add_` is `add`."""
    return re.sub(r"Backwards?\d*$", "", name.split("::")[-1]).lower().rstrip("_") or name


@cache
def spelled(name: str) -> str:
    """The same, as PyTorch spells the op: `IndexAddBackward0` is `index_add`."""
    words = re.sub(r"Backwards?\d*$", "", name.split("::")[-1])
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=\d)(?=[A-Z][a-z])", "_", words).lower().rstrip("_") or name
