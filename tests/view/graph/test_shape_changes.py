"""In-place ops that give a tensor another shape, or other memory: what pictures say of them is what happened."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import autograd_lab
from autograd_lab import record
from autograd_lab.events import from_json, to_json
from autograd_lab.trace import Trace
from autograd_lab.view.graph.facts.history import Box, history_of
from autograd_lab.view.graph.facts.timeline import states
from autograd_lab.view.graph.words.caption import Captions
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import Scene, make_scene

Program = Callable[[Any], Any]
WORLDS = ["autograd_lab", "torch"]


def recorded(program: Program, world: str) -> Trace:
    torch = autograd_lab if world == "autograd_lab" else pytest.importorskip("torch")
    with record() as trace, suppress(RuntimeError):
        program(torch)
    return trace


def sentences(trace: Trace) -> list[str]:
    captions = Captions(history_of(trace))
    return [captions.at(state) for state in states(trace)]


def card_of(scene: Scene, label: str) -> Part:
    """The card of a tensor."""
    assert isinstance(scene, RecordedScene)
    cards = scene.stills.picture.choice.cards.cards
    [part] = [part for part in scene.parts if part.kind == "card" and cards[part.of].box.label == label]
    return part


def at_end(scene: Scene, label: str) -> Look:
    """How the card of a tensor looks at the end."""
    return scene.look(card_of(scene, label), scene.state(scene.steps))


def course(scene: Scene, label: str, role: str) -> list[str]:
    """All that ever stands at a place of the card of a tensor, in order."""
    said = [look.text(role) for _, look in scene.tracks[card_of(scene, label).id]]
    return [text for number, text in enumerate(said) if not number or text != said[number - 1]]


def rows_of(film: dict[str, Any], title: str) -> list[list[Any]]:
    """What the inspector says of the tensor that is called so."""
    found = [[film["rows"][number] for number in numbers] for numbers in film["about"].values()]
    [rows] = [rows for rows in found if ["tensor", title] in rows]
    return rows


def sheet_at_end(scene: Scene, film: dict[str, Any], label: str, held: int = 0) -> Any:
    """The last sheet that the inspector shows of a tensor's value, or of another thing that it holds."""
    holding = film["contents"][card_of(scene, label).id][-1]
    return film["sheets"][film["holdings"][holding][held][1]]


def transposed(torch: Any) -> Any:
    w = torch.ones(3, 2, requires_grad=True)
    a = torch.arange(6.0).reshape(2, 3)
    row = a[0]
    a.t_()
    return w * a, row


def other_memory(torch: Any) -> Any:
    w = torch.ones(3, requires_grad=True)
    y = torch.zeros(2, 2)
    w.data = y
    y.add_(1)
    return w * 3


def stale(torch: Any) -> Any:
    w = torch.ones(2, 3, requires_grad=True)
    c = torch.arange(6.0).reshape(2, 3)
    d = w * c
    c.t_()
    d.sum().backward()


def recorded_transpose(torch: Any) -> Any:
    h = torch.ones(2, 3, requires_grad=True) * 2
    h.t_()
    return h.sum()


@pytest.mark.parametrize("world", WORLDS)
def test_a_transposed_tensor_has_its_new_shape_and_the_old_one_before(world: str) -> None:
    trace = recorded(transposed, world)
    scene, step = make_scene(trace), next(k for k, e in enumerate(trace, 1) if e.kind == "tensor_modified")
    film = film_of(scene)
    assert step > 1 and course(scene, "a", "shape") == ["2×3", "3×2"]
    rows = rows_of(film, "a")
    assert [row for row in rows if row[0] == "shape"] == [["shape", "[2, 3]"], ["shape", "[3, 2] from here on", step]]
    assert sheet_at_end(scene, film, "a")["rows"] == [["0", "0.0", "3.0"], ["1", "1.0", "4.0"], ["2", "2.0", "5.0"]]


@pytest.mark.parametrize("world", WORLDS)
def test_no_element_is_said_to_be_written_where_none_is(world: str) -> None:
    told = sentences(recorded(transposed, world))
    [said] = [text for text in told if "in place" in text]
    now = "[[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]], of shape [3, 2], version 1"
    assert said == f"a is transposed in place (t_), and no element of it is written: now {now}."
    told = [text for text in sentences(recorded(recorded_transpose, world)) if "in place" in text]
    assert told[0].startswith("h is transposed in place by h.t_(): [[2.0, 2.0], [2.0, 2.0], [2.0, 2.0]]; TBackward")
    assert told[1].startswith("h is transposed in place, and no element of it is written: ")


@pytest.mark.parametrize("world", WORLDS)
def test_a_tensor_that_is_transposed_once_it_is_recorded_has_the_shape_that_it_has_then(world: str) -> None:
    scene = make_scene(recorded(recorded_transpose, world))
    state = next(state for state in states(scene.trace) if "h" in [box.label for box in born_at(state.step, scene)])
    assert scene.look(card_of(scene, "h"), state).text("shape") == "2×3"
    assert at_end(scene, "h").text("shape") == "3×2"
    tiles = course(scene, "h", "tile")
    assert tiles[0] == "" and [tile.count("/") + 1 for tile in tiles[1:]] == [2, 3]


def born_at(step: int, scene: Scene) -> list[Box]:
    assert isinstance(scene, RecordedScene)
    return [box for box in scene.history.boxes.values() if box.born == step]


