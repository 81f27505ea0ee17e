"""A stand-alone page: one file with the player and a film in it, which works from a disk, offline and without a kernel.

Nothing of the user's program is ever markup in it. Film, style and player travel as compressed base64, and the film's
texts become text nodes; the pictures for readers without JavaScript are escaped as every SVG here is. A content
security policy lets two scripts run, by the hashes of their texts: the player, and the one that unpacks it. No other
script, no request.
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

from autograd_lab.trace import Trace, write_whole
from autograd_lab.trace.course import Course
from autograd_lab.view.charts.run import HEIGHT, MARGIN, draw_course
from autograd_lab.view.compare.both import Both, film_of_both
from autograd_lab.view.compiled.compiled_scene import CompiledScene
from autograd_lab.view.kit.font import clean, page_face
from autograd_lab.view.kit.needed import needed
from autograd_lab.view.kit.style import COURSE, LIGHT
from autograd_lab.view.pages.film_question import Asked, asking
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.pages.player_style import DARK, player_style
from autograd_lab.view.scene import Scene, make_scene

PLAYER = Path(__file__).parent / "pages" / "static" / "player.js"
PLAYER_OF_BOTH = PLAYER.with_name("both.js")
CARDS = PLAYER.with_name("cards.js")
PRESENTER = PLAYER.with_name("presenter.js")
"""The browser half for one trace, for two, for questions by themselves, and for a wall, built from `widgets/`."""

START = """
const source = document.getElementById("autograd-lab-script").textContent;
const bytes = Uint8Array.from(atob(source), (char) => char.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const script = document.createElement("script");
script.type = "module";
script.textContent = await new Response(stream).text();
document.body.append(script);
""".strip()
"""The script that unpacks the player."""

COURSE_WIDTH, COURSE_HEIGHT = 1280, round(HEIGHT)
"""Size of the course of a run below the player, px."""
LEAST = 560
"""The player is no lower than this, if the screen is not: then the course is below the screen's edge; px."""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{face}
body {{ margin: 0; }} main {{ --height: {height}; --tall: 100dvh; }}
h1 {{ position: absolute; left: -999em; }}
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


def to_page(scene: Scene, title: str | None = None, asked: Sequence[Asked] = ()) -> str:
    """The page of a scene, as HTML. It stops before each of the questions, which have to bring their truth along."""
    return _page_of(scene, film_of(scene, title) | asking(*asked), _still(scene))


def page_in_frame(scene: Scene, title: str | None = None, asked: Sequence[Asked] = (), step: int | None = None) -> str:
    """The same for a frame that lies on a picture, which is seen through it until the player is there; from a step."""
    return _page_of(scene, film_of(scene, title) | asking(*asked) | ({} if step is None else {"start": step}), "")


def _page_of(scene: Scene, data: dict[str, Any], without_script: str) -> str:
    style = player_style(compiled=isinstance(scene, CompiledScene), torn=scene.trace.is_torn)
    return _page(PLAYER, data, without_script, scene.trace.course, style)


def page_to_present(scene: Scene, title: str | None = None, asked: Sequence[Asked] = (), note: str = "") -> str:
    """The page of a scene for a wall, where a class votes by hands; answers and `note` are in the teacher's window. It
    opens before the first line, for the teacher to go on from there."""
    data = film_of(scene, title) | asking(*asked) | {"note": note, "start": 0}
    return _page(PRESENTER, data, _still(scene))


def page_of_both(both: Both) -> str:
    """The page of two traces side by side, as HTML."""
    told = "".join(f"<li>{escape(clean(sentence))}</li>" for sentence in both.told)
    return _page(PLAYER_OF_BOTH, film_of_both(both), f"<ol>{told}</ol>{_still(*both.scenes)}")


def page_of_both_in_frame(both: Both, step: int = 0) -> str:
    """The same for a frame that lies on a picture, from a step on."""
    return _page(PLAYER_OF_BOTH, film_of_both(both) | {"start": step}, "")


def _page(
    script: Path, data: dict[str, Any], without_script: str, course: Course | None = None, style: str | None = None
) -> str:
    player = script.read_text(encoding="utf-8").strip()
    return PAGE.format(
        policy=_policy(START, player),
        title=escape(clean(data["title"])),
        light=LIGHT,
        dark=DARK,
        face=page_face(),
        strip=without_script,
        height="100dvh" if course is None else f"max(100dvh - {COURSE_HEIGHT + 16}px, min(100dvh, {LEAST}px))",
        course="" if course is None else _course(course),
        film=base64.b64encode(packed(data | {"style": style or player_style()})).decode(),
        player=base64.b64encode(gzip.compress(player.encode(), mtime=0)).decode(),
        start=START,
    )


def _course(course: Course) -> str:
    """The course of all iterations, below the player."""
    told = draw_course(course, MARGIN, 0, COURSE_WIDTH - 2 * MARGIN)
    letters = ".run-course text { font-family: 'Autograd Sans', system-ui, sans-serif; fill: $ink; }"
    light, dark = (Template(letters + COURSE.template).substitute(each) for each in (LIGHT, DARK))
    size = f'viewBox="0 0 {COURSE_WIDTH} {COURSE_HEIGHT}" height="{COURSE_HEIGHT}" width="100%"'
    return (
        f'<div style="overflow-x: auto" tabindex="0">'
        f'<svg class="run-course" {size} style="display: block; min-width: {COURSE_WIDTH - 80}px">'
        f"<style>{light}@media (prefers-color-scheme: dark) {{ {dark} }}</style>{told}</svg></div>"
    )


def save_page(trace: Trace, path: Path, **options: Any) -> None:
    """Write the page of a trace, with the options of `make_scene`. Raises NothingToDraw, ValueError, OSError."""
    write_whole(path, to_page(make_scene(trace, **options), path.stem).encode("utf-8", "replace"))


def packed(data: dict[str, Any]) -> bytes:
    """A film as the browser wants it: JSON, compressed; equal bytes for equal films."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return gzip.compress(text.encode("utf-8", "replace"), mtime=0)


def _policy(*scripts: str) -> str:
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{each}'" for each in hashes)
    looks = ("style-src 'unsafe-inline'", "font-src data:")
    return "; ".join(("default-src 'none'", f"script-src {allowed}", *looks, "base-uri 'none'", "form-action 'none'"))


def _still(*scenes: Scene) -> str:
    """What stands there without JavaScript: how each graph is in the end."""
    svgs = [scene.svg(scene.steps) for scene in scenes]
    sheet = scenes[0].style
    drawn = "".join(f"<figure>{svg}</figure>" for svg in svgs)
    return drawn.replace(sheet, needed(sheet, drawn), 1).replace(f"<style>{sheet}</style>", "")
