"""A stand-alone page: one file with the player and a film in it, which works from a disk, offline and without a kernel.

Nothing of the user's program is ever markup in it. Film, style and player travel compressed, in letters that are no
markup, and the film's texts become text nodes; the pictures for readers without JavaScript are escaped as every SVG
here is. A content security policy lets two scripts run, by the hashes of their texts: the player, and the one that
unpacks it. No other script, no request; images alone that are in the page itself, since "Copy picture" draws one of
them on a canvas.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from autograd_lab.findings.diagnosis import aside
from autograd_lab.findings.finding import Finding
from autograd_lab.trace import Trace, write_whole
from autograd_lab.trace.course import Course
from autograd_lab.trace.flow_table import flow_of_course
from autograd_lab.view.charts.flow_slide import flow_strip
from autograd_lab.view.charts.run import CHARTS, HEIGHT, IN_FRAME, draw_course
from autograd_lab.view.compare.both import Both, film_of_both
from autograd_lab.view.compiled.compiled_scene import CompiledScene
from autograd_lab.view.kit.font import clean, page_face
from autograd_lab.view.kit.needed import about, classes_in, without_idle, words_in
from autograd_lab.view.kit.style import COURSE, LIGHT
from autograd_lab.view.languages.speaking import language
from autograd_lab.view.languages.texts import for_browser
from autograd_lab.view.pages.film_question import Asked, asking
from autograd_lab.view.pages.layouts import AFAR
from autograd_lab.view.pages.page_text import UNPACK, packed_text, with_differences
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.pages.player_style import DARK, player_style
from autograd_lab.view.pages.without_script import without_script
from autograd_lab.view.scene import Scene, make_scene

PLAYER = Path(__file__).parent / "pages" / "static" / "player.js"
PLAYER_ALONE = PLAYER.with_name("page.js")
PLAYER_OF_NUMBERS = PLAYER.with_name("plain.js")
PLAYER_OF_BOTH = PLAYER.with_name("both.js")
CARDS = PLAYER.with_name("cards.js")
PRESENTER = PLAYER.with_name("presenter.js")
PLAYER_OF_RUNS = PLAYER.with_name("vary.js")
"""The browser half for one trace, for one in a page that asks nothing, for that if it has no arrays,
for two, for questions alone, for a wall, and for many runs of a program, built from `widgets/`."""

START = f"""{UNPACK}
const script = document.createElement("script");
script.type = "module";
script.textContent = await unpack(document.getElementById("autograd-lab-script").textContent);
document.body.append(script);"""
"""The script that unpacks the player."""

BELOW = round(HEIGHT) + 16
"""How much of the page the course of a run takes, below the player, px."""
LEAST, PEEK = 760, 36
"""The player is no lower than this, if the screen is not: then of the course only its titles are above the screen's
edge, for so much of the screen; px."""

READER_IS_IN_THE_DARK = "(prefers-color-scheme: dark)"
"""What the styles around the player ask, which is as dark as what it lies on."""

PAGE = """<!doctype html>
<html lang="{lang}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{face}
body {{ margin: 0; }} main {{ --height: {height}; }}
h1 {{ position: absolute; left: -999em; }}
.flow-panels {{ margin: 8px 24px 24px; }}
.flow-panels:not([open]) > div {{ display: none; }}
.flow-panels summary {{ cursor: pointer; padding: 8px 0; font: 600 16px 'Autograd Sans', system-ui, sans-serif; }}
noscript > * {{ margin: 16px; font-family: 'Autograd Sans', system-ui, sans-serif; }}
noscript > pre {{ font-family: monospace; }}
figure {{ margin: 16px; }} figure svg {{ max-width: 100%; height: auto; }}
body:has(.autograd-lab) {{ background: {light[paper]}; }}
@media (prefers-color-scheme: dark) {{
body:has(.autograd-lab) {{ background: {dark[paper]}; color: {dark[ink]}; }} }}</style></head>
<body><main><h1>{title}</h1><div id="autograd-lab-player"></div>
{course}<noscript>{strip}</noscript></main>
<script type="text/plain" id="autograd-lab-film">{film}</script>
<script type="text/plain" id="autograd-lab-script">{player}</script>
<script type="module">{start}</script></body></html>
"""


def to_page(
    scene: Scene, title: str | None = None, asked: Sequence[Asked] = (), findings: Sequence[Finding] = (),
    step: int | None = None,
) -> str:  # fmt: skip
    """The page of a scene, as HTML, with a list of what is wrong with it. It stops before each of the questions, which
    have to bring their truth along. It opens at a moment of its own choice, or at a step.
    """
    return _page_of(scene, _film(scene, title, asked, findings, step), without_script(scene))


def page_in_frame(
    scene: Scene, title: str | None = None, asked: Sequence[Asked] = (), step: int | None = None,
    findings: Sequence[Finding] = (), theme: str | None = None,
) -> str:  # fmt: skip
    """The same for a frame that lies on a picture, which is seen through it until the player is there; from a step.

    Its `theme` is light or dark; by itself it is that of the reader.
    """
    page = _page_of(scene, _film(scene, title, asked, findings, step), "")
    return page if theme is None else page.replace(READER_IS_IN_THE_DARK, "all" if theme == "dark" else "not all")


def _film(
    scene: Scene, title: str | None, asked: Sequence[Asked], findings: Sequence[Finding], step: int | None
) -> dict[str, Any]:
    start = {} if step is None else {"start": step}
    return film_of(scene, title, findings=findings) | asking(*asked) | start


def _page_of(scene: Scene, data: dict[str, Any], without_script: str) -> str:
    style = player_style(compiled=isinstance(scene, CompiledScene), torn=scene.trace.is_torn)
    return _page(_player_of(data), data, without_script, scene.trace.course, style)


def _player_of(data: dict[str, Any]) -> Path:
    """The smallest that shows all of a film."""
    if data.keys() & {"questions", "picking"}:
        return PLAYER
    is_plain = not data.keys() & {"flow", "findings"} and all(map(_is_number, data["sheets"]))
    return PLAYER_OF_NUMBERS if is_plain else PLAYER_ALONE


def _is_number(sheet: dict[str, Any]) -> bool:
    """Whether all that is told of a value is one number, or why there is none."""
    cells = [cell for row in sheet.get("rows", ()) for cell in row if cell]
    return (sheet.keys() == {"rows"} and len(cells) == 1) or sheet.keys() == {"note"}


def page_to_present(scene: Scene, title: str | None = None, asked: Sequence[Asked] = (), note: str = "") -> str:
    """The page of a scene for a wall, where a class votes by hands; answers and `note` are in the teacher's window. It
    opens before the first line, for the teacher to go on from there."""
    data = film_of(scene, title, AFAR) | asking(*asked) | {"note": note, "start": 0}
    return _page(PRESENTER, data, without_script(scene))


def page_of_runs(scene: Scene, varied: dict[str, Any]) -> str:
    """The page of many runs of a program, with handles for its numbers; the scene is that of the program's own run.

    The course of its iterations is left out: it would stay as it is while all else follows.
    """
    return _page_of_runs(scene, varied, without_script(scene))


def page_of_runs_in_frame(scene: Scene, varied: dict[str, Any], step: int = 0) -> str:
    """The same for a frame that lies on a picture, from a step on."""
    return _page_of_runs(scene, varied | {"start": step}, "")


def _page_of_runs(scene: Scene, varied: dict[str, Any], without_script: str) -> str:
    style = player_style(compiled=isinstance(scene, CompiledScene), torn=True)
    return _page(PLAYER_OF_RUNS, varied, without_script, None, style)


def page_of_both(both: Both) -> str:
    """The page of two traces side by side, as HTML. It opens at the first step that differs."""
    told = "".join(f"<li>{escape(clean(sentence))}</li>" for sentence in both.told)
    film = film_of_both(both) | {"start": both.first_beat}
    return _page(PLAYER_OF_BOTH, film, f"<ol>{told}</ol>{without_script(*both.scenes)}")


def page_of_both_in_frame(both: Both, step: int = 0) -> str:
    """The same for a frame that lies on a picture, from a step on."""
    return _page(PLAYER_OF_BOTH, film_of_both(both) | {"start": step}, "")


def _page(
    script: Path, data: dict[str, Any], without_script: str, course: Course | None = None, style: str | None = None
) -> str:
    player = script.read_text(encoding="utf-8").strip()
    told = _json(data).decode()
    names = classes_in(told, player) if script == PLAYER_OF_NUMBERS else words_in(player, told)
    style = without_idle(about(style or player_style(), names), player, told)  # what none speaks of is nowhere
    return PAGE.format(
        lang=language(),
        policy=_policy(START, player),
        title=escape(clean(data["title"])),
        light=LIGHT,
        dark=DARK,
        face=page_face(told + without_script),
        strip=without_script,
        height=_height(course, is_framed=not without_script),
        course="" if course is None else _course(course, is_framed=not without_script),
        film=packed_text(_json(data | {"style": style})),
        player=packed_text(player.encode()),
        start=START,
    )


def _height(course: Course | None, is_framed: bool) -> str:
    """How high the player is; a frame has room for both, a screen may not."""
    if course is None:
        return "100dvh"
    if is_framed:
        return f"calc(100dvh - {BELOW}px)"
    return f"max(100dvh - {BELOW}px, min(100dvh - {PEEK}px, {LEAST}px))"


def _course(course: Course, is_framed: bool) -> str:
    """The course of all iterations, and the gradient flow in it, below the player."""
    places = CHARTS + IN_FRAME * is_framed
    letters = ".course text { font-family: 'Autograd Sans', system-ui, sans-serif; fill: $ink; }"
    light, dark = (Template(letters + COURSE.template).substitute(each) for each in (LIGHT, DARK))
    style = f"<style>{places}{light}@media (prefers-color-scheme: dark) {{ {dark} }}</style>"
    return style + draw_course(course) + flow_strip(flow_of_course(course))


def save_page(trace: Trace, path: Path, **options: Any) -> None:
    """Write the page of a trace, with the options of `make_scene`. Raises NothingToDraw, ValueError, OSError."""
    page = to_page(make_scene(trace, **options), path.stem, findings=aside(trace))
    write_whole(path, page.encode("utf-8", "replace"))


def packed(data: dict[str, Any]) -> bytes:
    """A film as the browser wants it: JSON, compressed; equal bytes for equal films."""
    return gzip.compress(_json(data), mtime=0)


def _json(data: dict[str, Any]) -> bytes:
    text = json.dumps(
        with_differences(data) | for_browser(), ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    return text.encode("utf-8", "replace")


def _policy(*scripts: str) -> str:
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    looks = ("style-src 'unsafe-inline'", "font-src data:", "img-src data:")
    return "; ".join(("default-src 'none'", f"script-src {allowed}", *looks, "base-uri 'none'", "form-action 'none'"))
