"""Techniques that save memory: what is measured is so, and the picture of it says it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from autograd_lab import listening
from autograd_lab.autograd.graph import save_on_cpu
from autograd_lab.commands.cli import app
from autograd_lab.commands.memory import TITLES
from autograd_lab.engine.numbers import dtypes
from autograd_lab.memory import checkpointing, offloading, precision, splitting
from autograd_lab.memory.meter import AGAIN, BACKWARD, FORWARD, Kept, Meter, Reading, measured
from autograd_lab.memory.poster import poster
from autograd_lab.memory.technique import Result, Row, Step, compared, usual_rows
from autograd_lab.utils.checkpoint import checkpoint
from autograd_lab.view.charts.chart import shelf, ticks
from autograd_lab.view.png import to_png

LAYERS, WIDTH, BATCH = 6, 16, 2048
ACTIVATION = WIDTH * BATCH * 4


@pytest.fixture
def step() -> Step:
    return Step(LAYERS, WIDTH, BATCH)


def checkpointed(step: Step) -> Any:
    first, second = step.net[:6], step.net[6:]
    return step.loss(checkpoint(second, checkpoint(first, step.x, use_reentrant=False), use_reentrant=False))


def offloaded(step: Step) -> Any:
    with save_on_cpu():
        return step.plain()


def test_a_plain_step_holds_each_layers_activation_and_lets_go_of_them_one_by_one(step: Step) -> None:
    reading = measured(step.plain, 1)
    assert reading.after_forward == pytest.approx(LAYERS * ACTIVATION, rel=0.1)
    assert [one.nbytes for one in reading.kept] == [ACTIVATION] * LAYERS  # what relu saves, the next layer shares
    assert reading.phases[0] == FORWARD and reading.phases[-1] == BACKWARD
    assert AGAIN not in reading.phases
    assert reading.held[-1] < 2.5 * ACTIVATION


def test_a_checkpoint_holds_inputs_only_and_runs_forward_again_inside_backward(step: Step) -> None:
    plain, reading = compared(step.plain, partial(checkpointed, step), 1)
    assert sum(one.nbytes for one in reading.kept) == 2 * ACTIVATION  # the input of the second, and the output
    assert reading.after_forward < 0.5 * plain.after_forward
    phases = [phase for phase, before in zip(reading.phases[1:], reading.phases, strict=False) if phase != before]
    assert phases == [BACKWARD, AGAIN, BACKWARD, AGAIN, BACKWARD]
    forward = [name for name, phase in zip(plain.names, plain.phases, strict=True) if phase == FORWARD]
    again = [name for name, phase in zip(reading.names, reading.phases, strict=True) if phase == AGAIN]
    assert len(again) == pytest.approx(len(forward), abs=4)  # each stops as soon as all is there


def test_what_is_offloaded_is_held_by_a_file(step: Step) -> None:
    reading = measured(partial(offloaded, step), 1)
    assert reading.after_forward < 2 * ACTIVATION
    assert all(one.elsewhere for one in reading.kept)
    assert sum(one.nbytes for one in reading.kept) > 2 * LAYERS * ACTIVATION  # shared ones are there twice


def test_half_precision_holds_half_of_it(step: Step) -> None:
    reading = measured(partial(precision._loss, step, dtypes.float16), 1)
    activations = [one.nbytes for one in reading.kept if one.nbytes >= ACTIVATION // 2]
    assert activations == [ACTIVATION // 2] * (len(activations) - 1) + [ACTIVATION]  # the loss saves float32


def test_scaling_the_loss_saves_the_gradients_that_float16_loses() -> None:
    exact, plain, scaled = precision.gradients(Step(16, 64, 512))
    lost = [precision._lost(exact, found) for found in (plain, scaled)]
    assert lost[0] > 0.01 > lost[1]
    np.testing.assert_allclose(scaled, exact, rtol=0.2, atol=np.abs(exact).max() / 100)


def test_measuring_leaves_the_recorder_as_it_was(step: Step) -> None:
    with pytest.raises(ZeroDivisionError), Meter() as meter:
        step.plain()
        raise ZeroDivisionError
    assert listening.active is None
    assert len(meter.held) == len(meter.phases) == len(meter.names) > LAYERS


# --- pictures --------------------------------------------------------------------------------------------------------


def result_of(step: Step) -> Result:
    without, with_it = compared(step.plain, partial(checkpointed, step), 1)
    rows = [*usual_rows(without, with_it), Row("<b>", "1 & 2", "3")]
    return Result("name", "A title <&>", "a sentence", "a note", rows, without, with_it)


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter() if node.tag.endswith("text")]


def test_a_poster_says_all_that_was_measured_and_escapes_it(step: Step) -> None:
    result = result_of(step)
    drawn = texts(poster(result))
    for row in result.rows:
        assert {row.what, row.without, row.with_it, row.ratio} - {""} <= set(drawn)
    assert "A title <&>" in drawn
    assert {"without", "with", "forward", "backward", "again"} <= set(drawn)
    assert any(text.endswith("at most") for text in drawn)
    described = next(node.text for node in ElementTree.fromstring(poster(result)).iter() if node.tag.endswith("desc"))
    assert described is not None and "held at most" in described
    assert to_png(poster(result), scale=0.2).startswith(b"\x89PNG")


def test_lanes_are_drawn_as_they_ran_and_meet_twice_in_a_block() -> None:
    result = splitting.run(1, 2)
    drawn = texts(poster(result))
    assert drawn.count("all-reduce") == 2
    assert [text for text in drawn if text.startswith("process ")] == ["process 0", "process 1"]
    assert drawn.count("Addmm") == 2 * 2  # in two lanes, forward and backward
    assert float(result.rows[-1].with_it) < 1e-5
    assert float(result.rows[0].ratio) < 0.6  # half of the weights, but for the bias that all have


def test_a_poster_of_a_split_network_says_of_all_bytes_that_they_are_those_of_one_process() -> None:
    result = splitting.run(1, 2)
    drawn = texts(poster(result))
    assert {row.what for row in result.rows[:3]} < set(drawn)
    assert all(row.what.endswith("in a process") for row in result.rows[:3])
    assert "bytes held in a process, op after op" in drawn
    assert sum(text.startswith("kept in a process at the end of forward") for text in drawn) == 2


def test_a_poster_says_that_its_curves_go_over_ops_and_what_a_slot_that_holds_nothing_waits_for(step: Step) -> None:
    assert "ops →" in texts(poster(result_of(step)))
    for technique in (checkpointing, offloading):
        said = technique.run(1)
        assert any(one.elsewhere for one in said.with_it.kept)
        assert "A dotted tab is a slot that holds nothing" in said.note


@given(st.integers(1, 2**40))
def test_ticks_are_few_and_round_and_reach_up(top: int) -> None:
    found = ticks(top)
    assert found[0] == 0 and len(found) <= 5
    assert found[-1] <= top
    assert found == sorted(set(found))
    assert top - found[-1] < max(found[1] if len(found) > 1 else top + 1, 1)


@given(st.lists(st.builds(Kept, st.integers(0, 10**7), st.booleans()), max_size=60))
def test_a_shelf_has_a_tab_for_each_array_within_its_width(kept: list[Kept]) -> None:
    here = sum(one.nbytes for one in kept if not one.elsewhere)
    drawn = ElementTree.fromstring(f"<g>{shelf('kept', kept, 0, 0, 1000, 1000 / max(here, 1))}</g>")
    tabs = [node for node in drawn if node.tag == "rect"]
    assert len(tabs) == len(kept)
    assert all(float(tab.attrib["x"]) + float(tab.attrib["width"]) <= 1001 + len(kept) for tab in tabs)


def test_a_reading_knows_when_forward_was_over() -> None:
    reading = Reading((0, 5, 9, 4, 7), (FORWARD, FORWARD, FORWARD, BACKWARD, AGAIN), ("",) * 5, 1.0, ())
    assert (reading.after_forward, reading.most) == (9, 9)


# --- the command -----------------------------------------------------------------------------------------------------


def test_without_a_name_the_techniques_are_listed() -> None:
    said = CliRunner().invoke(app, ["memory"])
    assert said.exit_code == 0
    assert [line.split()[0] for line in said.output.splitlines()] == [str(name) for name in TITLES]


def test_a_technique_is_measured_printed_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = CliRunner().invoke(app, ["memory", "checkpoint", "--rounds", "1", "-o", "x.svg"])
    assert said.exit_code == 0, said.output
    assert "held after forward" in said.output and "x.svg" in said.output
    assert "Checkpointing" in (tmp_path / "x.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["checkpoint", "--lanes", "2"], "--lanes goes with parallel"),
        (["parallel", "--lanes", "3"], "--lanes is 2, 4, 8 or 16"),
        (["offload", "-o", "x.pdf"], ".png or .svg"),
        (["offload", "-o", "nowhere/x.png"], "there is no folder nowhere"),
    ],
)
def test_misuse_is_told_before_anything_is_measured(words: list[str], complaint: str) -> None:
    said = CliRunner().invoke(app, ["memory", *words])
    assert said.exit_code == 2
    assert complaint in said.output
