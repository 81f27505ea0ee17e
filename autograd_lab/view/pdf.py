"""An SVG as a page of PDF: vectors, with the bundled fonts inside, so that its words can be searched and copied."""

from __future__ import annotations

import re

from autograd_lab.view.alternative_text import words_of_svg
from autograd_lab.view.kit.font import FONT_FILES
from autograd_lab.view.png import EXPORT, drawable, svg_size

POINT = 72 / 96
"""Points in a px."""


class PdfUnavailable(RuntimeError):
    """Nothing here can turn an SVG into a PDF."""


def to_pdf(svg: str) -> bytes:
    """The picture as a page of its size, at 96 px to an inch; its title and description are those of the SVG.

    Raises PdfUnavailable without svg2pdf-py, ValueError for a text that is no SVG with a width and height.
    """
    try:
        import svg2pdf_py
    except ImportError:
        raise PdfUnavailable(f"a PDF needs svg2pdf-py: {EXPORT} (an .svg does without)") from None
    fonts = svg2pdf_py.FontDatabase()
    for path in FONT_FILES:
        fonts.load_font_file(str(path))
    try:
        pdf = bytes(svg2pdf_py.svg_to_pdf(_in_points(drawable(svg)), fonts))
    except Exception as error:  # what Rust raises has no common class
        raise ValueError(f"the SVG cannot be drawn: {error}") from error
    return _told(pdf, *words_of_svg(svg))


def _in_points(svg: str) -> str:
    """What is a px to the library becomes a point of the page."""
    width, height = svg_size(svg)
    root = re.search(r"<svg\b[^>]*>", svg)
    old = root[0] if root else ""
    new = re.sub(r'\s(width|height|viewBox)="[^"]*"', "", old)
    box = re.search(r'\sviewBox="[^"]*"', old)
    seen = box[0] if box else f' viewBox="0 0 {width:g} {height:g}"'
    size = f' width="{width * POINT:g}" height="{height * POINT:g}"'
    return svg.replace(old, new.replace("<svg", f"<svg{size}{seen}", 1), 1)


def _told(pdf: bytes, title: str, description: str) -> bytes:
    """The document with a title, shown in the window's bar, a subject, and the whole page as a figure that has a text
    for those who cannot see it. It is an update at the end of the file, as ISO 32000 (7.5.6) has it."""
    numbers = {name: int(found[-1]) for name in ("Root", "Size") if (found := _numbers(pdf, name))}
    before = re.findall(rb"startxref\s+(\d+)", pdf)
    catalog = re.search(rb"\b%d 0 obj\s*<<(.*?)>>\s*endobj" % numbers.get("Root", 0), pdf, re.DOTALL)
    page = re.search(rb"(\d+) 0 obj\s*<<\s*/Type /Page\b", pdf)
    if catalog is None or page is None or not before:
        return pdf
    first, root = numbers["Size"], numbers["Root"]
    objects = {
        root: catalog[1].decode("latin-1")
        + f"/Lang (en) /MarkInfo << /Marked true >> /ViewerPreferences << /DisplayDocTitle true >> "
        f"/StructTreeRoot {first + 1} 0 R",
        first: f"/Title {_text(title)} /Subject {_text(description)} /Creator (autograd_lab)",
        first + 1: f"/Type /StructTreeRoot /K {first + 2} 0 R",
        first + 2: f"/Type /StructElem /S /Figure /P {first + 1} 0 R /Pg {int(page[1])} 0 R "
        f"/Alt {_text('. '.join(filter(None, (title, description))))}",
    }
    return pdf + _update(len(pdf), objects, f"/Root {root} 0 R /Info {first} 0 R /Prev {int(before[-1])}")


def _update(at: int, objects: dict[int, str], trailer: str) -> bytes:
    """New objects by their numbers, and the table of where they are."""
    body, table = b"\n", "xref\n"
    for number, inside in objects.items():
        table += f"{number} 1\n{at + len(body):010} 00000 n\r\n"
        body += f"{number} 0 obj\n<< {inside} >>\nendobj\n".encode("latin-1")
    end = f"{table}trailer\n<< /Size {max(objects) + 1} {trailer} >>\nstartxref\n{at + len(body)}\n%%EOF\n"
    return body + end.encode("latin-1")


def _numbers(pdf: bytes, name: str) -> list[bytes]:
    return re.findall(rb"/%s (\d+)" % name.encode(), pdf)


def _text(words: str) -> str:
    """A string of PDF in UTF-16."""
    marked = "\ufeff" + words
    return f"<{marked.encode('utf-16-be', 'replace').hex()}>"
