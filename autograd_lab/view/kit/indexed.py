"""A picture as a PNG with a palette: one byte a pixel, so that files are small.

With at most 256 colours nothing is lost. With more, surfaces, lines and letters keep theirs, and of the blends at their
edges those that are nearly alike become one: they move by a few of 256 levels. Nothing is dithered.
"""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from numpy.typing import NDArray

from autograd_lab.view.kit.png_chunks import SIGNATURE, chunk

MOST = 256
"""A palette has so many colours at most."""
EXACT = 128
"""So many of the most frequent colours are kept as they are: all surfaces, lines and letters are among them."""
APART = (4, 8, 12, 16, 24, 32)
"""A rarer colour that is no farther from one of the palette, of 256 levels in each channel, becomes that one."""

Keys = NDArray[np.uint32]


def indexed(png: bytes) -> bytes:
    """The same picture with a palette; as it was, without Pillow, or where that is no smaller or would be seen."""
    try:
        from PIL import Image
    except ImportError:
        return png
    with Image.open(io.BytesIO(png)) as picture:
        pixels = np.asarray(picture.convert("RGBA"))
    height, width = pixels.shape[:2]
    keys = np.ascontiguousarray(pixels).view("<u4").reshape(-1)
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    lengths = np.diff(np.append(starts, keys.size))
    colours, which = np.unique(keys[starts], return_inverse=True)
    found = merged(colours, np.bincount(which, weights=lengths).astype(np.float64))
    if found is None:
        return png
    palette, place = found
    small = _written(np.repeat(place[which], lengths).reshape(height, width), palette)
    return min(small, png, key=len)


def merged(colours: Keys, counts: NDArray[np.float64]) -> tuple[Keys, NDArray[np.uint8]] | None:
    """A palette of at most 256 of these colours, and the place in it of each of them.

    None, if a colour would move so far that it could be seen.
    """
    if colours.size <= MOST:
        return colours, np.arange(colours.size, dtype=np.uint8)
    often = colours[np.lexsort((colours, -counts))]
    for apart in APART:
        palette = _spread(often, apart)
        if palette.size <= MOST:
            off = _distance(_channels(colours)[:, None], _channels(palette)[None])
            return palette, off.argmin(-1).astype(np.uint8)
    return None


def _spread(often: Keys, apart: int) -> Keys:
    """The most frequent ones, and of the others those that are farther than that from all before them."""
    kept = _channels(often[: MOST + 1])
    count = EXACT
    for colour in _channels(often[EXACT:]):
        if count <= MOST and (_distance(kept[:count], colour) > apart).all():
            kept[min(count, MOST)] = colour
            count += 1
    return _keys(kept[:count])


def _distance(one: NDArray[np.int16], other: NDArray[np.int16]) -> NDArray[np.int16]:
    """By how much the channels differ at most."""
    return np.abs(one - other).max(-1)


def _channels(colours: Keys) -> NDArray[np.int16]:
    return np.ascontiguousarray(colours, "<u4").view(np.uint8).reshape(-1, 4).astype(np.int16)


def _keys(channels: NDArray[np.int16]) -> Keys:
    return np.ascontiguousarray(channels.astype(np.uint8)).view("<u4").reshape(-1).astype(np.uint32)


def _written(places: NDArray[np.uint8], palette: Keys) -> bytes:
    """A PNG of 8 bits a pixel; each row after the number of its filter: none."""
    height, width = places.shape
    channels = palette.astype("<u4").view(np.uint8).reshape(-1, 4)
    opaque = bool((channels[:, 3] == 255).all())
    return b"".join(
        [
            SIGNATURE,
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            chunk(b"PLTE", channels[:, :3].tobytes()),
            b"" if opaque else chunk(b"tRNS", channels[:, 3].tobytes()),
            chunk(b"IDAT", zlib.compress(np.pad(places, ((0, 0), (1, 0))).tobytes(), 8)),
            chunk(b"IEND", b""),
        ]
    )
