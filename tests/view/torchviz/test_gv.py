"""Graphviz source of a picture: cards are nodes, wires are edges with what came back along them."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.torchviz.gv import to_gv
from tests.traces import Instruction, programs, run
from tests.view.pictured import scene_of


@pytest.fixture(scope="module")
def expression() -> Scene:
    return make_scene(run_script(find_script("expression")).trace)


def nodes(source: str) -> dict[str, str]:
    """The text of each node."""
    return dict(re.findall(r'^\t"?([^"\s]+)"? \[label="?(.*?)"? (?:color|shape|fillcolor)', source, re.MULTILINE))


def edges(source: str) -> list[tuple[str, str]]:
    return re.findall(r'^\t"?([^"\s]+)"? -> "?([^"\s]+)"?', source, re.MULTILINE)


def test_after_backward_cards_say_what_they_hold_and_lines_what_came_back(expression: Scene) -> None:
    source = to_gv(expression)
    assert nodes(source)["o2"] == r"y\nc · d\nMulBackward0 #2\n20.0\n∂ 1.0\nfreed: d\nfreed: c"
    assert nodes(source)["b1"] == r"b\n3.0\n.grad 9.0\n4.0 + 5.0"
    assert sorted(edges(source)) == [("b0", "o0"), ("b1", "o0"), ("b1", "o1"), ("o0", "o2"), ("o1", "o2")]
    assert re.search(r"b1 -> o1 \[label=5\.0 .*dir=back", source)
    assert 'label="b.grad = 9: two gradients arrive, and add"' in source


def test_before_backward_nothing_is_on_the_lines_and_what_is_saved_has_its_version(expression: Scene) -> None:
    source = to_gv(expression, expression.moments["forward"])
    assert r"saved: d v0\nsaved: c v0" in nodes(source)["o2"]
    assert "dir=back" not in source and len(edges(source)) == 5


def test_what_is_not_made_yet_is_not_there(expression: Scene) -> None:
    assert nodes(to_gv(expression, 0)) == {}
    made = [len(nodes(to_gv(expression, step))) for step in range(expression.steps + 1)]
    assert made == sorted(made) and made[-1] == 5


def test_a_lane_is_a_node_with_a_line_to_each_use() -> None:
    with record() as trace:
        w, h = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0)
        for _ in range(6):
            h = torch.tanh(h * w)
        h.backward()
    scene = make_scene(trace)
    source = to_gv(scene)
    lane = next(part.of for part in scene.parts if part.kind == "lane")
    uses = [target for start, target in edges(source) if start == lane]
    assert len(uses) == sum(part.kind == "drop" for part in scene.parts) > 1
    assert nodes(source)[lane].startswith(r"w\n.grad")


def test_what_a_backward_pass_recorded_stands_in_a_box_of_its_own() -> None:
    with record() as trace:
        x = torch.tensor(2.0, requires_grad=True)
        (slope,) = torch.autograd.grad(x**3, x, create_graph=True)
        slope.backward()
    assert re.search(
        r"subgraph cluster_second \{\n\t\tcolor=\S+ fontcolor=\S+ label=\"backward of", to_gv(make_scene(trace))
    )


@pytest.mark.parametrize("name", ["<b>bold</b>", 'a "quoted" name', "back\\slash", "a:b"])
def test_what_a_user_calls_things_is_text_and_never_markup(name: str) -> None:
    with record(**{name: (x := torch.tensor(2.0, requires_grad=True))}) as trace:
        (x * 3).backward()
    source = to_gv(make_scene(trace))
    assert "label=<" not in source and "label=<" not in source.replace("\n", "")
    if shutil.which("dot"):
        drawn = subprocess.run(["dot", "-Tplain"], input=source.encode(), capture_output=True, check=True).stdout
        assert drawn.count(b"\nnode ") == 2 and drawn.count(b"\nedge ") == 1


@settings(deadline=None, max_examples=25)
@given(programs)
def test_each_card_and_each_wire_of_any_program_is_there_once(program: list[Instruction]) -> None:
    if (scene := scene_of(run(program))) is None:
        return
    source = to_gv(scene)
    drawn = [part for part in scene.parts if "coming" not in scene.look(part, scene.state(scene.steps)).classes]
    assert len(nodes(source)) == sum(part.kind in ("card", "lane", "cycle") for part in drawn)
    assert len(edges(source)) == sum(part.kind in ("link", "drop") for part in drawn)


@pytest.mark.skipif(not shutil.which("dot"), reason="Graphviz is not installed")
@pytest.mark.parametrize("name", ["inplace", "residual", "mlp"])
def test_dot_draws_it(name: str) -> None:
    scene = make_scene(run_script(find_script(name)).trace)
    for step in {scene.steps // 2, scene.steps}:
        done = subprocess.run(["dot", "-Tsvg"], input=to_gv(scene, step).encode(), capture_output=True, check=True)
        assert b"<svg" in done.stdout and not done.stderr
