"""No text of a trace becomes markup, or a control character: whatever it says, in whichever field, pictures and pages
have the same tags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin
from xml.etree import ElementTree

import graphviz
import pytest

from autograd_lab.events import KINDS, Numbers, types_of
from autograd_lab.findings.diagnosis import Finding, diagnose
from autograd_lab.trace import Trace, TraceError
from autograd_lab.view.page import to_page
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.torchviz.gv import to_gv
from tests.fuzz.seeds import seeds

HOSTILE = "\"'><script>alert(1)</script><b onload=x>&]]>\\0\\\0\x1b[31m\u202e"
HARMFUL = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
TAGS = {"svg", "title", "desc", "style", "defs", "g", "path", "rect", "text", "tspan", "circle", "line"}
DRAWN = tuple(f"<{tag}" for tag in TAGS)
"""How a text begins that the player takes for a drawing; of all others it makes texts."""

Place = tuple[str, ...]


def places(hint: Any, so_far: Place = ()) -> Iterator[Place]:
    """Where texts may be in what has this type: the names of the fields that lead there."""
    if hint in (str, Numbers):
        yield so_far
    elif is_dataclass(hint):
        for name, inner in types_of(hint).items():  # type: ignore[arg-type] # it is a class
            yield from places(inner, (*so_far, name))
    elif get_origin(hint) is Mapping:
        yield (*so_far, "self")
    else:
        for inner in get_args(hint):
            yield from places(inner, so_far)


def put(data: Any, place: Place, text: str) -> Any:
    """The data with this text in that place, also where nothing was."""
    if isinstance(data, list):
        return [put(each, place, text) for each in data]
    if not place:
        return text
    name, *rest = place
    known = data if isinstance(data, dict) else {}
    return known | {name: put(known.get(name, {} if rest else None), tuple(rest), text)}


@cache
def told_of(kind: str, field: str) -> list[str]:
    """The shortest of the traces with events of a kind, if possible with ones that have this field."""
    told = [lines for lines in seeds(every=4) if any(f'"kind": "{kind}"' in line for line in lines)]
    having = (f'"kind": "{kind}"', f'"{field}": ')
    return min(
        (each for each in told if any(all(part in line for part in having) for line in each)), default=told[0], key=len
    )


def hostile(kind: str, place: Place) -> str:
    """A trace in which all events of a kind have a hostile text in a place."""
    lines = [json.loads(line) for line in told_of(kind, place[0])]
    for at, line in enumerate(lines):
        if line.get("kind") == kind:
            lines[at] = put({"where": {"file": "a.py", "line": 1}} | line, place, HOSTILE)
    return "\n".join(map(json.dumps, lines))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_text_is_never_markup(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    graphs = []
    for place in places(KINDS[kind]):
        path.write_text(hostile(kind, place))
        with suppress(TraceError):
            trace = Trace.load(path)
            scene = make_scene(trace)
            assert_harmless(scene, diagnose(trace), place)
            graphs.append(to_gv(scene))
            assert not HARMFUL.search(graphs[-1] + "".join(map(scene.caption, range(scene.steps + 1)))), place
    assert len(graphs) > 1, kind
    assert "<script>alert" not in to_page(scene, HOSTILE)
    graphviz.Source("\n".join(graphs)).pipe("canon")


def test_a_text_of_the_header_is_never_markup(tmp_path: Path) -> None:
    header, *told = told_of("op_applied", "where")
    notes, files = [HOSTILE], {HOSTILE: HOSTILE, **json.loads(header)["files"]}
    more = {"notes": notes, "files": files, "engine": HOSTILE}
    (tmp_path / "t.jsonl").write_text("\n".join([json.dumps(json.loads(header) | more), *told]))
    scene = make_scene(Trace.load(tmp_path / "t.jsonl"))
    assert_harmless(scene, (), ("header",))
    assert "<script>alert" not in to_page(scene, HOSTILE)


def assert_harmless(scene: Scene, findings: Sequence[Finding], place: Place) -> None:
    for step in (0, scene.steps // 2, scene.steps):
        assert_known_tags(scene.svg(step), place)
    for text in texts_in(film_of(scene, findings=findings)):
        if text.lstrip().startswith(DRAWN):
            assert_known_tags(f"<g>{text}</g>", place)


def assert_known_tags(markup: str, place: Place) -> None:
    for each in ElementTree.fromstring(markup).iter():
        assert each.tag.rpartition("}")[2] in TAGS, (place, each.tag)
        assert not any(name.startswith("on") for name in each.attrib), (place, each.attrib)


def texts_in(data: Any) -> Iterator[str]:
    if isinstance(data, dict | list):
        for each in data.values() if isinstance(data, dict) else data:
            yield from texts_in(each)
    elif isinstance(data, str):
        yield data
