"""Files of pictures: each says in words what it shows, and a PDF is made of vectors and words."""

from __future__ import annotations

import io
import re
import sys
import zlib
from pathlib import Path

import pytest

from autograd_lab.display.picture import Picture, draw
from autograd_lab.display.script import find_script, run_script
from autograd_lab.view.kit.png_chunks import chunks, words_of
from autograd_lab.view.pdf import PdfUnavailable, to_pdf
from autograd_lab.view.picture_file import picture_file, png_file
from autograd_lab.view.png import to_png

HEADLINE, CAPTION = "b.grad = 9: two gradients arrive, and add", "Backward is done; nothing that was saved is left."


@pytest.fixture(scope="module")
def picture() -> Picture:
    return draw(run_script(find_script("expression")).trace)


def hexed(words: str) -> bytes:
    return ("\ufeff" + words).encode("utf-16-be").hex().encode()


def streams(pdf: bytes) -> bytes:
    found = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return b"\n".join(zlib.decompress(one) for one in found if one[:1] == b"x")


def test_a_png_says_in_words_what_it_shows(picture: Picture) -> None:
    assert words_of(picture.png()) == {"Title": HEADLINE, "Description": CAPTION}


def test_other_programs_read_these_words_and_the_picture(picture: Picture) -> None:
    image = pytest.importorskip("PIL.Image").open(io.BytesIO(picture.png()))
    image.load()
    assert image.size == (2560, 1440) and image.text == {"Title": HEADLINE, "Description": CAPTION}


def test_the_words_come_between_the_header_and_the_pixels(picture: Picture) -> None:
    kinds = [kind for kind, _ in chunks(picture.png())]
    assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND"
    assert kinds.index(b"iTXt") < kinds.index(b"IDAT")


def test_a_scale_is_pixels_to_a_px(picture: Picture, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    assert image.open(io.BytesIO(picture.png(scale=1))).size == (1280, 720)
    draw(picture.trace, tmp_path / "half.png", scale=0.5)
    assert image.open(tmp_path / "half.png").size == (640, 360)


def test_without_pillow_a_png_has_its_words_and_no_palette(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    png = png_file(picture.svg, 1)
    assert words_of(png)["Title"] == HEADLINE
    assert dict(chunks(png))[b"IDAT"] == dict(chunks(to_png(picture.svg, scale=1)))[b"IDAT"]


def test_a_pdf_is_a_slide_of_vectors_with_the_bundled_faces_inside(picture: Picture) -> None:
    pytest.importorskip("svg2pdf_py")
    pdf = picture.pdf()
    assert pdf.startswith(b"%PDF-1.") and b"/MediaBox [0 0 960 540]" in pdf
    faces = set(re.findall(rb"/FontName /[A-Z]{6}\+([\w-]+)", pdf))
    assert faces == {b"AutogradSans-Regular", b"AutogradSans-SemiBold", b"AutogradMono-Regular"}
    assert b"/Subtype /Image" not in pdf
    assert len(pdf) < 40_000


def test_the_words_of_a_pdf_can_be_searched(picture: Picture) -> None:
    """The letters are told by a table from glyphs to characters; the words are texts, and not outlines."""
    pytest.importorskip("svg2pdf_py")
    pdf = picture.pdf()
    assert pdf.count(b"/ToUnicode") == 3
    assert b" beginbf" in pdf + streams(pdf) and re.search(rb"T[Jj]\n", streams(pdf))


def test_a_pdf_has_title_subject_and_a_text_for_those_who_cannot_see_it(picture: Picture) -> None:
    pytest.importorskip("svg2pdf_py")
    pdf = picture.pdf()
    assert b"/Title <" + hexed(HEADLINE) in pdf and b"/Subject <" + hexed(CAPTION) in pdf
    assert b"/Alt <" + hexed(f"{HEADLINE}. {CAPTION}") in pdf
    assert b"/DisplayDocTitle true" in pdf


def test_what_is_new_in_a_pdf_stands_where_its_table_says(picture: Picture) -> None:
    pytest.importorskip("svg2pdf_py")
    pdf = picture.pdf()
    table = pdf[int(re.findall(rb"startxref\s+(\d+)", pdf)[-1]) :]
    places = re.findall(rb"(\d+) 1\n(\d{10}) 00000 n", table)
    assert len(places) == 4
    for number, at in places:
        assert pdf[int(at) :].startswith(number + b" 0 obj")


def test_without_its_package_a_pdf_says_what_to_install(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "svg2pdf_py", None)
    with pytest.raises(PdfUnavailable, match=re.escape("pip install 'autograd-lab[export]'")):
        to_pdf(picture.svg)


def test_no_other_suffix_is_a_picture(picture: Picture) -> None:
    with pytest.raises(ValueError, match=r"not as \.bmp"):
        picture_file(picture.svg, ".bmp")


@pytest.mark.parametrize("theme", ["light", "dark", "grey"])
def test_a_slide_has_the_paper_of_its_theme(picture: Picture, theme: str) -> None:
    from autograd_lab.view.kit.palette import THEMES

    image = pytest.importorskip("PIL.Image").open(io.BytesIO(draw(picture.trace, theme=theme).png(scale=1)))
    paper = THEMES[theme]["paper"]
    assert "#" + "".join(f"{channel:02x}" for channel in image.convert("RGB").getpixel((3, 3))) == paper


def test_an_unknown_theme_is_a_clear_error(picture: Picture) -> None:
    with pytest.raises(ValueError, match="light, dark, grey, not 'sepia'"):
        draw(picture.trace, theme="sepia")
