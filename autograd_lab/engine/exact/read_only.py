"""What of a tensor is to be read only: setting it is an error, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograd_lab.engine.core.variable import Variable


def keep_read_only(cls: type) -> None:
    """Give each property without a setter, of a class of tensors and its bases, one that says that it is none."""
    for base in cls.__mro__[: cls.__mro__.index(Variable)]:
        for name, value in list(vars(base).items()):
            if type(value) is property and value.fset is None:
                refuse = _refusing(name)
                setattr(base, name, property(value.fget, refuse, value.fdel or refuse, value.__doc__))


def _refusing(name: str) -> Callable[..., None]:
    def refuse(*_: Any) -> None:
        raise AttributeError(f"attribute {name!r} of 'torch._C.TensorBase' objects is not writable")

    return refuse
