"""The random numbers that PyTorch draws on a CPU: of the same seed the same ones, to the last bit.

Both PyTorch and numpy have the Mersenne Twister (Matsumoto and Nishimura, 1998). How its numbers of 32 bits become
those of a distribution is PyTorch's own: its `DistributionsHelper.h`, `TransformationHelper.h` and
`DistributionTemplates.h` say it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_lab.engine.draws.box_muller import TOGETHER, box_muller, joined
from autograd_lab.engine.numbers.dtypes import F32, F64, Array, NumpyDtype

Shape = int | tuple[int, ...]
STATE = struct.Struct("<Qii Q 624Q ddd i4x f?3x")
"""How PyTorch writes a state: the seed, how many numbers are left of 624, whether there is a seed, where the next one
stands, the 624; of normal numbers the one that is kept, and whether there is one; the same in float32, not used."""
_WORDS = 624
_HUGE = 2.0**900
_BLOCK = 1 << 16
_MANY = 1 << 28
"""Of so many whole numbers some would come visibly more often than others, were they the rest of one of 32 bits."""


class Twister:
    """Draws arrays; what is drawn next hangs on its `state` alone."""

    def __init__(self, seed: int) -> None:
        """Begin with a seed, of which 32 bits count."""
        self._bits = _seeded(seed)
        self.seed, self._has_drawn = seed % 2**64, False
        self._kept: float | None = None

    def draw(self, count: int) -> Array:
        """Numbers of 32 bits, as uint64."""
        self._has_drawn = self._has_drawn or count > 0
        drawn: Array = self._bits.random_raw(count)
        return drawn

    def draw_long(self, count: int) -> Array:
        """Numbers of 64 bits, each of two."""
        pairs = self.draw(2 * count)
        return pairs[0::2] << np.uint64(32) | pairs[1::2]

    def random(self, shape: Shape = (), dtype: NumpyDtype = F64) -> Array:
        """Numbers from 0 below 1, made of the lower bits: as many as float64 has digits, or else float32."""
        count = math.prod(shape) if isinstance(shape, tuple) else shape
        if dtype == F64:
            return ((self.draw_long(count) & np.uint64(2**53 - 1)) * 2.0**-53).reshape(shape)
        return ((self.draw(count) & np.uint64(2**24 - 1)).astype(F32) * F32.type(2.0**-24)).reshape(shape)

    def uniform(self, low: float, high: float, shape: Shape = (), dtype: NumpyDtype = F64) -> Array:
        """Numbers from `low` below `high`."""
        kind, join = (F64, joined_double) if dtype == F64 else (F32, joined)
        first, last = kind.type(low), kind.type(high)
        made = np.asarray(join(self.random(shape, dtype), last - first, first)).astype(dtype, copy=False)
        if low != 0 or dtype not in (F32, F64):
            made[made == np.asarray(last).astype(dtype)] = first  # what is rounded up to the end, which is none of them
        return made

    def integers(self, low: int, high: int, shape: Shape = (), is_long: bool | None = None) -> Array:
        """Whole numbers from `low` below `high`; each `is_long`, of 64 bits, unless there are few of them."""
        count, some = math.prod(shape) if isinstance(shape, tuple) else shape, high - low
        drawn = self.draw_long(count) if (some >= _MANY if is_long is None else is_long) else self.draw(count)
        rest = drawn % np.uint64(some) if some < 2**64 else drawn
        return (rest.astype(np.int64) + np.int64(low)).reshape(shape)

    def permutation(self, count: int) -> Array:
        """The whole numbers below `count` in random order: each in turn changes places with one behind it (Fisher and
        Yates, 1938)."""
        order = list(range(count))
        left = np.arange(count, 1, -1, dtype=np.uint64)
        for at, step in enumerate((self.draw(max(count - 1, 0)) % left).tolist()):
            order[at], order[at + step] = order[at + step], order[at]
        return np.asarray(order, np.int64)

    def normal(
        self, mean: float = 0.0, std: float = 1.0, shape: Shape = (), dtype: NumpyDtype = F64, in_rows: bool = True
    ) -> Array:
        """Normal numbers: few are made by pairs, in float64; many, if they are to lie in rows, by sixteens, in
        their own dtype."""
        count = math.prod(shape) if isinstance(shape, tuple) else shape
        if count < TOGETHER or not in_rows:
            return in_dtype(joined_double(self.normals(count), std, mean), dtype).reshape(shape)
        kind, fill = (F64, _in_double) if dtype == F64 else (F32, box_muller)
        whole, made = count - count % TOGETHER, np.empty(count, kind)
        drawn = count if dtype in (F32, F64) else whole
        made[:drawn] = self.random(drawn, kind)
        for start in range(0, whole, _BLOCK):
            part = slice(start, min(start + _BLOCK, whole))
            made[part] = fill(made[part], mean, std)
        if whole < count:  # the last sixteen are made anew
            made[-TOGETHER:] = fill(self.random(TOGETHER, kind), mean, std)
        return made.astype(dtype, copy=False).reshape(shape)

    def normals(self, count: int) -> Array:
        """Normal float64 numbers one after another; of a pair, the second is kept for the next time."""
        kept: list[float] = [] if self._kept is None else [self._kept]
        self._kept = None
        if count < len(kept):
            self._kept = kept.pop()
        pairs = (count - len(kept) + 1) // 2
        angle, height = self.random((pairs, 2)).T if pairs else (np.empty(0), np.empty(0))
        radius = np.sqrt(-2 * exactly(math.log1p, -height))
        angle = 2 * np.pi * angle
        made = np.stack([radius * exactly(math.cos, angle), radius * exactly(math.sin, angle)], axis=1).reshape(-1)
        found = [*kept, *made.tolist()]
        if len(found) > count:
            self._kept = found.pop()
        return np.asarray(found, F64)

    def exponential(self, rate: float = 1.0, shape: Shape = ()) -> Array:
        """Times until something happens that happens `rate` times a unit."""
        return np.asarray(-1 / rate * exactly(math.log1p, -self.random(shape)))

    def cauchy(self, median: float = 0.0, sigma: float = 1.0, shape: Shape = ()) -> Array:
        """Where lines in all directions through a point at the distance `sigma` meet a line, from `median` on."""
        least = np.finfo(F64).eps
        angle = np.pi * (self.random(shape).clip(least, 1 - least) - 0.5)
        return np.asarray(joined_double(exactly(math.tan, angle), sigma, median))

    def log_normal(self, mean: float = 0.0, std: float = 1.0, shape: Shape = ()) -> Array:
        """e to normal numbers."""
        drawn = self.normals(math.prod(shape) if isinstance(shape, tuple) else shape)
        return exactly(math.exp, joined_double(drawn, std, mean)).reshape(shape)

    def geometric(self, chance: float, shape: Shape = ()) -> Array:
        """How many trials it takes to a success."""
        return np.asarray(np.ceil(np.log(self.random(shape)) / math.log1p(-chance)))

    @property
    def state(self) -> bytes:
        """All that is drawn next hangs on, as PyTorch writes it."""
        inner = self._bits.state["state"]
        left, at = _WORDS + 1 - inner["pos"], inner["pos"] if self._has_drawn else 0
        kept = 0.0 if self._kept is None else self._kept
        has = int(self._kept is not None)
        words: list[int] = inner["key"].tolist()
        return STATE.pack(self.seed, left, 1, at, *words, 0.0, kept, 0.0, has, 0.0, False)

    @state.setter
    def state(self, written: bytes) -> None:
        seed, left, is_seeded, at, *rest = STATE.unpack(written)
        if is_seeded != 1 or not (0 < left <= _WORDS >= at):
            raise ValueError("no state of a Mersenne Twister")
        words, (_, kept, _, has, *_) = rest[:_WORDS], rest[_WORDS:]
        inner = {"key": np.asarray(words, np.uint32), "pos": _WORDS if left == 1 else at}
        self._bits.state = {"bit_generator": "MT19937", "state": inner}
        self.seed, self._kept, self._has_drawn = seed, kept if has else None, bool(at)


def in_dtype(x: Array, dtype: NumpyDtype) -> Array:
    """What was drawn, in another dtype; in half precision it is rounded to float32 first, as in PyTorch."""
    is_half = dtype.itemsize == 2 and dtype.kind in "fV"
    return (x.astype(F32) if is_half else x).astype(dtype, copy=False)


def as_it_lies(x: Array, draw: Callable[[tuple[int, ...]], Array]) -> Array:
    """What is drawn for the elements of an array, in the order in which they lie in memory."""
    if type(x) is not np.ndarray or x.flags.c_contiguous:
        return draw(x.shape)
    order = sorted(range(x.ndim), key=lambda dim: -abs(x.strides[dim]))
    return draw(tuple([x.shape[dim] for dim in order])).transpose(np.argsort(order))


def _seeded(seed: int) -> Any:
    """numpy's own, begun as PyTorch begins with this seed."""
    bits: Any = np.random.MT19937()
    bits.state = np.random.RandomState(seed % 2**32).get_state(legacy=False)
    return bits


