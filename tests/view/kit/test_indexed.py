"""PNGs with a palette look like those without, and are smaller."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

pytest.importorskip("PIL")
from PIL import Image

from autograd_lab.display.script import find_script, run_script
from autograd_lab.view.kit.indexed import MOST, indexed, merged
from autograd_lab.view.png import to_png
from autograd_lab.view.scene import make_scene
from autograd_lab.view.svg import to_svg


def pixels(png: bytes) -> NDArray[np.int16]:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGBA")).astype(np.int16)


def painted(colours: NDArray[np.uint8]) -> bytes:
    file = io.BytesIO()
    Image.fromarray(colours).save(file, "PNG", compress_level=0)
    return file.getvalue()


@given(st.lists(st.binary(min_size=4, max_size=4), min_size=1, max_size=MOST), st.integers(1, 5))
def test_with_few_colours_nothing_is_lost(colours: list[bytes], rows: int) -> None:
    row = np.frombuffer(b"".join(colours), np.uint8).reshape(1, -1, 4)
    picture = painted(np.repeat(row, rows, 0))
    assert (pixels(indexed(picture)) == pixels(picture)).all()


@given(st.integers(257, 3000), st.integers(0, 2**32 - 1))
def test_the_palette_has_room_and_the_most_frequent_colours_are_in_it(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    colours = np.unique(random.integers(0, 24**3, count)).astype(np.uint32)
    counts = random.permutation(colours.size).astype(np.float64)
    found = merged(colours, counts)
    if found is not None:
        palette, place = found
        often = colours[np.argsort(-counts)[:100]]
        assert palette.size <= MOST and place.max() < palette.size
        assert np.isin(often, palette).all()
        assert (palette[place[np.isin(colours, palette)]] == colours[np.isin(colours, palette)]).all()


def test_a_photograph_keeps_all_its_colours() -> None:
    noise = painted(np.random.default_rng(0).integers(0, 256, (80, 80, 3), np.uint8))
    assert indexed(noise) == noise


@pytest.mark.parametrize("program", ["expression", "mlp"])
def test_a_slide_takes_half_the_bytes_and_only_blends_at_edges_move_a_little(program: str) -> None:
    picture = to_png(to_svg(make_scene(run_script(find_script(program)).trace)))
    small = indexed(picture)
    off = np.abs(pixels(small) - pixels(picture)).max(-1)
    assert len(small) < len(picture) / 2
    assert off.max() <= 24 and (off > 0).mean() < 0.02
