"""What programs ask of a GPU, answered as a build of PyTorch for the CPU answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from autograd_lab.elsewhere import also
from autograd_lab.engine.numbers.device import NO_CUDA
from autograd_lab.engine.tensor.typed import tensor_type_on_cuda

__path__: list[str] = []  # so that there may be modules below


def is_available() -> bool:
    """False: there is no GPU here."""
    return False


is_initialized = is_bf16_supported = is_tf32_supported = is_available
_initialized = False


def device_count() -> int:
    """No GPU."""
    return 0


def memory_allocated(device: Any = None) -> int:
    """No bytes, on no GPU."""
    return 0


memory_reserved = max_memory_allocated = max_memory_reserved = memory_allocated
memory_cached = max_memory_cached = memory_allocated


def get_arch_list() -> list[str]:
    """No kind of GPU."""
    return []


def manual_seed(seed: int) -> None:
    """Nothing: as in PyTorch, a generator that is not there takes any seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing, for each of no GPUs."""


def seed() -> None:
    """Nothing, as `manual_seed`."""


seed_all = seed


def get_rng_state_all() -> list[Any]:
    """The states of no generators."""
    return []


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Take over the state of each generator. Always an error if there is one: there is no GPU here."""
    for _ in new_states:
        raise AssertionError(NO_CUDA)


def empty_cache() -> None:
    """Nothing: there is no cache."""


def ipc_collect() -> None:
    """Nothing: there is nothing to collect."""


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **named: Any) -> Any:
        raise AssertionError(NO_CUDA)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = "Always an error: there is no GPU here."
    return refuse


REFUSED = """
_lazy_init can_device_access_peer current_blas_handle current_device default_stream init initial_seed
set_per_process_memory_fraction
current_stream get_device_capability get_device_name get_device_properties get_rng_state mem_get_info
memory_stats memory_summary reset_max_memory_allocated reset_peak_memory_stats set_device set_rng_state synchronize
"""
globals().update({name: _refused(name) for name in REFUSED.split()})


class Stream:
    """Work of a GPU, one after another. Always an error: there is no GPU here."""

    def __init__(self, *args: Any, **named: Any) -> None:
        raise RuntimeError(f"torch.cuda.{type(self).__name__} requires CUDA support")


class Event(Stream):
    """A moment in the work of a GPU. Always an error: there is no GPU here."""


class CUDAGraph:
    """Work of a GPU that is taken down, to be done again. Always an error: there is no GPU here."""

    def __init__(self, *args: Any, **named: Any) -> None:
        raise RuntimeError("Tried to instantiate dummy base class CUDAGraph")


class graph:
    """What is done on a GPU in a `with` block, to be done again. Always an error: there is no GPU here."""

    def __init__(self, cuda_graph: Any, pool: Any = None, stream: Any = None, **named: Any) -> None:
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class device:
    """A GPU for a `with` block. Always an error there, unless it is none: as PyTorch has it, a negative number."""

    def __init__(self, device: Any) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None and not (isinstance(self.idx, int) and self.idx < 0):
            raise RuntimeError("PyTorch was compiled without CUDA support")

    def __exit__(self, *_: object) -> None:
        """Nothing is to be undone."""


class device_of(device):
    """The GPU that a tensor is on, for a `with` block: none."""

    def __init__(self, obj: Any) -> None:
        super().__init__(-1)


class StreamContext(device):
    """A `Stream` for a `with` block: there is none, and so nothing to do."""


def stream(stream: Any) -> StreamContext:
    """What a `with` block is given: a stream, which is none."""
    return StreamContext(stream)


def __getattr__(name: str) -> Any:
    """Classes of tensors on a GPU, to which none belong."""
    if found := tensor_type_on_cuda(name):
        return found
    raise AttributeError(f"module 'torch.cuda' has no attribute {name!r}")


also("autograd_lab.cuda.amp", "autograd_lab.amp.on_cuda")
also("autograd_lab.cuda.random", "autograd_lab.cuda")
also("autograd_lab.cuda.memory", "autograd_lab.cuda")
