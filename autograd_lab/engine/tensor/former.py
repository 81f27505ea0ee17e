"""`FormerMethods`: what tensors had in early PyTorch, and still have in name."""

from __future__ import annotations

import warnings
from typing import Any

from autograd_lab.engine.core.variable import Variable
from autograd_lab.whose import users_level

NO_EFFECT = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


def warn(text: str) -> None:
    """Warn of it, at the user's line."""
    warnings.warn(text, UserWarning, stacklevel=users_level())


class FormerMethods(Variable):
    """Names that warn, or say what has come in their place."""

    __slots__ = ()

    @property
    def volatile(self) -> bool:
        """False: `torch.no_grad()` has come in its place."""
        warn("volatile was removed (Variable.volatile is always False)")
        return False

    @volatile.setter
    def volatile(self, value: Any) -> None:
        warn(NO_EFFECT)

    @volatile.deleter
    def volatile(self) -> None:
        warn(NO_EFFECT)
