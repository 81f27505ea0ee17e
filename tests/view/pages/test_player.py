"""What the player in a browser is told: at each step just what the states say, each thing once, and no markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from html import unescape
from itertools import accumulate
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.commands.cli import app
from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.fault import culprits_at
from autograd_lab.view.kit.style import LIGHT
from autograd_lab.view.page import PLAYER, PLAYER_ALONE, PLAYER_OF_BOTH, PLAYER_OF_NUMBERS, to_page
from autograd_lab.view.pages.excerpt import excerpt
from autograd_lab.view.pages.film_graphs import drawn_at_origin
from autograd_lab.view.pages.layouts import layouts_of
from autograd_lab.view.pages.members import Members
from autograd_lab.view.pages.page_text import unpacked_text, with_places
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.pages.player_style import DARK, FORCED, MORE_CONTRAST, player_style
from autograd_lab.view.pages.without_script import PANE
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from tests.traces import programs, run

Film = dict[str, Any]


def recorded(trace: Trace) -> RecordedScene:
    scene = make_scene(trace)
    assert isinstance(scene, RecordedScene)
    return scene


def example(name: str) -> RecordedScene:
    return recorded(run_script(find_script(name)).trace)


@cache
def example_film(name: str) -> Film:
    """The film of an example, which several tests read and none changes."""
    return film_of(example(name))


def look_number(track: list[int], step: int) -> int:
    return [look for start, look in zip(track[::2], track[1::2], strict=True) if start <= step][-1]


def at(changes: list[list[Any]], step: int) -> Any:
    return [value for start, value in changes if start <= step][-1]


def texts(film: Film, elements: list[int]) -> list[str]:
    found: list[str] = []
    for number in elements:
        _, *children = film["elements"][number]
        for child in children:
            found += [child] if isinstance(child, str) else texts(film, [child])
    return found


def drawn_texts(svg: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(svg).iter("text")] if svg else []


@settings(max_examples=25, deadline=None)
@given(programs, st.data())
def test_a_film_says_of_each_step_what_its_state_says(program: list[Any], data: st.DataObject) -> None:
    trace = run(program)
    try:
        scene = recorded(trace)
        film = film_of(scene)
    except NothingToDraw:
        return
    files, layouts = [name for name, _ in film["files"]], layouts_of(scene)
    assert len(layouts) == len(film["graphs"])
    for step in data.draw(st.lists(st.integers(0, scene.steps), max_size=4)):
        state = scene.state(step)
        assert film["captions"][step] == scene.caption(step)
        assert at(film["phases"], step) == scene.subject.words.moment(state)
        assert at(film["held"], step) == state.held
        places = [[files.index(w.file), w.line] if w is not None else [] for w in culprits_at(state)]
        assert at(film["culprits"], step) == places
        for graph, layout in zip(film["graphs"], layouts, strict=True):
            members = Members(layout.picture)
            for told, part in zip(graph["parts"], layout.picture.parts, strict=True):
                assert told[:2] == [members.name(part), part.kind]
                assert tuple(film["members"][told[2]]) == members.of(part)
                look = layout.picture.look(part, state)
                classes, elements, *_ = film["looks"][look_number(film["tracks"][told[-1]], step)]
                hidden = "hidden" in look.classes
                assert (film["classes"][classes] == "hidden") == hidden
                drawn = "" if hidden else drawn_at_origin(layout.picture, part, look)
                assert texts(film, elements) == drawn_texts(drawn), part


def test_nothing_is_said_twice() -> None:
    film = film_of(example("mlp"))
    film["classes"] = list(zip(film["classes"], film["signs"], strict=True))
    for name in ("shapes", "elements", "classes", "looks", "rows"):
        written = list(map(repr, film[name]))
        assert len(written) == len(set(written)), name


def test_what_the_drawing_shortens_is_told_in_full_by_the_inspector() -> None:
    name = "a_name_that_is_longer_than_any_card_ever_gets_to_be_in_a_picture"
    with record() as trace:
        a_name_that_is_longer_than_any_card_ever_gets_to_be_in_a_picture = torch.tensor(1.0, requires_grad=True)
        a_name_that_is_longer_than_any_card_ever_gets_to_be_in_a_picture.exp()
    film = film_of(make_scene(trace))
    assert ["tensor", name] in [film["rows"][row][:2] for row in film["about"]["b0"]]


@pytest.mark.parametrize("name", ["expression", "rnn", "mlp", "inplace"])
def test_graphs_come_in_both_views_for_panes_of_several_sizes(name: str) -> None:
    film = example_film(name)
    bases = [graph for graph in film["graphs"] if "opened" not in graph]
    assert film["views"] == ["engine", "maths"]
    assert {graph["view"] for graph in bases} == {"engine", "maths"}
    for view in film["views"]:
        widths = [graph["bounds"]["width"] for graph in bases if graph["view"] == view]
        assert max(widths) > min(widths)


def test_a_film_begins_with_the_view_that_was_asked_for() -> None:
    film = film_of(make_scene(run_script(find_script("expression")).trace, "maths"))
    assert film["views"] == ["maths", "engine"]
    assert film["graphs"][0]["view"] == "maths"


def test_what_was_asked_for_is_shown_in_every_graph() -> None:
    trace = run_script(find_script("mlp")).trace
    film = film_of(make_scene(trace, root="hidden"))
    for graph in film["graphs"]:
        things = {thing for part in graph["parts"] for thing in film["members"][part[2]]}
        assert [name for name in things if film["about"].get(name, [0])] and "b13" not in things


@pytest.mark.parametrize(("name", "least"), [("rnn", 2), ("mlp", 2), ("molecule", 2), ("inplace", 2)])
def test_each_card_of_several_ops_opens_to_these_ops_and_closes_again(name: str, least: int) -> None:
    film = example_film(name)
    opened = 0
    for graph in film["graphs"]:
        cards = {part[0]: set(film["members"][part[2]]) for part in graph["parts"] if part[1] == "card"}
        for card, other in graph["opens"].items():
            inside = film["graphs"][other]
            ops = {thing for thing in cards[card] if thing.startswith("o")}
            within = [film["members"][part[2]] for part in inside["parts"] if part[1] == "card"]
            apart = [set(things) & ops for things in within if set(things) & ops]
            assert len(ops) > 1 and len(apart) > 1
            assert set().union(*apart) == ops and sum(map(len, apart)) == len(ops)
            assert inside["opened"][0] == card and inside["view"] == graph["view"]
            opened += 1
    assert opened >= least


def test_parts_that_are_called_the_same_stand_for_the_same_in_all_graphs() -> None:
    for name in ("rnn", "mlp", "inplace"):
        film = example_film(name)
        known: dict[str, int] = {}
        for graph in film["graphs"]:
            assert len({part[0] for part in graph["parts"]}) == len(graph["parts"])
            for part in graph["parts"]:
                assert known.setdefault(part[0], part[2]) == part[2] or part[1] == "opened", part


def test_the_program_is_there_in_full_with_the_line_of_each_step() -> None:
    scene = example("expression")
    film = film_of(scene)
    [[name, lines]] = film["files"]
    name = name.rpartition("/")[2]
    assert (name, lines[6]) == ("expression.py", "c = a + b")
    assert [at(film["here"], step)[1] for step in (1, 3, 26)] == [5, 7, 10]


def test_the_colours_of_the_program_come_without_its_text() -> None:
    film = example_film("expression")
    [[_, lines]], [tokens] = film["files"], film["tokens"]
    assert len(tokens.split("\n")) == len(lines)
    for line, runs in zip(lines, tokens.split("\n"), strict=True):
        assert sum(map(int, re.findall(r"\d+", runs))) == len(line)
        assert re.sub(r"[kfsc_]\d+", "", runs) == ""
    assert tokens.split("\n")[lines.index("c = a + b")] == "_9"


def test_backward_is_told_in_five_subgoals() -> None:
    film = example_film("expression")
    assert film["goals"][1] == "pop a ready node"
    told = film["goal"]
    assert len(told) == film["steps"] + 1
    start = film["moments"]["forward"]
    assert set(told[: start + 1]) == {"."}
    assert told[start + 1 : start + 5] == "0124"


def test_a_program_without_backward_is_not_told_in_subgoals() -> None:
    with record() as trace:
        torch.tensor(2.0, requires_grad=True) * 3
    assert film_of(make_scene(trace))["goals"] == []


def test_marks_name_the_steps_worth_a_jump() -> None:
    film = example_film("inplace")
    scene = example("inplace")
    for kind, steps in film["marks"].items():
        for step in steps:
            told = scene.trace[step - 1].kind
            assert {"write": "tensor_modified", "error": "error_raised"}.get(kind, told) == told
    assert {"save", "write", "error"} <= set(film["marks"])


def test_a_thing_tells_how_python_reaches_it() -> None:
    film = example_film("expression")
    said = {name: dict(film["rows"][row][:2] for row in rows) for name, rows in film["about"].items()}
    assert said["o0"]["reached by"] == "y.grad_fn.next_functions[0][0]" or said["o0"]["reached by"] == "c.grad_fn"
    assert said["o2.s0"]["reached by"].startswith("y.grad_fn._saved_")
    assert said["b0"]["its node"].endswith(".next_functions[0][0], an AccumulateGrad")


def test_reaching_expressions_are_true_in_python() -> None:
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    with record() as trace:
        y = (a * b).exp() + a
    film = film_of(make_scene(trace))
    rows = [dict(film["rows"][row][:2] for row in rows) for rows in film["about"].values()]
    nodes = [(row["node"], row["reached by"]) for row in rows if "reached by" in row and "node" in row]
    assert len(nodes) == 3
    for name, expression in nodes:
        assert eval(expression, {"y": y}).name() == name


HOSTILE = [
    "</script><script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 1'>",
    "]]> <!-- \u2028 & ∂",
]


def hostile_trace() -> Trace:
    source = "\n".join(f"x = {text!r}" for text in HOSTILE)
    with record() as trace:
        x = torch.tensor(1.0, requires_grad=True)
        (x * 2).backward()
    lines = [line.replace('"name": "x"', f'"name": {json.dumps(HOSTILE[1])}') for line in saved_lines(trace)]
    header = json.loads(lines[0])
    header["files"] = dict.fromkeys([*header["files"], HOSTILE[0]], source)
    return load(["\n".join([json.dumps(header), *lines[1:]])])


def saved_lines(trace: Trace) -> list[str]:
    import tempfile

    path = Path(tempfile.mkdtemp()) / "trace.jsonl"
    trace.save(path)
    return path.read_text(encoding="utf-8").splitlines()


def load(text: list[str]) -> Trace:
    import tempfile

    path = Path(tempfile.mkdtemp()) / "trace.jsonl"
    path.write_text("".join(text), encoding="utf-8")
    return Trace.load(path)


def test_no_text_of_a_program_is_markup_in_a_page() -> None:
    page = to_page(make_scene(hostile_trace()), HOSTILE[0])
    assert "<img" not in page
    assert page.count("<script") == page.count("</script>") == 3


def test_a_page_lets_only_its_own_scripts_run() -> None:
    page = to_page(example("expression"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    start = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    packed = re.search(r'id="autograd-lab-script">([^<]*)<', page)
    assert policy is not None and start is not None and packed is not None
    scripts = [start[1].encode(), unpacked_text(packed[1])]
    allowed = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}'" for text in scripts)
    assert policy[1].startswith(f"default-src 'none'; script-src {allowed}; ")
    assert "img-src data:;" in policy[1], "an image that is in the page itself, and no other"
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")


def test_a_page_repeats_byte_for_byte_and_holds_the_film() -> None:
    scene = example("expression")
    page = to_page(scene)
    assert page == to_page(scene)
    film = re.search(r'id="autograd-lab-film">([^<]*)<', page)
    assert film is not None
    found = with_places(json.loads(unpacked_text(film[1])))
    style = found.pop("style")
    assert found == film_of(scene)
    assert ".card.leaf" in style and "@media print" in style and ".torn-edge" not in style, "as much as it speaks of"


def test_the_page_of_a_small_program_is_small() -> None:
    # 12,400 of them are the face of its texts: with a system's own, words would run out of the boxes measured for them
    assert len(to_page(example("expression")).encode()) < 81_300


def program_of(page: str) -> list[str]:
    """The lines of the program, without what stands before and behind them."""
    text = unescape(page.split("<pre>")[1].split("</pre>")[0])
    return [re.sub(r"^.\s*\d*  | +← .*$", "", line) for line in text.split("\n")]


@pytest.mark.parametrize("name", ["inplace", "mlp"])
def test_a_page_without_javascript_shows_how_it_ends(name: str) -> None:
    scene = example(name)
    still = to_page(scene).split("<noscript>")[1].split("</noscript>")[0]
    assert still.count("<figure>") == 1
    assert f"<h2>{scene.headline(scene.steps).text}</h2>" in still
    graph = excerpt(scene, *PANE)
    assert drawn_texts(re.findall(r"<svg.*</svg>", still, re.DOTALL)[0]) == drawn_texts(
        f"<svg>{graph.drawn(scene.steps)}</svg>"
    )
    assert {event.where.text.strip() for event in scene.trace if event.where} <= set(map(str.strip, program_of(still)))


def test_a_trace_is_saved_as_a_page_by_its_suffix(tmp_path: Path) -> None:
    trace = run_script(find_script("expression")).trace
    trace.save(tmp_path / "demo.html")
    assert (tmp_path / "demo.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "<title>demo</title>" in (tmp_path / "demo.html").read_text(encoding="utf-8")


def test_the_command_play_makes_a_page(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["play", "expression", "-o", str(tmp_path / "page.html")])
    assert said.exit_code == 0
    assert ", 26 steps\n" in said.output
    assert "<title>expression</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_command_play_plays_a_script_that_fails_up_to_its_error(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["play", "inplace", "-o", str(tmp_path / "page.html")])
    assert said.exit_code == 1
    assert "modified by an inplace operation" in said.output
    assert (tmp_path / "page.html").exists()


def test_the_command_play_writes_pages_and_nothing_else(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["play", "expression", "-o", str(tmp_path / "page.png")])
    assert (said.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "has the suffix .png; what to write is told by .html" in said.output


@pytest.mark.parametrize(
    ("name", "kind"), [("expression", "BackwardStarted"), ("inplace", "ErrorRaised"), ("mlp", "BackwardStarted")]
)
def test_a_page_opens_at_the_error_or_where_the_last_backward_pass_begins(name: str, kind: str) -> None:
    scene = example(name)
    start = film_of(scene)["start"]
    kinds = [type(event).__name__ for event in scene.trace.events]
    assert kinds[start - 1] == kind
    assert kind not in kinds[start:]


def test_a_page_without_backward_opens_at_the_end() -> None:
    with record() as trace:
        y = torch.tensor(2.0, requires_grad=True) * 3
    assert film_of(recorded(trace))["start"] == len(trace), y


@settings(max_examples=20, deadline=None)
@given(programs)
def test_each_graph_has_its_own_stops_and_something_changes_in_it_at_each(program: list[Any]) -> None:
    try:
        film = film_of(recorded(run(program)))
    except NothingToDraw:
        return
    assert film["grains"][0][0] == "event"
    for graph in film["graphs"]:
        changing = {step for part in graph["parts"] for step in film["tracks"][part[8]][2::2]}
        assert len(graph["stops"]) == len(film["grains"]) > graph["grain"]
        for number in graph["stops"]:
            assert set(accumulate(film["stops"][number])) <= changing | {film["steps"]}, "the last one is the end"


@pytest.mark.parametrize(
    ("bundle", "most"),
    [(PLAYER, 118_700), (PLAYER_ALONE, 108_100), (PLAYER_OF_NUMBERS, 99_800), (PLAYER_OF_BOTH, 110_550)],
)
def test_the_bundles_are_small_and_cannot_end_their_own_script(bundle: Path, most: int) -> None:
    text = bundle.read_text(encoding="utf-8")
    assert len(text.encode()) < most
    assert "</script" not in text.lower() and "<!--" not in text


def test_an_unpaired_surrogate_in_a_program_does_not_stop_a_page() -> None:
    trace = Trace(run_script(find_script("expression")).trace.events, {"expression.py": "x = '\ud800'"})
    assert to_page(make_scene(trace))


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


TEXT_ON = [
    *[("ink", on) for on in ("paper", "leaf", "made", "saved", "kept", "code", "code_now", "gradient_soft")],
    *[("ink", "alarm_soft"), ("quiet", "paper"), ("quiet", "made"), ("quiet", "leaf"), ("quiet", "code")],
    *[("gradient", "paper"), ("gradient", "gradient_soft"), ("gradient", "made"), ("alarm", "alarm_soft")],
    *[("paper", "gradient"), ("paper", "ink"), ("paper", "module"), ("alarm", "paper"), ("gradient", "code_now")],
]
LINES = ("leaf_line", "saved_line", "kept_line", "gradient", "alarm", "quiet", "hair")
PALETTES = {
    "light": LIGHT,
    "dark": DARK,
    "light, more": LIGHT | MORE_CONTRAST["light"],
    "dark, more": DARK | MORE_CONTRAST["dark"],
}


@pytest.mark.parametrize("name", PALETTES)
def test_texts_and_lines_stand_out_in_every_palette(name: str) -> None:
    colours = PALETTES[name]
    weak = [(text, on) for text, on in TEXT_ON if contrast(colours[text], colours[on]) < 4.5]
    weak += [(line, "paper") for line in LINES if contrast(colours[line], colours["paper"]) < 3]
    assert weak == []


def test_every_palette_has_every_colour() -> None:
    assert DARK.keys() == FORCED.keys() == LIGHT.keys()
    assert "$" not in player_style()
