"""`device`, `Dense` and `UntypedStorage`: where a tensor is. There is one device, the CPU, and one layout, strided."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array

__all__ = ["device", "strided"]


class device:
    """A device by its name. Raises RuntimeError for any but the CPU."""

    __slots__ = ("index", "type")

    def __init__(self, name: str | device = "cpu", index: int | None = None) -> None:
        kind: str = name.type if isinstance(name, device) else name.partition(":")[0]
        if kind != "cpu":
            raise RuntimeError(f"this engine computes on the CPU only, so device={str(name)!r} cannot be had")
        self.type: str = kind
        self.index = index

    def __repr__(self) -> str:
        return (
            f"device(type={self.type!r})" if self.index is None else f"device(type={self.type!r}, index={self.index})"
        )

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))


CPU = device()


class layout:
    """How elements are kept."""

    def __repr__(self) -> str:
        return "torch.strided"


strided = layout()


class Dense:
    """What is the same for all tensors here: they are on the CPU, and of the plain kind."""

    __slots__ = ()

    is_cpu = True
    is_cuda = is_mps = is_xpu = is_meta = is_sparse = is_quantized = is_nested = False
    layout = strided
    name = None

    def get_device(self) -> int:
        """The number of its GPU; -1, as it has none."""
        return -1


def owner_of(array: Array) -> Array:
    """The array whose memory another one looks at, or itself."""
    owner: Any = array
    while owner.base is not None and hasattr(owner.base, "__array_interface__"):
        owner = owner.base
    return np.asarray(owner)


class UntypedStorage:
    """The memory that a tensor and its views lie in."""

    __slots__ = ("_owner",)

    def __init__(self, array: Array) -> None:
        self._owner = owner_of(array)

    def data_ptr(self) -> int:
        """The address of its first byte."""
        return int(self._owner.__array_interface__["data"][0])

    def nbytes(self) -> int:
        """How many bytes it has."""
        return int(self._owner.nbytes)

    size = __len__ = nbytes


def on_cpu(where: Any) -> None:
    """Raise RuntimeError unless this names the CPU, the only device there is here, or is None."""
    if where is not None:
        device(where)
