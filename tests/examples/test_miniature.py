"""The twin to read, `examples/miniature.py`: it computes what the engine computes, and tells the same of it."""

from __future__ import annotations

import ast
import subprocess
import sys
from math import prod
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from typer.testing import CliRunner

import autograd_lab
from autograd_lab import record
from autograd_lab.commands.cli import app
from autograd_lab.display.script import find_script, run_script
from autograd_lab.examples import miniature
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.svg import to_svg
from tests.story import Told, code_of, first_difference, recorded, story

Shape = tuple[int, ...]

SOURCE = Path(miniature.__file__).read_text(encoding="utf-8")
OPS = "{} + {}", "{} - {}", "{} * {}", "{} @ {}", "{}.tanh()", "{}.sum()"
SHAPES: list[Shape] = [(2, 3), (3, 2), (1, 3), (3,), (2, 1), ()]
FAN_OUT = """\
x = torch.tensor([[1.0, -2.0]], requires_grad=True)
w = torch.tensor([[0.5, 0.25], [1.0, -1.0]], requires_grad=True)
b = torch.tensor([0.5], requires_grad=True)
h = (x @ w + b).tanh()
loss = (h * h - h * b + b).sum()
loss.backward()
again = (b * b).sum()
again.backward()
"""
"""Three ops use h, and one of them twice; b is stretched, and has a `.grad` when its second gradient arrives."""


def shape_of(op: str, *operands: Shape) -> Shape | None:
    """The shape that an op gives, or None where it does not go with these operands; `@` is for matrices only."""
    if "@" in op and [*map(len, operands)] != [2, 2]:
        return None
    try:
        arrays = dict(zip("xy", map(np.ones, operands), strict=False))
        return np.shape(eval(op.replace("tanh", "copy").format("x", "y"), arrays))
    except ValueError:
        return None


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Texts that apply the six ops to leaves and to each other's results, and go back from a number, twice."""
    lines, shapes = [], dict[str, Shape]()
    for name in "abc":
        shapes[name] = draw(st.sampled_from(SHAPES))
        eighths = draw(st.lists(st.integers(-8, 8), min_size=6, max_size=6))[: prod(shapes[name])]
        numbers = (np.array(eighths) / 8).reshape(shapes[name]).tolist()
        wanted = name == "a" or draw(st.booleans())
        lines.append(f"{name} = torch.tensor({numbers}, requires_grad={wanted})")
    for number in range(draw(st.integers(1, 6))):
        op = draw(st.sampled_from(OPS))
        operands = draw(st.lists(st.sampled_from(sorted(shapes)), min_size=op.count("{"), max_size=op.count("{")))
        if (shape := shape_of(op, *map(shapes.__getitem__, operands))) is not None:
            shapes[f"h{number}"] = shape
            lines.append(f"h{number} = {op.format(*operands)}")
    ends = f"loss = ({[*shapes][-1]}.sum() * a).sum()", "loss.backward()", "(a * a).sum().backward()"
    return "\n".join([*lines, *ends])


QUICK = settings(max_examples=100, derandomize=True, database=None, deadline=None)


def run(code: CodeType, world: Any) -> dict[str, Any]:
    """The variables that a program leaves behind in one world."""
    names = {"torch": world}
    exec(code, names)
    return names


def gradients(code: CodeType, world: Any) -> dict[str, Any]:
    """The `.grad` of all leaves that have one, as arrays."""
    leaves = {name: thing for name, thing in run(code, world).items() if getattr(thing, "is_leaf", False)}
    found = {name: leaf.grad for name, leaf in leaves.items() if leaf.grad is not None}
    return {name: np.asarray(getattr(grad, "_array", grad)) for name, grad in found.items()}


def assert_same_gradients(text: str, world: Any) -> None:
    code = code_of(text, "<program>")
    ours, theirs = gradients(code, miniature), gradients(code, world)
    assert ours.keys() == theirs.keys()
    for name, grad in theirs.items():
        assert ours[name].dtype == grad.dtype
        np.testing.assert_allclose(ours[name], grad, rtol=1e-4, atol=1e-4 * max(1, np.abs(grad).max()), err_msg=text)


def told(text: str, world: Any) -> list[Told]:
    """The story of a program in one world."""
    code = code_of(text, "<program>")
    return story(recorded(lambda torch: run(code, torch), world))


def as_far_as_it_goes(events: list[Told], other: list[Told]) -> list[Told]:
    """A story of the miniature without what is left out there: it saves both factors also where one is not needed.

    Nor do its nodes have attributes, such as the sizes and strides of matrices, or alpha of x + alpha y. Versions of
    a `.grad`, which the miniature does not count, are left out by `story`. And no program here lets go of its graph: a
    leaf and its AccumulateGrad know each other there, and would not go before Python looks for such circles.
    """
    needed = {(event["node"], event["slot"]) for event in other if event["kind"] == "tensor_saved"}
    kept = [event for event in events if event["kind"] != "tensor_saved" or (event["node"], event["slot"]) in needed]
    return [{key: value for key, value in event.items() if key != "attributes"} for event in kept]


