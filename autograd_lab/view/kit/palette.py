"""The colours of the pictures by what they are for, in three themes: light, dark, and grey for print.

A hue has one meaning: blue is the user's own (leaves) and what is held for them (saved values), plum a positive
gradient, moss a negative one, vermilion what is broken, amber now. None tells anything alone: a shape, a dash or a word
says it, too.
The two diverging scales of tiles have eight steps each way; zero is the paper.
"""

from __future__ import annotations

STEPS = 8
"""How many colours there are on each side of zero."""


def _steps(scale: str, colours: str) -> dict[str, str]:
    return {f"{scale}{step}": f"#{colour}" for step, colour in enumerate(colours.split(), 1)}


LIGHT = {
    "paper": "#ffffff",
    "ink": "#151a21",
    "quiet": "#535e6b",
    "hair": "#7f8b99",
    "faint": "#dde3ea",
    "mist": "#f4f6f9",
    "leaf": "#e8f1fb",
    "leaf_line": "#11609f",
    "saved": "#d5e6f6",
    "saved_line": "#11609f",
    "saved_text": "#0c4a7d",
    "plus": "#9b1480",
    "plus_soft": "#faeaf6",
    "plus_mid": "#c472b1",
    "plus_on": "#ffffff",
    "minus": "#4a7500",
    "minus_soft": "#eef5df",
    "now": "#f2b01e",
    "now_soft": "#fff3cf",
    "alarm": "#bf3800",
    "alarm_soft": "#ffebe1",
    "keyword": "#5d4a94",
    "string": "#3b6e3d",
    "number": "#8a4a00",
    "comment": "#616c79",
    **_steps("value_plus", "daecfd b5d9fc 86c0f8 55a7f1 248ee1 0075c3 015e9d 014779"),
    **_steps("value_minus", "f9e6d6 f3ccab e9ac76 dd8c3d c67100 a45e02 854a00 663803"),
    **_steps("grad_plus", "f8e2f1 f0c5e3 e5a2d1 d77fbf c35fa9 aa4591 8d3077 6e215d"),
    **_steps("grad_minus", "e5edd8 cbdcaf adc67d 90af49 769805 617e02 4d6501 3a4d01"),
}
DARK = {
    "paper": "#12161c",
    "ink": "#eef2f7",
    "quiet": "#aab5c2",
    "hair": "#76838f",
    "faint": "#2b343f",
    "mist": "#1a2028",
    "leaf": "#112c47",
    "leaf_line": "#6fb7f2",
    "saved": "#173a5c",
    "saved_line": "#6fb7f2",
    "saved_text": "#b5d9f8",
    "plus": "#f894d8",
    "plus_soft": "#3e1a3a",
    "plus_mid": "#96487f",
    "plus_on": "#290a22",
    "minus": "#a9d45f",
    "minus_soft": "#26340f",
    "now": "#f5bf45",
    "now_soft": "#43350c",
    "alarm": "#ff9568",
    "alarm_soft": "#4a2214",
    "keyword": "#b9a7ee",
    "string": "#9ccf9c",
    "number": "#eab676",
    "comment": "#97a3b0",
    **_steps("value_plus", "182837 1c3a55 225079 26679e 2e7fc3 4098e3 62b4ff a6d3ff"),
    **_steps("value_minus", "332214 4e3014 6d4113 8f520d b0660c ce7c22 ea994a febf87"),
    **_steps("grad_plus", "32202c 4c2b43 6a395d 8a4879 aa5995 c86eb0 e58bcc fdb2e7"),
    **_steps("grad_minus", "232916 313d18 43551a 566d1b 6a8620 81a032 9cbc56 bfda89"),
}
GREY = {
    "paper": "#ffffff",
    "ink": "#111111",
    "quiet": "#4d4d4d",
    "hair": "#7d7d7d",
    "faint": "#dddddd",
    "mist": "#f5f5f5",
    "leaf": "#f5f5f5",
    "leaf_line": "#111111",
    "saved": "#e0e0e0",
    "saved_line": "#444444",
    "saved_text": "#111111",
    "plus": "#2b2b2b",
    "plus_soft": "#ececec",
    "plus_mid": "#8f8f8f",
    "plus_on": "#ffffff",
    "minus": "#2b2b2b",
    "minus_soft": "#ffffff",
    "now": "#111111",
    "now_soft": "#e6e6e6",
    "alarm": "#000000",
    "alarm_soft": "#ffffff",
    "keyword": "#111111",
    "string": "#333333",
    "number": "#333333",
    "comment": "#5c5c5c",
    **_steps("value_plus", "eaeaea d5d5d5 bbbbbb a2a2a2 898989 717171 5b5b5b 454545"),
    **_steps("value_minus", "e9e9e9 d3d3d3 b8b8b8 9f9f9f 868686 6f6f6f 595959 434343"),
    **_steps("grad_plus", "e8e8e8 d1d1d1 b7b7b7 9c9c9c 838383 6b6b6b 555555 404040"),
    **_steps("grad_minus", "eaeaea d6d6d6 bdbdbd a4a4a4 8c8c8c 747474 5d5d5d 464646"),
}

THEMES = {"light": LIGHT, "dark": DARK, "grey": GREY}

MORE_CONTRAST = {
    "light": {
        "quiet": "#32383f",
        "hair": "#535e6b",
        "comment": "#414a54",
        "plus": "#750a60",
        "plus_mid": "#9b1480",
        "minus": "#385900",
        "alarm": "#8f2a00",
        "leaf_line": "#0a4474",
        "saved_line": "#0a4474",
        "saved_text": "#07355b",
    },
    "dark": {
        "quiet": "#d3dbe4",
        "hair": "#aab5c2",
        "comment": "#c3ccd6",
        "plus": "#ffbfe8",
        "plus_mid": "#f894d8",
        "minus": "#c6ec8a",
        "alarm": "#ffbb9c",
        "leaf_line": "#a5d3fa",
        "saved_line": "#a5d3fa",
        "saved_text": "#d6eafc",
    },
}
"""What changes for readers who ask their system for more contrast."""

STROKES = (
    *("ink", "quiet", "hair", "leaf_line", "saved_line", "saved_text", "plus", "plus_mid", "minus", "alarm"),
    *("keyword", "string", "number", "comment"),
)
FORCED = (
    {name: "Canvas" for name in LIGHT if name[-1] not in "12345678"}
    | dict.fromkeys(STROKES, "CanvasText")
    | {"now": "Highlight", "faint": "color-mix(in srgb, CanvasText 25%, Canvas)"}
)
"""With forced colours shapes, dashes and texts tell all; the scales of tiles become shades."""
