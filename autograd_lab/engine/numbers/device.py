"""`device`, `Dense` and `UntypedStorage`: where a tensor is."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np

from autograd_lab.engine.numbers.dtypes import Array

__all__ = [
    "channels_last", "contiguous_format", "device", "get_default_device", "jagged", "layout", "memory_format",
    "preserve_format", "set_default_device", "sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc", "sparse_csr",
    "strided",
]  # fmt: skip


KINDS = (
    "cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy",
    "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone",
)  # fmt: skip
"""The kinds of device that PyTorch knows by name, on whatever machine."""


class device:
    """A device by its name. Any that PyTorch knows can be named; tensors are on the CPU, or on meta."""

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        if isinstance(type, int):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        kind, colon, number = str(type).partition(":")
        if kind not in KINDS:
            known = ", ".join(KINDS)
            raise RuntimeError(f"Expected one of {known} device type at start of device string: {kind}")
        if colon and index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
        if colon and not number.isdecimal():
            raise RuntimeError(f"Invalid device string: {str(type)!r}")
        self.type: str = kind
        self.index = int(number) if number else index

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

    def __enter__(self) -> device:
        _defaults.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        _defaults.pop()


CPU, META = device("cpu"), device("meta")
_defaults = [CPU]
"""Where new tensors are to be: what was set last, and what blocks that are entered say."""


def set_default_device(device: Any) -> None:
    """Where new tensors are to be. With a device that is not there, making one raises what PyTorch raises."""
    _defaults[0] = CPU if device is None else _device(device)


def get_default_device() -> device:
    """Where new tensors are to be."""
    return _defaults[-1]


_device = device
NO_CUDA = "Torch not compiled with CUDA enabled"
NO_LIBRARY = (
    "Cannot initialize CUDA without ATen_cuda library. PyTorch splits its backend into two shared libraries: a CPU "
    "library and a CUDA library; this error has occurred because you are trying to use some CUDA functionality, but "
    "the CUDA library has not been loaded by the dynamic linker for some reason.  The CUDA library MUST be loaded, "
    "EVEN IF you don't directly use any symbols from the CUDA library! One common culprit is a lack of "
    "-Wl,--no-as-needed in your link arguments; many dynamic linkers will delete dynamic library dependencies if you "
    "don't depend on any of their symbols.  You can check if this has occurred by using ldd on your binary to see if "
    "there is a dependency on *_cuda.so library."
)


def placed_on(where: Any = None) -> device:
    """The CPU, or the device without elements. Raises what PyTorch raises on a machine without the one that is named.

    None is where new tensors are to be.
    """
    found = _defaults[-1] if where is None else device(where)
    if found.type in ("cpu", "meta"):
        return META if found.type == "meta" else CPU
    if found.type in ("cuda", "xpu"):
        raise AssertionError(f"Torch not compiled with {found.type.upper()} enabled")
    raise RuntimeError(f"PyTorch is not linked with support for {found.type} devices")


class layout:
    """How elements are kept. All tensors are strided; the others can be named, and compared with."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


jagged, sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided = map(
    layout, ("jagged", "sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc", "sparse_csr", "strided")
)


def check_layout(name: str, asked: Any) -> None:
    """Raise NotImplementedError for a layout that no tensor here has, and TypeError for what is none."""
    if asked is not None and not isinstance(asked, layout):
        raise TypeError(f"{name}(): argument 'layout' must be torch.layout, not {type(asked).__name__}")
    if asked not in (None, strided):
        raise NotImplementedError(f"{name}: all tensors here are dense, and none is laid out as {asked}")


class memory_format:
    """In which order elements lie in memory."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


channels_last, contiguous_format, preserve_format = map(
    memory_format, ("channels_last", "contiguous_format", "preserve_format")
)


class Dense:
    """What is the same for all tensors here: they are on no GPU, and of the plain kind."""

    __slots__ = ()

    is_cuda, is_mps, is_xpu, is_sparse, is_quantized, is_nested = (property(lambda self: False) for _ in range(6))
    layout = property(lambda self: strided)
    name = property(lambda self: None)

    def get_device(self) -> int:
        """The number of its GPU; -1, as it has none."""
        return -1


def owner_of(array: Array) -> Array:
    """The array whose memory another one looks at, or itself."""
    owner: Any = array
    while owner.base is not None and hasattr(owner.base, "__array_interface__"):
        owner = owner.base
    return np.asarray(owner)


class DLDeviceType(IntEnum):
    """The kinds of memory that libraries tell each other of, by DLPack."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17