def assert_same_story(text: str) -> None:
    ours, theirs = told(text, miniature), told(text, autograd_lab)
    difference = first_difference(as_far_as_it_goes(ours, theirs), as_far_as_it_goes(theirs, theirs))
    assert difference is None, f"{text}\n{difference}"


def test_it_is_read_in_one_sitting() -> None:
    assert len(SOURCE.splitlines()) <= 200


def test_it_stands_on_numpy_and_is_heard_through_the_one_ear() -> None:
    imports = [node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.Import | ast.ImportFrom)]
    ours = [ast.unparse(node) for node in imports if "autograd_lab" in ast.unparse(node)]
    assert ours == ["from autograd_lab import listening", "from autograd_lab.whose import program_begins_here"]
    assert SOURCE.count("listening.active") == 2  # is there anybody, and if so, tell


@pytest.mark.parametrize("world", ["autograd_lab", "torch"])
def test_gradients_meet_where_a_tensor_is_used_more_than_once(world: str) -> None:
    assert_same_gradients(FAN_OUT, pytest.importorskip(world))


@QUICK
@given(programs())
def test_its_gradients_are_those_of_the_engine(text: str) -> None:
    assert_same_gradients(text, autograd_lab)


@QUICK
@given(programs())
def test_its_gradients_are_those_of_pytorch(text: str) -> None:
    assert_same_gradients(text, pytest.importorskip("torch"))


def test_it_tells_the_story_that_the_engine_tells() -> None:
    assert_same_story(FAN_OUT)


@QUICK
@given(programs())
def test_of_any_program_it_tells_what_the_engine_tells(text: str) -> None:
    assert_same_story(text)


def test_what_was_there_before_the_recording_is_met_as_the_engines() -> None:
    stories = []
    for world in (miniature, autograd_lab):
        names = run(code_of(FAN_OUT.partition("loss.backward")[0], "<program>"), world)
        with record() as trace:
            names["loss"].backward()
        stories.append(as_far_as_it_goes(story(trace), story(trace)))
    assert first_difference(*stories) is None


def test_its_picture_is_the_one_that_the_engine_gives() -> None:
    code = code_of(FAN_OUT, "<program>")
    ours, theirs = (make_scene(recorded(lambda torch: run(code, torch), w)) for w in (miniature, autograd_lab))
    assert [to_svg(ours, step) for step in range(ours.steps)] == [to_svg(theirs, step) for step in range(theirs.steps)]


def test_a_chain_of_ten_thousand_nodes_is_no_recursion() -> None:
    x = miniature.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(10_000):
        y = y + x
    y.backward()
    assert x.grad._array == 10_001


def test_going_back_twice_and_from_many_numbers_is_refused_as_in_pytorch() -> None:
    x = miniature.tensor([1.0, 2.0], requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    for one in (loss, x * x, miniature.tensor(1.0)):
        with pytest.raises(RuntimeError):
            one.backward()


@pytest.fixture(scope="module")
def scene() -> Scene:
    done = run_script(find_script("miniature"))
    assert (done.code, done.complaint) == (0, "")
    return make_scene(done.trace)


def test_its_picture_has_the_lines_and_names_of_the_program_and_none_of_the_engine(scene: Scene) -> None:
    begins = SOURCE.splitlines().index("program_begins_here()") + 1
    lines = [event.where.line for event in scene.trace if event.where is not None]
    assert len(lines) == scene.steps
    assert min(lines) > begins
    names = {tensor.name for event in scene.trace for tensor in getattr(event, "outputs", ())}
    assert {"hidden", "error", "loss"} <= names


def test_a_copy_in_a_readers_own_folder_is_played_as_well(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SOURCE, encoding="utf-8")
    mine = make_scene(run_script(tmp_path / "mine.py").trace)
    assert [mine.caption(step) for step in range(mine.steps)] == [scene.caption(step) for step in range(scene.steps)]


def test_its_captions_go_forward_and_backward(scene: Scene) -> None:
    captions = [scene.caption(step) for step in range(1, scene.steps + 1)]
    assert all(captions)
    said = "\n".join(captions)
    assert "hidden = (x @ w1 + b1).tanh()" in said
    assert "Backward begins at loss" in said
    assert "The gradients that met at SubBackward0 (error) are added" in said
    assert captions[-1] == "Backward is done; nothing that was saved is left."


def test_it_is_drawn_played_and_run_as_any_bundled_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for command, name in (("draw", "miniature.png"), ("play", "miniature.html")):
        shown = CliRunner().invoke(app, [command, "miniature", "-o", name])
        assert shown.exit_code == 0, shown.output
    with Image.open("miniature.png") as picture:
        assert picture.width > 1000
    page = Path("miniature.html").read_text(encoding="utf-8")
    assert "loss.backward()" in page
    assert ">hidden<" in page
    command = [sys.executable, "-m", "autograd_lab.examples.miniature"]
    assert subprocess.run(command, capture_output=True, encoding="utf-8").stdout.startswith("1.70")
