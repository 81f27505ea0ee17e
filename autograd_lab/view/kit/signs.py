"""What an op is called without what PyTorch adds to it.

>>> base_of("MulBackward0"), base_of("add_"), base_of("SwishBackward"), base_of("mine::TwiceBackward")
('mul', 'add', 'swish', 'twice')
"""

from __future__ import annotations

import re
from functools import cache


@cache
def base_of(name: str) -> str:
    """The op's own name without what PyTorch appends to a node's: `MulBackward0` is `mul`, `add_` is `add`."""
    return re.sub(r"Backwards?\d*$", "", name.split("::")[-1]).lower().rstrip("_") or name
