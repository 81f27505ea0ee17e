"""Where random numbers come from.

They are not those that PyTorch draws, but as repeatable: the same seed gives the same numbers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

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
        self._seed = int(seed)
        self._numbers: np.random.Generator | None = None
        return self

    @property
    def numbers(self) -> np.random.Generator:
        """numpy's generator, made when it is first asked for: to import `numpy.random` takes its time."""
        if self._numbers is None:
            self._numbers = np.random.default_rng(abs(self._seed))
        return self._numbers

    def __reduce__(self) -> Any:
        return _restored, (self.state(),)

    def state(self) -> bytes:
        """All that the coming numbers depend on."""
        return json.dumps([self._seed, self.numbers.bit_generator.state]).encode()

    def restore(self, state: bytes) -> None:
        """Go on from a state. Raises RuntimeError for what is none."""
        try:
            seed, inner = json.loads(state)
            self.manual_seed(seed)
            self.numbers.bit_generator.state = inner
        except (ValueError, TypeError, KeyError) as error:
            raise RuntimeError("Invalid generator state") from error

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
seed, initial_seed, manual_seed = default_generator.seed, default_generator.initial_seed, default_generator.manual_seed


def numbers_of(generator: Generator | None = None) -> np.random.Generator:
    """Where random numbers come from: the generator given, or the one that `manual_seed` is for."""
    chosen = generator or default_generator
    for watch in _watches:
        watch.look_at(chosen)
    return chosen.numbers


class Sources:
    """The generators that were asked for numbers, and where they stood before."""

    def __init__(self) -> None:
        self._begun: dict[Generator, Any] = {}

    def look_at(self, source: Generator) -> None:
        """Remember where a generator stands, unless it is known."""
        if source not in self._begun:
            self._begun[source] = source.numbers.bit_generator.state

    def have_moved(self) -> bool:
        """Whether numbers were drawn from any."""
        return any(source.numbers.bit_generator.state != state for source, state in self._begun.items())

    def restore(self) -> None:
        """Have all go on from where they stood."""
        for source, state in self._begun.items():
            source.numbers.bit_generator.state = state


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