def joined_double(x: Array, y: float, z: float) -> Array:
    """x y + z, rounded once, as processors do it that join both; but for a last digit in very rare cases. What rounding
    takes off a product or a sum can be computed (Dekker, 1971)."""
    if not z or max(abs(y), abs(z)) > _HUGE:
        return x * y + z
    high, low = (_halved(x), _halved(np.asarray(y, F64)))
    product = x * y
    lost = ((high[0] * low[0] - product) + high[0] * low[1] + high[1] * low[0]) + high[1] * low[1]
    total = product + z
    part = total - product
    lost_then = (product - (total - part)) + (z - part)
    return total + (lost + lost_then)


def _halved(x: Array) -> tuple[Array, Array]:
    """The upper and the lower half of the digits."""
    spread = x * (2.0**27 + 1)
    upper = spread - (spread - x)
    return upper, x - upper


def exactly(function: Callable[[float], float], x: Array) -> Array:
    """A function of C's library for each number: numpy has its own, faster ones, in other last digits."""
    return np.asarray(list(map(function, x.reshape(-1).tolist())), F64).reshape(x.shape)


def _in_double(uniform: Array, mean: float, std: float) -> Array:
    rows = uniform.reshape(-1, TOGETHER)
    radius = np.sqrt(-2 * exactly(math.log, 1 - rows[:, :8]))
    angle = 2 * np.pi * rows[:, 8:]
    made = np.concatenate([radius * exactly(math.cos, angle), radius * exactly(math.sin, angle)], axis=1)
    return joined_double(made, std, mean).reshape(-1)
