"""The table of torch's functions that do more than compute, and of what makes their calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Special = Callable[[Any, Any, Any, Any], Any]
SPECIAL: dict[Any, Special] = {}


def special(*functions: Any) -> Callable[[Special], Special]:
    """Have calls of some of torch's functions made by the decorated one."""

    def note(how: Special) -> Special:
        SPECIAL.update(dict.fromkeys(functions, how))
        return how

    return note
