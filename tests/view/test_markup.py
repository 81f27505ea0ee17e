"""No text of a trace becomes markup: whatever it says, in whichever field, pictures and pages have the same tags."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import graphviz
import pytest

from autograd_lab.events import KINDS
from autograd_lab.findings.diagnosis import diagnose
from autograd_lab.trace import Trace, TraceError
from autograd_lab.view.page import to_page
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from autograd_lab.view.torchviz.gv import to_gv
from tests.fuzz.seeds import seeds

HOSTILE = "\"'><script>alert(1)</script><b onload=x>&]]>\\0\\"
TAGS = {"svg", "title", "desc", "style", "defs", "g", "path", "rect", "text", "tspan", "circle", "line"}
DRAWN = tuple(f"<{tag}" for tag in TAGS)
"""How a text begins that the player takes for a drawing; of all others it makes texts."""

Place = tuple[str, ...]


def places(data: Any, so_far: Place = ()) -> Iterator[Place]:
    """Where texts are in an event: the names of the fields that lead there."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from places(value, (*so_far, key))
    elif isinstance(data, list):
        for value in data:
            yield from places(value, so_far)
    elif isinstance(data, str):
        yield so_far


def put(data: Any, place: Place, text: str) -> Any:
    """The data with this text in that place."""
    if isinstance(data, list):
        return [put(each, place, text) for each in data]
    if not place:
        return text if isinstance(data, str) else data
    if isinstance(data, dict) and place[0] in data:
        return data | {place[0]: put(data[place[0]], place[1:], text)}
    return data


def all_places() -> dict[Place, list[str]]:
    """Each place that has a text in some trace, after its kind, with a trace of the few that have most of them."""
    found: dict[Place, list[str]] = {}
    for lines in seeds():
        for line in lines[1:]:
            data = json.loads(line)
            for place in places({key: value for key, value in data.items() if key != "kind"}):
                found.setdefault((data["kind"], *place), lines)
    return found


def hostile(lines: list[str], kind: str, place: Place) -> list[str]:
    """A trace in which all events of a kind have a hostile text in a place."""
    told = (json.loads(line) for line in lines[1:])
    return [lines[0], *(json.dumps(put(each, place, HOSTILE) if each["kind"] == kind else each) for each in told)]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_text_is_never_markup(kind: str, tmp_path: Path) -> None:
    for (_, *place), lines in ((each, lines) for each, lines in all_places().items() if each[0] == kind):
        path = tmp_path / "t.jsonl"
        path.write_text("\n".join(hostile(lines, kind, tuple(place))))
        try:
            trace = Trace.load(path)
            scene = make_scene(trace)
        except (TraceError, NothingToDraw):
            continue
        for step in (0, len(trace) // 2, len(trace)):
            assert_known_tags(scene.svg(step), place)
        for text in texts_in(film_of(scene, findings=diagnose(trace))):
            if text.lstrip().startswith(DRAWN):
                assert_known_tags(f"<g>{text}</g>", place)
        assert "<script>alert" not in to_page(scene, HOSTILE)
        graphviz.Source(to_gv(scene)).pipe("canon")


def assert_known_tags(markup: str, place: Any) -> None:
    for each in ElementTree.fromstring(markup).iter():
        assert each.tag.rpartition("}")[2] in TAGS, (place, each.tag)
        assert not any(name.startswith("on") for name in each.attrib), (place, each.attrib)


def texts_in(data: Any) -> Iterator[str]:
    if isinstance(data, dict | list):
        for each in data.values() if isinstance(data, dict) else data:
            yield from texts_in(each)
    elif isinstance(data, str):
        yield data


def test_a_control_character_in_a_name_is_shown_as_such_everywhere(tmp_path: Path) -> None:
    lines = next(lines for lines in seeds() if '"name": "x"' in "".join(lines))
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(re.sub('"name": "x"', r'"name": "x\\u0000\\u001b[31m\\u202e"', line) for line in lines))
    scene = make_scene(Trace.load(path))
    for made in (scene.svg(scene.steps), to_gv(scene), *(scene.caption(step) for step in range(scene.steps + 1))):
        assert not re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", made)
