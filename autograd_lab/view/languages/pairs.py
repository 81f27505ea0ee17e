"""The files of a language."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

ENGLISH = "en"
FOLDER = Path(__file__).parent


@cache
def languages() -> dict[str, str]:
    """The languages that there are, English first: what each calls itself, by its code."""
    codes = sorted(path.parent.name for path in FOLDER.glob("*/language.json"))
    return {ENGLISH: "English"} | {code: pairs(code, "language")["name"] for code in codes}


@cache
def pairs(language: str, part: str) -> dict[str, str]:
    """What is said in English in one part of the project, and how it is said in a language; none for English.

    A part is a file, as `player`, a folder with all of its files, as `lessons`, or one of these, as `lessons/03`.
    """
    names = [part, *(f"{part}/{chapter}" for chapter in chapters(language, part))]
    paths = [FOLDER / language / f"{name}.json" for name in names]
    found: dict[str, str] = {}
    for path in paths:
        found |= json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def chapters(language: str, part: str) -> list[str]:
    """The files that a part of a language has, if it is a folder."""
    return sorted(path.stem for path in (FOLDER / language / part).glob("*.json"))
