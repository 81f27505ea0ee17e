"""How wide a text is, measured without a browser, and which characters the bundled fonts can draw.

The fonts have no kerning and no ligatures, so a width is a plain sum over characters, whose tables are in
`fonts/widths.json`.

>>> round(text_width("∂z/∂x", 10), 2)
27.26
>>> fit("a_rather_long_name", 60, 10)
'a_rather_l…'
>>> fit("model.layers.0.weight", 60, 10)
'…0.weight'
"""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent / "fonts"
FACES = ("DejaVuSans-rest", "AutogradSans-Regular", "AutogradSans-SemiBold", "AutogradMono-Regular")
FONT_FILES = tuple(FOLDER / f"{name}.ttf" for name in FACES)
"""The faces a renderer must load to draw as `text_width` measures.

The one with what the others lack comes first, for there resvg looks first: it has no letters, so it never draws a whole
text of which it was asked for one character.
"""

FAMILY = "Autograd Sans"
MONO_FAMILY = "Autograd Mono"
PAGE_FACE = FOLDER / "AutogradSans-page.woff2"
"""Both weights in one, of the characters that most pages say; a page carries it along."""
LETTERS_FACE = FOLDER / "AutogradSans-letters.woff2"
"""Both weights in one, of letters with signs: a page that says any of them carries it along, too."""
LETTERS = re.compile("[¡¿À-ÖØ-öø-ſ]")
RANGE = "U+A1,U+AA,U+AB,U+BA,U+BB,U+BF,U+C0-D6,U+D8-F6,U+F8-17F,U+2018,U+2019,U+201C-201E,U+2039,U+203A"
"""All that is in it, quotation marks besides."""
MISSING = "□"
"""What `clean` puts in place of a character that no face can draw."""
UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f"  # controls, but for tabs and ends of lines
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # what switches the direction of text
    "\u2028\u2029\ufeff\ud800-\udfff]"
)

UNITS_PER_EM = 2048
ELLIPSIS = "…"
PATH = re.compile(r"[^\W\d]\w*(\.\w+)+")


def text_width(text: str, size: float, *, bold: bool = False, mono: bool = False) -> float:
    """The width of one line of text in px, at a font size in px.

    A character that the fonts lack counts one em where Unicode calls it wide (CJK, emoji), nothing where it joins the
    one before it, and 0.6 em elsewhere. Bold is the weight 600; there is one weight of the monospaced face.
    """
    return _units(text, _face(bold, mono)) * size / UNITS_PER_EM


def fit(text: str, width: float, size: float, *, bold: bool = False, mono: bool = False) -> str:
    """The text if it is no wider than `width` px, else its longest beginning that leaves room for an ellipsis.

    Of a dotted path, such as `model.0.weight`, it is the longest end. Always returns at least the ellipsis, even where
    that is too wide.
    """
    face = _face(bold, mono)
    room = width * UNITS_PER_EM / size
    if _units(text, face) <= room:
        return text
    room -= _units(ELLIPSIS, face)
    is_path = PATH.fullmatch(text) is not None
    for end, char in enumerate(reversed(text) if is_path else text):
        room -= _char_units(char, face)
        if room < 0:
            return ELLIPSIS + _whole(text, end) if is_path else text[:end].rstrip() + ELLIPSIS
    return ELLIPSIS


def _whole(path: str, count: int) -> str:
    """The last `count` characters of a dotted path, from where a name begins, unless only one name is left of it."""
    end = path[len(path) - count :]
    return end.partition(".")[2] or end


def covers(char: str) -> bool:
    """Whether a bundled face has a glyph for this character."""
    return any(ord(char) in _advances(face) for face in ("regular", "mono", "rest"))


def clean(text: str) -> str:
    r"""The text with a visible stand-in for all that could not be seen: `\n`, `\x1b` and the like as Python spells
    them, `□` for a character that the fonts lack.

    >>> clean("loss\tof 猫")
    'loss\\tof □'
    """
    return text if text.isascii() and text.isprintable() else _clean(text)


def seen(text: str) -> str:
    r"""The text with control characters as Python spells them.

    >>> print(seen("loss\x1b[2J of\n  \u202ecod.exe"))
    loss\x1b[2J of
      \u202ecod.exe
    """
    return UNSEEN.sub(lambda found: found[0].encode("unicode_escape", "surrogatepass").decode("ascii"), text)


@lru_cache(maxsize=4096)
def _clean(text: str) -> str:
    return "".join(map(_stand_in, unicodedata.normalize("NFC", text)))


@lru_cache(maxsize=1024)
def _stand_in(char: str) -> str:
    kind = unicodedata.category(char)
    if kind == "Zs":
        return " "
    if kind[0] in "CZ":  # controls, formats such as a switch of direction, surrogates: invisible or harmful
        return char.encode("unicode_escape", "surrogatepass").decode("ascii")
    if _is_variation_selector(char):
        return ""
    return char if covers(char) else MISSING


def _face(bold: bool, mono: bool) -> str:
    return "mono" if mono else "bold" if bold else "regular"


def _is_variation_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f"


@lru_cache(maxsize=16384)
def _units(text: str, face: str) -> float:
    return sum(_char_units(char, face) for char in text)


@lru_cache(maxsize=8192)
def _char_units(char: str, face: str) -> float:
    kind = unicodedata.category(char)
    if kind in ("Mn", "Me", "Cf", "Cc"):
        return 0
    for one in (face, "rest", "regular"):  # a renderer falls back on another face, too
        if (units := _advances(one).get(ord(char))) is not None:
            return units
    return UNITS_PER_EM * (1 if unicodedata.east_asian_width(char) in "WF" else 0.6)


def page_face(said: str = "") -> str:
    """The CSS that gives a page the face of the pictures, in both weights and of the characters that are `said`, as far
    as languages of Europe have them; it travels along."""
    return _face_rule(PAGE_FACE) + (_face_rule(LETTERS_FACE, f"unicode-range:{RANGE};") if LETTERS.search(said) else "")


@cache
def _face_rule(file: Path, only: str = "") -> str:
    face = base64.b64encode(file.read_bytes()).decode()
    return (
        f"@font-face{{font-family:'{FAMILY}';font-weight:400 600;{only}"
        f"src:url(data:font/woff2;base64,{face}) format('woff2')}}"
    )


def svg_file(svg: str) -> bytes:
    """A picture as a file of its own: it brings its face along, so its words fit their boxes wherever it is opened."""
    return re.sub(r"<svg\b[^>]*>", lambda root: f"{root[0]}<style>{page_face(svg)}</style>", svg, count=1).encode(
        "utf-8", "replace"
    )


@cache
def _advances(face: str) -> dict[int, float]:
    """Advance by code point, in 1/2048 em."""
    return {int(first) + i: units for first, *run in _table()[face] for i, units in enumerate(run)}


@cache
def _table() -> dict[str, list[list[float]]]:
    table: dict[str, list[list[float]]] = json.loads((FOLDER / "widths.json").read_text("utf-8"))
    return table


def wrap(text: str, width: float, size: float, most: int) -> list[str]:
    """The text in at most `most` lines of `width` px, the last one shortened if need be."""
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < most - 1:
        count = len(words)
        while count > 1 and text_width(" ".join(words[:count]), size) > width:
            count -= 1
        lines.append(fit(" ".join(words[:count]), width, size))
        words = words[count:]
    return [*lines, fit(" ".join(words), width, size)] if words else lines
