"""What `torch.jit` calls its modules: where nothing is compiled, they are modules like others."""

from __future__ import annotations

from typing import Any

from autograd_lab.elsewhere.absent import missing
from autograd_lab.nn.module import Module

__all__ = ["Attribute", "ScriptFunction", "ScriptModule", "annotate", "fork", "wait"]


class ScriptModule(Module):
    """A module whose methods run as Python, as in PyTorch with `PYTORCH_JIT=0`."""


class ScriptFunction:
    """What no function here is."""


class ScriptWarning(Warning):
    """What only a compiler would warn of."""


def Attribute(value: Any, type: Any) -> Any:  # as PyTorch spells it
    """The value, whose type only a compiler would need."""
    return value


def annotate(the_type: Any, the_value: Any) -> Any:
    """The value, whose type only a compiler would need."""
    return the_value


def fork(func: Any, *args: Any, **kwargs: Any) -> Any:
    """What the function gives, at once."""
    return func(*args, **kwargs)


def wait(future: Any) -> Any:
    """What `fork` gave."""
    return future


__getattr__ = missing("autograd_lab.jit")