@pytest.mark.parametrize("world", WORLDS)
def test_a_tensor_in_the_same_memory_is_known_to_be_as_it_was(world: str) -> None:
    scene = make_scene(recorded(transposed, world))
    assert isinstance(scene, RecordedScene)
    [row] = [box.facts.id for box in scene.history.boxes.values() if box.label == "row"]
    end = scene.state(scene.steps)
    assert end.value_is_known(row) and end.tensors[row].value.numbers == [0.0, 1.0, 2.0]


@pytest.mark.parametrize("world", WORLDS)
def test_other_memory_is_told_with_its_shape_its_bytes_and_whose_it_is(world: str) -> None:
    trace = recorded(other_memory, world)
    said = "w is given the memory of y (.data =): now [[0.0, 0.0], [0.0, 0.0]], of shape [2, 2], and still version 0."
    assert said in sentences(trace)
    scene = make_scene(trace)
    look, film = at_end(scene, "w"), film_of(scene)
    assert look.text("beside") == "changed via y" and look.text("value") == "?"
    step = next(k for k, e in enumerate(trace, 1) if e.kind == "tensor_modified")
    rows = rows_of(film, "w")
    assert ["shape", "[2, 2] from here on", step] in rows
    assert ["dtype", "float32, 16 B from here on", step] in rows
    assert ["memory", "shared with y from here on", step] in rows
    assert ["gradient", "self: g × other;  other: g × self"] in film["rows"]  # nothing is summed: shapes are the same


@pytest.mark.parametrize("world", WORLDS)
def test_memory_that_is_assigned_to_itself_is_no_other_memory(world: str) -> None:
    def program(torch: Any) -> Any:
        w = torch.ones(2, requires_grad=True)
        w.data -= 1

    said = sentences(recorded(program, world))[-1]
    assert said == "w is assigned its .data: now [0.0, 0.0], and still version 0."


@pytest.mark.parametrize("world", WORLDS)
def test_what_was_saved_of_a_transposed_tensor_is_outdated_and_not_overwritten(world: str) -> None:
    trace = recorded(stale, world)
    line = next(event.where.line for event in trace if event.kind == "tensor_modified" and event.where is not None)
    said = f"MulBackward0 needs c as it was at version 0, but line {line} has transposed it: now it is at version 1."
    assert said in sentences(trace)
    film = film_of(make_scene(trace))
    assert "overwritten here" not in make_scene(trace).svg(make_scene(trace).moments["error"])
    words = {row[0]: row[1] for row in film["rows"]}
    assert words["outdated"] == f"on line {line}: c.t_(), which made version 1" and "overwritten" not in words
    assert any(name == "_saved_other, transposed since" for held in film["holdings"] for name, _ in held)


@pytest.mark.parametrize("world", WORLDS)
def test_a_gradient_keeps_its_own_shape_when_its_tensor_comes_to_another(world: str) -> None:
    def program(torch: Any) -> Any:
        w = torch.ones(2, 3, requires_grad=True)
        (w * 2).sum().backward()
        w.data = torch.zeros(4)

    scene = make_scene(recorded(program, world))
    film = film_of(scene)
    assert course(scene, "w", "shape") == ["2×3", "4 numbers"]
    assert course(scene, "w", "gtile") == ["", "hhh/hhh"] and course(scene, "w", "tile") == ["", "hhh/hhh", "0000"]
    assert [len(row) for row in sheet_at_end(scene, film, "w", 1)["rows"]] == [4, 4]  # with the number of the row


@pytest.mark.parametrize("world", WORLDS)
def test_a_parameter_that_becomes_double_says_so(world: str) -> None:
    def program(torch: Any) -> Any:
        layer = torch.nn.Linear(2, 2, bias=False)
        layer(torch.ones(1, 2)).sum().backward()
        layer.double()

    trace = recorded(program, world)
    rows = rows_of(film_of(make_scene(trace)), "layer.weight")
    assert any(row[:2] == ["dtype", "float64, 32 B from here on"] for row in rows)


def test_torch_may_set_a_tensor_to_the_memory_of_another() -> None:
    def program(torch: Any) -> Any:
        w = torch.ones(3, requires_grad=True)
        x = torch.zeros(2)
        y = torch.zeros(3)
        x.set_(y)
        y.add_(1)
        return w * x

    trace = recorded(program, "torch")
    assert "x is given the memory of y (set_): now [0.0, 0.0, 0.0], of shape [3], version 1." in sentences(trace)
    scene = make_scene(trace)
    [x] = [box for box in history_of(trace).boxes.values() if box.label == "x"]
    assert not scene.state(scene.steps).value_is_known(x.facts.id)
    assert ["shape", "[3] from here on", x.later[0][0]] in rows_of(film_of(scene), "x")


def test_an_older_trace_says_nothing_of_a_new_shape_and_is_read_all_the_same() -> None:
    [event] = [event for event in recorded(transposed, "autograd_lab") if event.kind == "tensor_modified"]
    told = {name: value for name, value in to_json(event).items() if name != "shape"}
    trace = Trace(recorded(transposed, "autograd_lab"))
    older = Trace([from_json(told) if each == event else each for each in trace])
    scene = make_scene(older)
    [a] = [box for box in history_of(older).boxes.values() if box.label == "a"]
    assert scene.state(scene.steps).tensors[a.facts.id].value.numbers == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
    assert film_of(scene)["steps"] == len(trace)
