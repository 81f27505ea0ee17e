"""Values of tensors on other devices: computed there at once, without waiting, and fetched many at a time.

To ask a GPU for a number is to wait until it has done all that it was told to do. So what is to be kept of a tensor is
put in a small tensor beside it, in the order in which the device works, and only `fetch` waits: when a pass is over,
when the recording is, when somebody reads the trace, or when much has come together.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import torch

from autograd_lab.recording.values.blocks import length_of
from autograd_lab.recording.values.large_array import BINS, COUNTED, places, summary_of
from autograd_lab.recording.values.snapshot import KEPT, Later, Snapshot
from autograd_lab.torch_bridge.internals import no_dispatch, no_functions

MOST_BYTES, MOST_PIECES = 2**22, 2048
"""So much is kept on devices at a time, at most."""
HUGE = 2**24
"""Beyond this many elements none are copied, not even to leave out NaNs: statistics that these spoil are unknown."""

Finish = Callable[[list[np.ndarray[Any, Any]]], Snapshot]


class Far:
    """What was taken of tensors, and still lies where they do."""

    def __init__(self) -> None:
        self._pieces: list[Any] = []
        self._waiting: list[tuple[Later, int, Finish]] = []
        self._nbytes = 0
        self.fetched = 0
        """How often there was something to wait for."""

    def take(self, tensor: Any) -> Snapshot:
        """What to keep of a strided tensor with numbers that numpy has, to be filled in later."""
        with no_dispatch(), no_functions(), torch.no_grad():
            plain = tensor.detach().resolve_neg()
            whole = plain.nbytes <= KEPT
            pieces = [plain.clone()] if whole else [_statistics(plain), plain[_places(plain)], _blocks(plain)]
        later, shape, is_float = Later(self.fetch), tuple(plain.shape), plain.is_floating_point()
        finish: Finish = _whole(shape) if whole else _large(shape, is_float, plain.numel())
        self._waiting.append((later, len(pieces), finish))
        self._pieces += pieces
        self._nbytes += sum(piece.nbytes for piece in pieces)
        if self._nbytes > MOST_BYTES or len(self._pieces) > MOST_PIECES:
            self.fetch()
        return later

    def fetch(self) -> None:
        """Wait for the devices, and fill in all that has come together: one copy for each device and dtype."""
        if not self._waiting:
            return
        pieces, waiting = self._pieces, self._waiting
        self._pieces, self._waiting, self._nbytes = [], [], 0
        self.fetched += 1
        here = iter(_arrays_of(pieces))
        for later, count, finish in waiting:
            later.snapshot = finish([next(here) for _ in range(count)])


def _arrays_of(pieces: list[Any]) -> list[np.ndarray[Any, Any]]:
    """Tensors as arrays, of each device and dtype in one copy."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for at, piece in enumerate(pieces):
        groups[piece.device, piece.dtype].append(at)
    found: list[Any] = [None] * len(pieces)
    with no_dispatch(), no_functions(), torch.no_grad(), torch.inference_mode(False):
        for device in {device for device, _ in groups}:
            _wait(device)
        for members in groups.values():
            flat, start = torch.cat([pieces[at].reshape(-1) for at in members]).cpu().numpy(), 0
            for at in members:
                end = start + pieces[at].numel()
                found[at] = flat[start:end].reshape(tuple(pieces[at].shape))
                start = end
    return found


def _wait(device: Any) -> None:
    """Wait for all that a device was told to do, on whatever stream."""
    if device.type in ("cuda", "xpu"):
        getattr(torch, device.type).synchronize(device)


def _whole(shape: tuple[int, ...]) -> Finish:
    return lambda arrays: (arrays[0].tobytes(), arrays[0].dtype, shape)


def _large(shape: tuple[int, ...], is_float: bool, size: int) -> Finish:
    def finish(arrays: list[np.ndarray[Any, Any]]) -> Snapshot:
        least, most, mean, norm, nans, infs, *counts = arrays[0].tolist()
        four, shown = (least, most, mean, norm), (arrays[1].copy(), arrays[2].copy())
        return summary_of(four, int(nans), int(infs), counts, shown, shape, is_float, size)

    return finish


def _statistics(tensor: Any) -> Any:
    """Minimum, maximum, mean, norm, how many are NaN and infinite, and counts, as one tensor on the same device."""
    wide = _wide(tensor.device.type)
    flat = tensor.reshape(-1)
    finite = flat.isfinite()
    count, nans = finite.sum(), (flat != flat).sum()
    clean = flat if flat.numel() > HUGE or not flat.is_floating_point() else flat.masked_fill(~finite, 0)
    total = clean.sum(dtype=wide)
    norm = torch.linalg.vector_norm(clean if clean.is_floating_point() else clean.to(wide), dtype=wide)
    most = _extreme(flat, finite, clean, float("-inf")).amax().to(wide)
    least = _extreme(flat, finite, clean, float("inf")).amin().to(wide)
    step = flat.numel() // COUNTED | 1
    counts = _counts(flat[::step].to(wide), finite[::step], least, most)
    numbers = [least, most, total / count, norm, nans.to(wide), (flat.numel() - count - nans).to(wide)]
    return torch.cat([torch.stack(numbers), counts.to(wide)])


def _extreme(flat: Any, finite: Any, clean: Any, instead: float) -> Any:
    return clean if clean is flat else flat.masked_fill(~finite, instead)


def _counts(sample: Any, finite: Any, least: Any, most: Any) -> Any:
    """How many of some elements are in each of the parts of the range, without a sum whose order may change."""
    shares = torch.nan_to_num((sample - least) * ((BINS - 0.001) / (most - least)), 0.0, 0.0, 0.0)
    parts = torch.arange(BINS, device=sample.device).reshape(-1, 1)
    return ((shares.to(torch.int64).clamp(0, BINS - 1) == parts) & finite).sum(1)


@lru_cache(maxsize=16)
def _wide(device: str) -> Any:
    """The widest floats that a kind of device has."""
    try:
        torch.zeros((), dtype=torch.float64, device=device)
    except (TypeError, RuntimeError):
        return torch.float32
    return torch.float64


def _blocks(tensor: Any) -> Any:
    """Of each block the element that is largest in magnitude, on the same device."""
    matrix = tensor.reshape(-1, tensor.shape[-1])
    highs = _along(torch.amax, _along(torch.amax, matrix, 0), 1)
    if not (tensor.is_floating_point() or tensor.dtype.is_signed):
        return highs
    lows = _along(torch.amin, _along(torch.amin, matrix, 0), 1)
    return torch.where(lows < -highs, lows, highs)


def _along(extreme: Any, matrix: Any, dim: int) -> Any:
    """The extremes of blocks of rows, or of columns, in the last of which there may be fewer."""
    step = length_of(matrix.shape[dim])
    whole = matrix.shape[dim] // step * step
    found = extreme(matrix.narrow(dim, 0, whole).unflatten(dim, (-1, step)), dim + 1)
    if whole == matrix.shape[dim]:
        return found
    rest = matrix.narrow(dim, whole, matrix.shape[dim] - whole)
    return torch.cat([found, extreme(rest, dim, keepdim=True)], dim)


def _places(tensor: Any) -> tuple[Any, ...]:
    return _places_on(tuple(tensor.shape), tensor.device)


@lru_cache(maxsize=256)
def _places_on(shape: tuple[int, ...], device: Any) -> tuple[Any, ...]:
    return tuple(torch.from_numpy(np.ascontiguousarray(place)).to(device) for place in places(shape))
