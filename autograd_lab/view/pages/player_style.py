"""The style sheet of pictures, in colours that a page can change: light, dark, with more contrast, or the system's."""

from __future__ import annotations

from functools import cache

from autograd_lab.view.kit import palette
from autograd_lab.view.kit.language import page_language
from autograd_lab.view.kit.style import COMPILED, LIGHT, MARKS, SHEET, TORN, tight

DARK = {
    "paper": "#14181d",
    "ink": "#e8ecf1",
    "quiet": "#a9b4bf",
    "hair": "#7c8894",
    "leaf": "#12304a",
    "leaf_line": "#5db2ee",
    "made": "#1f262d",
    "saved": "#123a58",
    "saved_line": "#5db2ee",
    "kept": "#0d4033",
    "kept_line": "#3fc79a",
    "gradient": "#f29bd0",
    "gradient_soft": "#43203a",
    "alarm": "#ff9d6b",
    "alarm_soft": "#4a2413",
    "glow": "#f2b632",
    "code": "#1a2027",
    "module": "#b9c3cd",
    "code_now": "#463809",
}
"""Colours for a dark page, by what they are for."""

MORE_CONTRAST = {
    "light": {"quiet": "#32383f", "hair": "#57606a", "gradient": "#6d1555", "alarm": "#8a2c00"},
    "dark": {"quiet": "#d5dbe1", "hair": "#a9b4bf", "gradient": "#ffc2e4", "alarm": "#ffbf9c"},
}
"""What changes for readers who ask their system for more contrast."""

DRAWN = ("ink", "quiet", "hair", "leaf_line", "saved_line", "kept_line", "gradient", "alarm", "module")
FORCED = {**dict.fromkeys(LIGHT, "Canvas"), **dict.fromkeys(DRAWN, "CanvasText"), "glow": "Highlight"}
"""With forced colours only shapes, dashes and texts tell states apart."""


CHROME = {
    "made": "mist",
    "kept": "saved",
    "kept_line": "saved_line",
    "gradient": "plus",
    "gradient_soft": "plus_soft",
    "glow": "now",
    "code": "mist",
    "module": "quiet",
    "code_now": "now_soft",
}
"""What the player calls colours that the language of recordings has by other names."""


@cache
def player_style(*, compiled: bool = False, torn: bool = False) -> str:
    """The CSS for a player's shadow tree, and for pictures beside it: of recordings, or of compilations, also of one
    that broke off."""
    if compiled:
        return _compiled(torn=torn)
    names = " ".join(f"--{name}: var(--{colour});" for name, colour in CHROME.items())
    marks = MARKS.substitute({name: f"var(--{name})" for name in LIGHT})
    return f"{page_language()}{tight(f':host, :root {{ {names} }} {marks}')}"


def _compiled(*, torn: bool) -> str:
    sheets = (SHEET, COMPILED, *[TORN] * torn)
    sheet = "".join(each.substitute({name: f"var(--{name})" for name in LIGHT}) for each in sheets)
    light, dark = ":host, :root", ':host([data-theme="dark"])'
    more = MORE_CONTRAST
    return tight(
        f"{light} {{ {_variables(_and_tokens(LIGHT, palette.LIGHT))} }}\n"
        f"{dark} {{ {_variables(_and_tokens(DARK, palette.DARK))} }}\n"
        f"@media (prefers-contrast: more) {{ {light} {{ {_variables(more['light'])} }} "
        f"{dark} {{ {_variables(more['dark'])} }} }}\n"
        f"@media (forced-colors: active) {{ {light}, {dark} {{ {_variables(FORCED)} }} }}\n"
        f"@media print {{ {dark} {{ {_variables(LIGHT)} }} }}\n{sheet}"
    )


def _and_tokens(colours: dict[str, str], theme: dict[str, str]) -> dict[str, str]:
    """These colours, and those of a program's text, which are the same on all pages."""
    return colours | {name: theme[name] for name in ("keyword", "string", "number", "comment")}


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())
