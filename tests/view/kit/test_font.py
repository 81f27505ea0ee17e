"""Text is measured exactly as it is drawn, and nothing is dropped without a sign."""

from __future__ import annotations

import io
import sys
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from autograd_lab.view.kit.font import FAMILY, FONT_FILES, MONO_FAMILY, clean, covers, fit, text_width
from autograd_lab.view.png import to_png

TEXTS = ["AVATAR fi To.", "∂z/∂x = −1.5e-05", "αβ ⊙ ≤ √ ✓ ✗ ⚠ ▸ →", "W₁ᵀx² <&> Ж", "x̂ + é", "two  spaces"]
FACES: dict[str, dict[str, bool]] = {"regular": {}, "bold": {"bold": True}, "mono": {"mono": True}}


def drawn_width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """How far apart the renderer puts two bars when this text stands between them, less their distance without it."""
    family, weight = MONO_FAMILY if mono else FAMILY, "bold" if bold else "normal"

    def gap(between: str) -> int:
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="60"><text x="10" y="40" xml:space="preserve" '
            f'font-family="{family}" font-weight="{weight}" font-size="{size}">|{escape(between)}|</text></svg>'
        )
        left, _, right, _ = Image.open(io.BytesIO(to_png(svg, scale=4))).getbbox() or (0, 0, 0, 0)
        return int(right - left)

    return (gap(text) - gap("")) / 4


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("text", TEXTS)
def test_measured_width_is_the_drawn_width(face: str, text: str) -> None:
    measured = text_width(text, 16, **FACES[face])
    assert drawn_width(text, 16, **FACES[face]) == pytest.approx(measured, abs=0.75)


def test_width_grows_with_the_size() -> None:
    assert text_width("MulBackward0", 24) == pytest.approx(2 * text_width("MulBackward0", 12))


def test_bold_is_wider_and_mono_is_even() -> None:
    assert text_width("gradient", 12, bold=True) > text_width("gradient", 12)
    assert text_width("iiii", 12, mono=True) == text_width("MMMM", 12, mono=True)


def test_a_wide_character_that_the_fonts_lack_counts_one_em() -> None:
    assert text_width("猫🐈", 10) == 20


def test_fonts_cover_what_a_picture_of_a_graph_says() -> None:
    assert all(map(covers, "∂×·−≠≤≥√∑∞⊙∘…→←↔⇒✓✗✂⚠●○◆□▸ᵀ₀²αβγ∇ŷ"))
    assert not covers("猫")


def test_font_files_are_in_the_package() -> None:
    assert all(path.is_file() for path in FONT_FILES)


def test_fit_leaves_a_short_text_alone_and_marks_a_cut() -> None:
    assert fit("loss", 100, 12) == "loss"
    assert fit("a_name_that_goes_on", 40, 12).endswith("…")


@given(st.text(max_size=40), st.floats(12, 400), st.sampled_from(sorted(FACES)))
def test_a_fitted_text_is_no_wider_than_its_room(text: str, width: float, face: str) -> None:
    assert text_width(fit(text, width, 12, **FACES[face]), 12, **FACES[face]) <= width + 1e-6


@given(st.text(max_size=60))
def test_a_cleaned_text_is_all_visible_and_stays_as_it_is_when_cleaned_again(text: str) -> None:
    cleaned = clean(text)
    assert all(map(covers, cleaned)) and cleaned.isprintable()
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(max_codepoint=0x17F, categories=["L", "N", "P", "S"]), max_size=30))
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert clean(text) == text


def test_a_switch_of_direction_is_spelled_out() -> None:
    assert clean("a\u202eb\ud800\r") == r"a\u202eb\ud800\r"


def test_every_code_point_has_a_width() -> None:
    assert all(text_width(chr(code), 10) >= 0 for code in range(0, sys.maxunicode, 97))
