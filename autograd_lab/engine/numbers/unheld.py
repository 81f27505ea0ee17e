"""Dtypes of PyTorch that no tensor has here: they may be named and compared, as in what a program knows to handle."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

import numpy as np

from autograd_lab.engine.numbers.dtypes import dtype

COMPLEX = "there are no complex numbers here"
SMALL = "the smallest floating numbers here are float16 and bfloat16"
UNSIGNED = "of numbers without a sign there is uint8 here"
QUANTISED = "there are no quantised numbers here"
EIGHTS = "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"
FORMS = {
    "complex32": ("ComplexHalf", 4, COMPLEX),
    "complex64": ("ComplexFloat", 8, COMPLEX),
    "complex128": ("ComplexDouble", 16, COMPLEX),
    **{
        f"float8_{form}": (f"Float8_{form}", 1, SMALL) for form in ["e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu"]
    },
    "uint16": ("UInt16", 2, UNSIGNED),
    "uint32": ("UInt32", 4, UNSIGNED),
    "uint64": ("UInt64", 8, UNSIGNED),
    "qint8": ("QInt8", 1, QUANTISED),
    "quint8": ("QUInt8", 1, QUANTISED),
    "qint32": ("QInt32", 4, QUANTISED),
    "quint4x2": ("QUInt4x2", 1, QUANTISED),
    "quint2x4": ("QUInt2x4", 1, QUANTISED),
}
"""For each its title, the bytes of an element, and why there are no such tensors."""
ALIASES = {"chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128"}


class Unheld(dtype):
    """A dtype by name alone."""

    __slots__ = ("why",)

    def __init__(self, name: str, title: str, itemsize: int, why: str) -> None:
        self.name, self.title, self.cpp = name, title, f"c10::{title}"
        self.itemsize, self.why = itemsize, why
        self.is_floating_point = name.startswith("float")

    @property
    def numpy(self) -> NoReturn:  # type: ignore[override]  # whatever would make such elements asks for it
        """Refused. Raises NotImplementedError with the reason."""
        raise NotImplementedError(f"no tensor has the dtype torch.{self.name}: {self.why}")

    @property
    def measure(self) -> Any:
        """What knows the limits of these numbers: of complex ones, those of their parts. Raises NotImplementedError."""
        if self.name.startswith("q"):
            raise NotImplementedError(f"\"dtype\" not implemented for '{self.title}'")
        if self.is_complex:
            return np.dtype(f"float{4 * self.itemsize}")
        return np.dtype(getattr(import_module("ml_dtypes"), self.name) if self.is_floating_point else self.name)

    def __reduce__(self) -> Any:
        return called, (self.name,)


KNOWN = {name: Unheld(name, *form) for name, form in FORMS.items()}


def _complex(*args: Any, **named: Any) -> NoReturn:
    """What would make complex numbers. Raises NotImplementedError."""
    raise NotImplementedError(COMPLEX)


MAKERS = "complex", "polar", "view_as_complex", "view_as_real"


def called(name: str) -> Any:
    """The dtype of that name, if it is one, or what would make complex numbers."""
    return _complex if name in MAKERS else KNOWN.get(ALIASES.get(name, name))
