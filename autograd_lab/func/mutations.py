"""`functionalize`, which is for compilers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from autograd_lab.engine.modes.transforming import transformed

OPTIONS = (
    "functionalize(f, remove='mutations'): received invalid argument for remove={}. Valid options are:\n"
    "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced with their "
    "out-of-place equivalents.\n"
    "     remove='mutations_and_views': In addition to the above, all aliasing operators {{view}} will be replaced "
    "with their non-aliasing counterparts, {{view}}_copy.\n"
)


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """The function that gives what `func` gives, and leaves in its arguments what that leaves there.

    PyTorch puts ops that write nothing in the place of those that write, which a compiler wants to see. Here nobody
    looks at the ops of a transformed function, so it runs as it is written.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(OPTIONS.format(remove))

    @wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        with transformed():
            return func(*args, **kwargs)

    return wrapped
