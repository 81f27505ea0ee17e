"""A picture as the file that a suffix asks for, with its title and its description inside."""

from __future__ import annotations

from autograd_lab.view.alternative_text import words_of_svg
from autograd_lab.view.kit.font import svg_file
from autograd_lab.view.kit.indexed import indexed
from autograd_lab.view.kit.png_chunks import with_words
from autograd_lab.view.pdf import to_pdf
from autograd_lab.view.png import to_png


def picture_file(svg: str, suffix: str, scale: float = 2.0) -> bytes:
    """The file: SVG as it is with its face, PDF as vectors, PNG at `scale` pixels to a px.

    Raises PngUnavailable or PdfUnavailable where the package for it is missing, ValueError for another suffix.
    """
    match suffix.lower():
        case ".svg":
            return svg_file(svg)
        case ".pdf":
            return to_pdf(svg)
        case ".png":
            return png_file(svg, scale)
    raise ValueError(f"a picture is written as .png, .svg or .pdf, not as {suffix}")


def png_file(svg: str, scale: float = 2.0) -> bytes:
    """The PNG, in as few bytes as it takes, with `Title` and `Description` for those who cannot see it."""
    title, description = words_of_svg(svg)
    return with_words(indexed(to_png(svg, scale=scale)), {"Title": title, "Description": description})
