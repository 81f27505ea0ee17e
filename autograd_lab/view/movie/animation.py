"""Movies as pictures that move: GIF, APNG and WebP, written frame by frame.

A frame holds the smallest rectangle in which anything changes; what stays as it was in there is clear. Pillow's own
writers of GIF and APNG keep all frames until the last one is there, so for these only its coding of a frame is used.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PIL.GifImagePlugin import getdata, getheader

from autograd_lab.view.kit.png_chunks import SIGNATURE, chunk
from autograd_lab.view.movie.canvas import pictures
from autograd_lab.view.movie.colours import CLEAR, Bytes, Matcher, palette
from autograd_lab.view.movie.movie import Reel

KEEP = 1
"""What comes next is laid over this frame, in a GIF."""
SOURCE, OVER = 0, 1
"""A frame of an APNG takes the place of what was there, or is laid over it."""


class Change(NamedTuple):
    """What of a picture differs from the one before: a rectangle's pixels, and which of them are fresh."""

    milliseconds: int
    left: int
    top: int
    pixels: Bytes
    fresh: NDArray[np.bool_]


def write_gif(reel: Reel, file: BinaryIO) -> None:
    """Colours are the nearest ones of the palette; frames begin and end at hundredths of a second."""
    colours = palette(reel.style)
    for number, change in enumerate(_changes(reel, Matcher(colours))):
        image = Image.fromarray(np.where(change.fresh, change.pixels, CLEAR))
        if number == 0:
            image.putpalette(colours.tobytes())
            again = {} if reel.loops == 1 else {"loop": max(reel.loops - 1, 0)}  # how often after the first time
            file.writelines(getheader(image, info={"version": b"89a", **again})[0])
        length = {"duration": change.milliseconds, "transparency": CLEAR, "disposal": KEEP}
        file.writelines(getdata(image, (change.left, change.top), **length))
    file.write(b";")


def write_apng(reel: Reel, file: BinaryIO) -> None:
    """To the last bit what was painted, in the chunks of the third edition of the PNG specification (W3C, 2025)."""
    file.write(SIGNATURE + chunk(b"IHDR", struct.pack(">IIBBBBB", *reel.size, 8, 6, 0, 0, 0)))
    file.write(chunk(b"acTL", struct.pack(">II", len(reel.lengths), reel.loops)))
    order = 0
    for number, change in enumerate(_changes(reel, np.asarray)):
        height, width = change.fresh.shape
        place = struct.pack(">IIIII", order, width, height, change.left, change.top)
        length = struct.pack(">HHBB", change.milliseconds // 10, 100, 0, OVER if number else SOURCE)
        rows = _rows(change)
        file.write(chunk(b"fcTL", place + length))
        file.write(chunk(b"fdAT", struct.pack(">I", order + 1) + rows) if number else chunk(b"IDAT", rows))
        order += 2 if number else 1
    file.write(chunk(b"IEND", b""))


def write_webp(reel: Reel, file: BinaryIO) -> None:
    """To the last bit what was painted. Pillow finds out by itself what changes."""
    pages = pictures(reel.frames, reel.size)
    first, rest = Image.fromarray(next(pages)), _Pages(pages, len(reel.lengths) - 1)
    options = {"lossless": True, "quality": 75, "method": 2, "kmin": 0, "kmax": 0}
    first.save(file, "WEBP", save_all=True, append_images=[rest], duration=reel.lengths, loop=reel.loops, **options)


class _Pages:
    """What Pillow takes for a picture with more pages: each is painted when it is turned to."""

    mode = "RGB"

    def __init__(self, pages: Iterator[Bytes], count: int) -> None:
        self._pages, self.n_frames = pages, count

    def seek(self, number: int) -> None:
        self._image = Image.fromarray(next(self._pages))

    def getim(self) -> object:
        """What Pillow encodes."""
        return self._image.getim()


def _changes(reel: Reel, shown: Callable[[Bytes], Bytes]) -> Iterator[Change]:
    """What each frame changes of the picture, once `shown` has made of pixels what the file can hold."""
    (whole,) = next(reel.frames)
    picture = shown(whole.pixels).copy()
    yield Change(reel.lengths[0], 0, 0, picture, np.ones(picture.shape[:2], bool))
    for length, patches in zip(reel.lengths[1:], reel.frames, strict=True):
        fresh = np.zeros(picture.shape[:2], bool)
        for patch in patches:
            old, new = patch.of(picture), shown(patch.pixels)
            patch.of(fresh)[:] |= (old != new).reshape(*new.shape[:2], -1).any(-1)
            old[:] = new
        rows, columns = _span(fresh, 1), _span(fresh, 0)
        yield Change(length, columns.start, rows.start, picture[rows, columns], fresh[rows, columns])


def _span(fresh: NDArray[np.bool_], axis: int) -> slice:
    """From the first fresh row or column to the last; one, if there is none, since a frame cannot be empty."""
    found = np.flatnonzero(fresh.any(axis))
    return slice(int(found[0]), int(found[-1]) + 1) if found.size else slice(0, 1)


def _rows(change: Change) -> bytes:
    """The rectangle as rows of RGBA, each after the number of its filter: none, which serves plain surfaces best."""
    solid = change.fresh[..., None] * np.uint8(255)
    rows = np.concatenate([change.pixels & solid, solid], -1).reshape(len(solid), -1)
    return zlib.compress(np.pad(rows, ((0, 0), (1, 0))).tobytes())
