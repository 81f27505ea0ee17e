"""Numbers that can be dragged: where they stand in a script, which values they take, what is run, and what is said."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import autograd_lab as torch
from autograd_lab import play, vary
from autograd_lab.display.literal import literals_in, with_numbers
from autograd_lab.display.rerun import Rerun
from autograd_lab.display.script import find_script
from autograd_lab.display.span import Span, span_of
from autograd_lab.display.target import Misuse
from autograd_lab.display.variation import Variation
from autograd_lab.display.vary import vary_script, wishes_of
from autograd_lab.view.page import packed
from autograd_lab.view.subject import NothingToDraw

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Iterator[Write]:
    """Writes a script."""

    def write_(lines: str) -> Path:
        path = tmp_path / "script.py"
        path.write_text("import autograd_lab as torch\n" + lines, encoding="utf-8")
        return path

    return write_


def numbers_at_the_end(variation: Variation, place: tuple[int, ...]) -> dict[str, tuple[str, str]]:
    """By name the last value and gradient of each tensor of a run."""
    boxes = variation.scenes[place].history.boxes.values()  # type: ignore[attr-defined]
    last = {box.label: (box.values[-1].numbers, [grad.numbers for grad in box.grads]) for box in boxes}
    return {name: (str(value), str(grads[-1]) if grads else "") for name, (value, grads) in last.items()}


SCRIPT = """é, a = "ü", torch.tensor(2.0, requires_grad=True)
b = torch.nn.Parameter(torch.tensor([-.5]))
c: object = torch.tensor(1e-3).requires_grad_()
lr, n = 0.1, 3
y = a + b
w = torch.tensor([1.0, 2.0])
flag = True
"""


def test_a_number_is_found_by_itself_in_a_tensor_and_under_methods() -> None:
    found = [(literal.name, literal.text, literal.line) for literal in literals_in(SCRIPT)]
    assert found == [("a", "2.0", 1), ("b", "-.5", 2), ("c", "1e-3", 3), ("lr", "0.1", 4), ("n", "3", 4)]


def test_other_numbers_change_nothing_else_in_the_text() -> None:
    literals = {literal.name: literal for literal in literals_in(SCRIPT)}
    changed = with_numbers(SCRIPT, {literals["a"]: "-17.25", literals["n"]: "4", literals["b"]: "0.5"})
    plain = SCRIPT.replace("2.0, requires", "-17.25, requires").replace("-.5", "0.5").replace("0.1, 3", "0.1, 4")
    assert changed == plain


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("q", "script.py has no q that is set to a number, as by q = torch.tensor(2.0, requires_grad=True)"),
        ("y", "line 4 of script.py sets y to a * b, which is not one number"),
        ("b", "script.py sets b to a number more than once, in lines 3 and 5"),
    ],
)
def test_a_name_that_cannot_be_varied_is_refused_with_those_that_can(write: Write, name: str, words: str) -> None:
    path = write("a = torch.tensor(2.0, requires_grad=True)\nb = 3.0\ny = a * b\nb = 4\n")
    with pytest.raises(Misuse) as refused:
        vary(path, **{name: None})
    assert str(refused.value) == f"{words}; what can be varied: a (2.0, line 2)"


def test_a_script_that_is_no_python_is_refused(write: Write) -> None:
    with pytest.raises(Misuse, match="is no Python, so nothing in it can be varied"):
        vary(write("a = = 2\n"), a=None)


@pytest.mark.parametrize(
    ("span", "home", "count", "some"),
    [
        (Span(), "3.0", 25, ["-3.0", "-2.5", "0.0", "3.0", "9.0"]),
        (Span(), "-2.", 41, ["-6.0", "0.0", "-2.", "2.0"]),
        (Span(), "0.0", 41, ["-2.0", "-1.9", "0.0", "2.0"]),
        (Span(), "3", 13, ["-3", "0", "9"]),
        (Span(), "1e-3", 41, ["-0.001", "1e-3", "0.003"]),
        (span_of("a", "-3:3"), "2.0", 31, ["-3.0", "-2.8", "2.0", "3.0"]),
        (span_of("a", "-3:3:0.5"), "2.1", 14, ["2.0", "2.1", "2.5"]),
        (span_of("a", "0:1:0.3"), "0.3", 4, ["0.0", "0.3", "0.6", "0.9"]),
        (span_of("n", "1:4:0.5"), "2", 7, ["1.0", "1.5", "2", "4.0"]),
    ],
)
def test_values_are_round_in_order_and_have_the_programs_own_as_it_is_written(
    span: Span, home: str, count: int, some: list[str]
) -> None:
    values = span.values("a", home)
    assert len(values) == count
    assert home in values
    assert set(some) <= set(values)
    assert [Decimal(value) for value in values] == sorted({Decimal(value) for value in values})


@pytest.mark.parametrize("text", ["nan:3", "3:1", "1:2:0", "1:2:3:4", "1:x", "1", "", "0:inf"])
def test_what_is_no_range_is_refused_with_one_that_is(text: str) -> None:
    with pytest.raises(Misuse, match=r"such as a=-3:3 or a=-3:3:0\.5, not"):
        span_of("a", text)


def test_a_range_without_the_programs_own_value_or_with_too_many_is_refused() -> None:
    with pytest.raises(Misuse, match=r"a is 2\.0 in the program, not between 3 and 4; take a range that has it inside"):
        span_of("a", "3:4").values("a", "2.0")
    with pytest.raises(Misuse, match="a would have 60,000 values; take a step of at least 15"):
        span_of("a", "-3000:3000:0.1").values("a", "2.0")


def test_each_run_has_its_own_values_and_gradients() -> None:
    theirs = pytest.importorskip("torch")
    variation = vary("expression", a=(1, 3, 0.5), b=(-1, 3, 2))
    axes = {axis.name: axis.values for axis in variation.axes}
    for place in variation.scenes:
        a, b = (theirs.tensor(float(axes[name][at]), requires_grad=True) for name, at in zip("ab", place, strict=True))
        y = (a + b) * (b + 1)
        y.backward()
        told = numbers_at_the_end(variation, place)
        assert told["a"] == (str(a.item()), str(a.grad.item()))
        assert told["b"] == (str(b.item()), str(b.grad.item()))
        assert told["y"][0] == str(y.item())


def test_two_numbers_are_varied_together_so_that_neither_goes_back_while_one_drags_the_other() -> None:
    both = vary("expression", a=(1, 3, 1), b=(2, 4, 1))
    assert len(both.scenes) == 9
    assert next(iter(both.scenes)) == (1, 1)
    script = Rerun(find_script("expression"))
    assert set(vary_script(script, [wishes_of("a=1:3:1,b=2:4:1")]).scenes) == set(both.scenes)


def test_three_numbers_and_two_with_very_many_values_are_varied_one_at_a_time(write: Write) -> None:
    leaves = "".join(f"{name} = torch.tensor(2.0, requires_grad=True)\n" for name in "abc")
    path = write(f"{leaves}(a * b * c).backward()\n")
    assert len(vary(path, a=(1, 3, 1), b=(1, 3, 1), c=(1, 3, 1)).scenes) == 1 + 3 * 2
    assert len(vary(path, a=(1, 3, 0.1), b=(1, 3, 0.1)).scenes) == 1 + 2 * 20


def test_the_program_that_is_shown_is_the_one_that_ran(write: Write) -> None:
    path = write("a = torch.tensor(2.0, requires_grad=True)\ny = a * a\ny.backward()\n")
    variation = vary(path, a=(1, 3, 1))
    lines = [next(iter(scene.trace.files.values())).splitlines()[1] for scene in variation.scenes.values()]
    assert lines == [f"a = torch.tensor({value}, requires_grad=True)" for value in ("2.0", "1.0", "3.0")]
    assert path.read_text().splitlines()[1] == lines[0]


def test_only_the_programs_own_run_says_something(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write("a = torch.tensor(2.0, requires_grad=True)\nprint('a is', a.item())\n(a * a).backward()\n")
    vary_script(Rerun(path), [wishes_of("a=1:3:1")], hear=lambda run: None)
    assert capsys.readouterr().out == "a is 2.0\n"
    vary(path, a=(1, 3, 1))
    assert capsys.readouterr().out == ""


def test_all_runs_draw_the_same_random_numbers(write: Write) -> None:
    path = write(
        "import random, numpy\na = torch.tensor(2.0, requires_grad=True)\n"
        "r = torch.tensor(random.random() + numpy.random.rand())\ns = torch.randn(())\ny = a * r * s\ny.backward()\n"
    )
    variation = vary(path, a=(1, 3, 1))
    drawn = {
        (numbers_at_the_end(variation, place)["r"], numbers_at_the_end(variation, place)["s"])
        for place in variation.scenes
    }
    assert len(drawn) == 1


def test_a_run_that_raises_shows_its_error(write: Write) -> None:
    path = write(
        "a = torch.tensor(2.0, requires_grad=True)\nh = a * 2\n"
        "if h < 0:\n    raise ValueError('h is negative')\ny = h.log()\ny.backward()\n"
    )
    film = vary(path, a=(-1, 3, 2)).film()
    marks = [film["columns"][column] for path, column in film["variants"] if path == ["marks"]]
    assert len(marks) == 1
    found, which = marks[0]
    negative = [
        run for run, (place,) in enumerate(film["vary"]["runs"]) if film["vary"]["axes"][0][1 + place].startswith("-")
    ]
    assert negative
    assert all("error" in found[which[run]] for run in negative)


def test_a_run_of_which_nothing_can_be_drawn_is_left_out_and_that_is_said(write: Write) -> None:
    path = write("n = 1\nassert n > 0\na = torch.tensor(2.0, requires_grad=True)\n(a * n).backward()\n")
    said: list[str] = []
    variation = vary_script(Rerun(path), [wishes_of("n=0:2")], say=said.append)
    assert set(variation.scenes) == {(1,), (2,)}
    assert any(text.startswith("with n = 0 there is nothing to draw") for text in said)
    with pytest.raises(NothingToDraw):
        vary(write("a = 2.0\n"), a=None)


def test_when_time_is_up_there_are_fewer_values_spread_over_the_whole_range(write: Write) -> None:
    path = write("import time\na = torch.tensor(0.0, requires_grad=True)\ntime.sleep(0.05)\n(a * a).backward()\n")
    said: list[str] = []
    began = time.monotonic()
    variation = vary_script(Rerun(path), [wishes_of("a=-10:10:0.1")], say=said.append, within=0.8)
    assert time.monotonic() - began < 5
    places = sorted(at for (at,) in variation.scenes)
    assert 2 < len(places) < 201
    assert (places[0], places[-1]) == (0, 200)
    assert said[-1].startswith(f"time is up: {len(places)} of 201 runs are in the page")


def test_the_page_stays_small() -> None:
    film = vary("expression", a=(-2, 6), b=(1, 5), within=600).film()  # all of them, also on a busy machine
    assert len(film["vary"]["runs"]) == 81
    assert len(packed(film)) < 42_000


def test_steps_of_runs_that_part_are_told_to_be_the_same_by_their_number() -> None:
    variation = vary("positive", x=(-2, 2, 4))
    film = variation.film()
    assert len(film["events"]) == variation.home.steps
    other = next(film["columns"][column][0] for path, column in film["variants"] if path == ["events"])[1]
    common = set(film["events"]) & set(other)
    assert common and common < set(other)


def test_a_leaf_has_a_grip_in_every_picture_of_it() -> None:
    film = vary("expression", a=(1, 3, 1)).film()
    (leaf,) = film["leaves"]
    for graph in film["graphs"]:
        (card,) = [part for part in graph["parts"] if part[1] == "card" and film["members"][part[2]][0] == leaf]
        for look in film["tracks"][card[8]][1::2]:
            elements = film["looks"][look][1]
            assert "grip" in json.dumps([film["shapes"][film["elements"][each][0]] for each in elements])


def test_a_function_is_varied_from_its_defaults_or_from_the_middle() -> None:
    def f(a: Any, b: Any = 3.0, n: int = 2) -> Any:
        return a * b**n

    variation = vary(f, a=(-2, 4), b=None, n=(1, 3))
    told = {axis.name: (axis.values[axis.home], axis.values[0], axis.values[-1]) for axis in variation.axes}
    assert told == {"a": ("1.0", "-2.0", "4.0"), "b": ("3.0", "-3.0", "9.0"), "n": ("2", "1", "3")}
    place = next(place for place in variation.scenes if place[2] == 2)
    assert numbers_at_the_end(variation, place)["b"] == ("3.0", "27.0")
    with pytest.raises(TypeError, match="f has no argument 'c'; it has a, b, n"):
        vary(f, c=(1, 2))


def test_it_is_saved_as_a_page_and_as_nothing_else(tmp_path: Path) -> None:
    variation = vary("expression", a=(1, 3, 1))
    assert "autograd-lab-film" in variation.save(tmp_path / "page.html").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.png has the suffix \.png"):
        variation.save(tmp_path / "page.png")
    assert repr(variation) == "<Variation of expression.py: a from 1.0 to 3.0; 3 runs>"


def test_a_notebook_gets_a_player_and_a_picture_of_the_programs_own_run() -> None:
    from autograd_lab.display.widget import PlayerOfRuns

    player = PlayerOfRuns(vary("expression", a=(1, 3, 1)))
    assert player.steps == 26
    assert player.twin()["text/plain"] == "<Player of expression.py: a from 1.0 to 3.0; 3 runs>"
    assert player.twin()["image/png"].startswith(b"\x89PNG")


def test_pytorchs_scripts_are_varied_as_they_are(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    path = tmp_path / "theirs.py"
    path.write_text("import torch\nx = torch.nn.Parameter(torch.tensor(0.5))\ny = torch.relu(x * 2)\ny.backward()\n")
    variation = vary(path, x=(-1, 1, 0.5))
    grads = [numbers_at_the_end(variation, place)["x"][1] for place in sorted(variation.scenes)]
    assert grads == ["0.0", "0.0", "0.0", "2.0", "2.0"]
    assert torch.is_grad_enabled()


def test_what_is_played_with_numbers_to_vary_runs_again_and_a_recording_cannot() -> None:
    def kink(a: Any) -> Any:
        return a * a if a > 0 else -a

    made = play(kink, vary={"a": (-3, 3, 1)})
    assert isinstance(made, Variation)
    assert [axis.name for axis in made.axes] == ["a"]
    with pytest.raises(TypeError, match="cannot run again"):
        play(made.home.trace, vary={"a": None})
