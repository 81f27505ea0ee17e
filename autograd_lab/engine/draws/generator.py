"""Where random numbers come from: the same seed gives the same numbers, which are those that PyTorch draws."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from autograd_lab.engine.draws.twister import STATE, Twister
from autograd_lab.engine.numbers.device import CPU, META, device, placed_on

__all__ = ["Generator", "default_generator", "initial_seed", "manual_seed", "seed"]

as_tensor: Any = None
"""Makes an array a tensor: set by the room that has tensors."""


class Generator:
    """A source of random numbers."""

    __slots__ = ("_numbers", "_seed")
    __module__ = "torch._C"

    def __init__(self, device: Any = None) -> None:
        if device is not None and placed_on(device) is META:
            raise RuntimeError("META device type not an accelerator.")
        self.manual_seed(67280421310721)

    def manual_seed(self, seed: int) -> Generator:
        """Begin anew: the same seed gives the same numbers in every run."""
        if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = int(seed) % 2**64
        self._numbers: Twister | None = None
        return self

    @property
    def numbers(self) -> Twister:
        """What draws them, made when it is first asked for: to import `numpy.random` takes its time."""
        if self._numbers is None:
            self._numbers = Twister(self._seed)
        return self._numbers

    def __reduce__(self) -> Any:
        return _restored, (self.state(),)

    def state(self) -> bytes:
        """All that the coming numbers depend on, as PyTorch writes it."""
        return self.numbers.state

    def restore(self, state: bytes) -> None:
        """Go on from a state. Raises RuntimeError for what is none."""
        try:
            self.numbers.state = state
        except struct.error:
            wanted = f"Expected a CPUGeneratorImplState of size {STATE.size} but found the input RNG state size to be"
            raise RuntimeError(f"{wanted} {len(state)}") from None
        except ValueError:
            raise RuntimeError("Invalid mt19937 state") from None
        self._seed = self.numbers.seed

    def get_state(self) -> Any:
        """All that the coming numbers depend on, as a tensor of bytes."""
        return as_tensor(np.frombuffer(self.state(), np.uint8).copy())

    def set_state(self, new_state: Any) -> Generator:
        """Go on from a state that `get_state` gave, and return the generator. Raises RuntimeError for what is none."""
        if not hasattr(new_state, "_array"):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state._array.dtype != np.uint8:
            raise TypeError("expected a torch.ByteTensor, but got torch." + f"{new_state.dtype.title}Tensor")
        self.restore(new_state._array.tobytes())
        return self

    def clone_state(self) -> Generator:
        """Another source, which will give the same numbers."""
        other = Generator()
        other.restore(self.state())
        return other

    def get_offset(self) -> int:
        """Raise RuntimeError: generators of a GPU have one."""
        raise RuntimeError("CPU Generator does not use offset")

    def set_offset(self, offset: int) -> None:
        """Raise RuntimeError: generators of a GPU have one."""
        raise RuntimeError("CPU Generator does not use offset")

    @property
    def device(self) -> device:
        """On the CPU."""
        return CPU

    def seed(self) -> int:
        """Begin anew with a seed that nobody chose, and return it."""
        self.manual_seed(int.from_bytes(os.urandom(8)) >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """The seed that the numbers began with."""
        return self._seed


def _restored(state: bytes) -> Generator:
    generator = Generator()
    generator.restore(state)
    return generator


default_generator = Generator()
default_generator.seed()
seed, initial_seed = default_generator.seed, default_generator.initial_seed


def manual_seed(seed: Any) -> Generator:
    """Begin anew: the same seed gives the same numbers in every run."""
    return default_generator.manual_seed(int(seed))


def numbers_of(generator: Generator | None = None) -> Twister:
    """Where random numbers come from: the generator given, or the one that `manual_seed` is for."""
    chosen = generator or default_generator
    for watch in _watches:
        watch.look_at(chosen)
    return chosen.numbers


def next_seed(generator: Generator | None = None) -> int:
    """A random seed for another source, as a loader and a sampler draw one."""
    return int(numbers_of(generator).integers(0, 2**63)[()])


class Sources:
    """The generators that were asked for numbers, and where they stood before."""

    def __init__(self) -> None:
        self._begun: dict[Generator, bytes] = {}

    def look_at(self, source: Generator) -> None:
        """Remember where a generator stands, unless it is known."""
        if source not in self._begun:
            self._begun[source] = source.state()

    def have_moved(self) -> bool:
        """Whether numbers were drawn from any."""
        return any(source.state() != state for source, state in self._begun.items())

    def restore(self) -> None:
        """Have all go on from where they stood."""
        for source, state in self._begun.items():
            source.restore(state)


_watches: list[Sources] = []


@contextmanager
def watched() -> Iterator[Sources]:
    """Inside, it is noted which generators are asked for numbers."""
    sources = Sources()
    _watches.append(sources)
    try:
        yield sources
    finally:
        _watches.remove(sources)
