"""Sequences of different lengths in one batch: padded, or packed without padding."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.ops.index.sequences import pack
from autograd_lab.engine.ops.shape.joining import cat, split
from autograd_lab.engine.tensor.factories import as_tensor, full
from autograd_lab.engine.tensor.tensor import Tensor


class _Parts(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None


class PackedSequence(_Parts):
    """All elements of sequences, those of the first time first, with how many sequences go on at each time.

    Sequences stand in order of their length, the longest first; `sorted_indices` says where each came from, and
    `unsorted_indices` where each is; None, if they came so.
    """

    __slots__ = ()

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> PackedSequence:
        """`data` may be both it and the sizes. Raises AssertionError for one of them alone."""
        if batch_sizes is None:
            assert isinstance(data, list | tuple) and len(data) == 2, "Expected data to be a list or tuple of length 2"
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    @property
    def is_cuda(self) -> bool:
        """False: this engine knows the CPU alone."""
        return False

    def is_pinned(self) -> bool:
        """False: memory is pinned for a GPU."""
        return self.data.is_pinned()

    def pin_memory(self) -> PackedSequence:
        """Always an error: there is no GPU to pin memory for."""
        return self._replace(data=self.data.pin_memory())

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """The elements in another dtype, or all on another device."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        orders = [None if one is None else one.to(data.device) for one in self[2:]]
        return type(self)(data, self.batch_sizes, *orders)

    def cpu(self) -> PackedSequence:
        """All on the CPU."""
        return self.to(device="cpu")

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Always an error: there is no GPU here."""
        return self._replace(data=self.data.cuda(*args, **kwargs))

    def double(self) -> PackedSequence:
        """The elements in float64."""
        return self.to(dtype=dtypes.float64)

    def float(self) -> PackedSequence:
        """The elements in float32."""
        return self.to(dtype=dtypes.float32)

    def half(self) -> PackedSequence:
        """The elements in float16."""
        return self.to(dtype=dtypes.float16)

    def long(self) -> PackedSequence:
        """The elements in int64."""
        return self.to(dtype=dtypes.int64)

    def int(self) -> PackedSequence:
        """The elements in int32."""
        return self.to(dtype=dtypes.int32)

    def short(self) -> PackedSequence:
        """The elements in int16."""
        return self.to(dtype=dtypes.int16)

    def char(self) -> PackedSequence:
        """The elements in int8."""
        return self.to(dtype=dtypes.int8)

    def byte(self) -> PackedSequence:
        """The elements in uint8."""
        return self.to(dtype=dtypes.uint8)


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The order that undoes an order."""
    return None if permutation is None else wrap(np.argsort(permutation._array))


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Sequences, padded to (times, sequences, …), without their padding. Raises RuntimeError for unsorted lengths."""
    counts = np.asarray(lengths._array if is_tensor(lengths) else lengths, np.int64)
    order = None
    along = 0 if batch_first else 1
    if not enforce_sorted:
        order = wrap(np.argsort(-counts, kind="stable"))
        counts = counts[order._array]
        input = input.index_select(along, order)
    if not input._array.size:
        raise RuntimeError("Cannot pack empty tensors.")
    if len(counts) != input.shape[along]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(counts)} "
            f"(batch_size={input.shape[along]})"
        )
    if (counts <= 0).any():
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if (np.diff(counts) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    data, sizes = pack(input.transpose(0, 1) if batch_first else input, counts)
    return PackedSequence(data, sizes, order, invert_permutation(order))


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The sequences, padded to (times, sequences, …) or as long as `total_length`, and their lengths."""
    times = len(sequence.batch_sizes)
    if total_length is not None and total_length < times:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {times}"
        )
    padded = _written(sequence.data, sequence.batch_sizes.tolist(), padding_value, total_length or times)
    lengths = (sequence.batch_sizes[:, None] > as_tensor(range(padded.size(1)))).sum(0)
    padded = padded.transpose(0, 1) if batch_first else padded
    if sequence.unsorted_indices is None:
        return padded, lengths
    order = sequence.unsorted_indices
    return padded.index_select(0 if batch_first else 1, order), lengths[order]


def _written(data: Tensor, sizes: list[int], value: float, times: int) -> Tensor:
    """(times, examples, …): rows written into it, at once those of all times with as many examples."""
    whole = full((times, sizes[0], *data.shape[1:]), value, dtype=data.dtype)
    time = row = 0
    for size, same in groupby(sizes):
        count = len(list(same))
        rows = data[row : row + count * size].view(count, size, *data.shape[1:])
        whole[time : time + count][:, :size].copy_(rows)
        time, row = time + count, row + count * size
    return whole


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Tensors of different lengths as one, (longest, tensors, …), with a number after, or before, what is shorter."""
    if not isinstance(sequences, Iterable):
        kind = type(sequences)
        raise RuntimeError(f"pad_sequence: Expected iterable for input sequences, but got arg of type: {kind}")
    parts = list(sequences)
    if not parts:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    longest, rest = max(len(part) for part in parts), parts[0].shape[1:]
    sizes = (len(parts), longest) if batch_first else (longest, len(parts))
    out = full((*sizes, *rest), padding_value, dtype=parts[0].dtype)
    for example, part in enumerate(parts):
        begin = 0 if padding_side == "right" else longest - len(part)
        times = slice(begin, begin + len(part))
        out[(example, times) if batch_first else (times, example)] = part
    return out


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The sequences without their padding, as a list. Without `batch_first` what is given is transposed in place."""
    if not batch_first:
        padded_sequences.transpose_(0, 1)  # so does PyTorch, and leaves it so
    return [row[: int(length)] for row, length in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: list[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Tensors of different lengths, packed."""
    lengths = as_tensor([len(one) for one in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The tensors that were packed."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


Parts = tuple[Any, ...]
"""What a recurrent layer remembers: the state, or state and memory."""


def through(
    step: Callable[[Any, Parts], Parts], data: Tensor, sizes: list[int], state: Parts, backwards: bool
) -> tuple[Any, Parts]:
    """Take a step at each time with those sequences that are not over; what each step gives, and the last states."""
    times = split(data, sizes)
    return _back(step, times, state) if backwards else _forth(step, times, state)


def _forth(step: Callable[[Any, Parts], Parts], times: Any, state: Parts) -> tuple[Any, Parts]:
    over: list[Parts] = []
    outs = []
    for rows in times:
        count = len(rows)
        if count < len(state[0]):
            over.append(tuple(part[count:] for part in state))
            state = tuple(part[:count] for part in state)
        state = step(rows, state)
        outs.append(state[0])
    over.append(state)
    return cat(outs), tuple(cat(parts) for parts in zip(*reversed(over), strict=True))


def _back(step: Callable[[Any, Parts], Parts], times: Any, first: Parts) -> tuple[Any, Parts]:
    state = tuple(part[:0] for part in first)
    outs = []
    for rows in reversed(times):
        had, count = len(state[0]), len(rows)
        if count > had:
            state = tuple(cat([part, more[had:count]]) for part, more in zip(state, first, strict=True))
        state = step(rows, state)
        outs.append(state[0])
    return cat(outs[::-1]), state
