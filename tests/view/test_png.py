"""Pictures come out the same everywhere, at the size that was promised."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from autograd_lab.view.png import PngUnavailable, png_scale, svg_size, to_png


def picture(body: str = "", width: float = 120, height: float = 40, head: str = "") -> str:
    return f'{head}<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">{body}</svg>'


def text(content: str) -> str:
    return picture(f'<text x="4" y="28" font-family="DejaVu Sans" font-size="20">{content}</text>')


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png))


def test_a_px_of_the_svg_is_two_pixels() -> None:
    assert opened(to_png(picture(), scale=2)).size == (240, 80)


def test_the_background_is_that_of_the_svg() -> None:
    white = '<rect width="100%" height="100%" fill="#ffffff"/>'
    assert opened(to_png(picture(white))).getpixel((3, 3)) == (255, 255, 255, 255)


def test_same_svg_gives_same_bytes_in_another_process() -> None:
    program = "import sys; from autograd_lab.view.png import to_png; sys.stdout.buffer.write(to_png(sys.argv[1]))"
    other = subprocess.run([sys.executable, "-c", program, text("x * w")], capture_output=True, check=True).stdout
    assert other == to_png(text("x * w"))


def test_long_side_is_capped() -> None:
    assert opened(to_png(picture(width=3000, height=20), max_side=1000)).size[0] == 1000


@given(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0.1, 8), st.integers(100, 10_000))
def test_scale_never_exceeds_the_wish_nor_the_cap(width: float, height: float, wish: float, cap: int) -> None:
    scale = png_scale(width, height, wish, cap)
    assert 0 < scale <= wish
    assert max(width, height) * scale <= cap * (1 + 1e-12)


def test_text_is_drawn_from_the_bundled_font() -> None:
    assert opened(to_png(text("∂z"))).getbbox() is not None


def test_a_character_without_a_glyph_is_drawn_as_a_box_and_not_skipped() -> None:
    assert to_png(text("猫")) == to_png(text("□")) != to_png(text(" "))


def test_markup_in_escaped_text_is_drawn_as_text() -> None:
    assert to_png(text("&lt;b&gt;")) != to_png(text("b"))


def test_size_is_read_from_the_root_element() -> None:
    assert svg_size(picture(width=10.5, height=7, head='<?xml version="1.0"?><!-- by us -->')) == (10.5, 7.0)


@pytest.mark.parametrize("damaged", ["", "no svg", "<svg/>", '<svg width="3" height="4"', picture("<g>")])
def test_a_text_that_is_no_picture_is_a_clear_error(damaged: str) -> None:
    with pytest.raises(ValueError, match="SVG"):
        to_png(damaged)


def test_without_resvg_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(PngUnavailable, match="pip install resvg-py"):
        to_png(picture())
