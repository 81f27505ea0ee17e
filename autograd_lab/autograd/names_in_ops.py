"""`torch.ops`: PyTorch's operators under the names that they have in C++, such as `torch.ops.aten.add.Tensor`.

Programs that know operators by these names, as those that extend tensors do, find the functions of this engine there.
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from autograd_lab.autograd.custom_ops import KNOWN, CustomOpDef
from autograd_lab.engine.ops.activation.probabilities import safe_softmax
from autograd_lab.engine.tensor.tensor import Tensor


def _slice(self: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    return self[(slice(None),) * (dim % self.dim()) + (slice(start, end, step),)]


SPELLED_OTHERWISE = {
    "_safe_softmax": safe_softmax,
    "_pin_memory": lambda self, device=None: self.pin_memory(),
    "_to_copy": lambda self, **named: self.to(**named, copy=True),
    "alias": lambda self: self.view_as(self),
    "index": lambda self, indices: self[tuple(slice(None) if one is None else one for one in indices)],
    "slice": _slice,
    "_unsafe_view": lambda self, size: self.reshape(size),
}
"""What programs write as an index, or with other words."""


class OpOverload:
    """An operator for one kind of arguments; here the same function as for the others."""

    __module__ = "torch._ops"

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self.overloadpacket, self._overloadname = packet, overload
        self.namespace, self.__name__ = "aten", f"{packet.__name__}.{overload}"

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self.overloadpacket(*args, **named)

    def __str__(self) -> str:
        return f"aten.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='aten.{self.overloadpacket.__name__}', overload='{self._overloadname}')>"

    def name(self) -> str:
        """Its name in C++."""
        return f"aten::{self.__name__.removesuffix('.default')}"


class OpOverloadPacket:
    """An operator, for whatever it is given."""

    __module__ = "torch._ops"

    def __init__(self, name: str) -> None:
        self.__name__, self.op = name, _function(name)

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self.op is None:
            raise NotImplementedError(f"the operator {self} is not here")
        return self.op(*args, **named)

    def __str__(self) -> str:
        return f"aten.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='aten.{self.__name__}')>"

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("_"):
            raise AttributeError(f"'OpOverloadPacket' object has no attribute '{overload}'")
        made = vars(self)[overload] = OpOverload(self, overload)
        return made


class OpNamespace:
    """The operators of one library: of `aten` any that is named, though not all can be called; else the program's."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, op: str) -> OpOverloadPacket | CustomOpDef:
        if (own := KNOWN.get(f"{self.name}::{op}")) is not None:
            return own
        if self.name != "aten" or op.startswith("__"):
            raise AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{op}'")
        made = vars(self)[op] = OpOverloadPacket(op)
        return made


def _function(op: str) -> Any:
    """The function of that name, wherever programs find it: in `torch`, as a function of layers, or as a method."""
    if op in SPELLED_OTHERWISE:
        return SPELLED_OTHERWISE[op]
    for path in ("autograd_lab", "autograd_lab.nn.functional"):
        if callable(found := getattr(importlib.import_module(path), op, None)):
            return found
    return getattr(Tensor, op, None)


def load_library(path: str) -> None:
    """Always an error. Raises NotImplementedError."""
    raise NotImplementedError("the engine is plain Python: nothing is loaded into it")


namespace = cache(OpNamespace)


def __getattr__(name: str) -> OpNamespace:
    """A library of operators, whether it has some or none."""
    if name.startswith("__"):
        raise AttributeError(name)
    return namespace(name)
