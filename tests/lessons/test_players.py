"""A question that is asked in a player: after Commit its picture shows the truth, or says it."""

from __future__ import annotations

import linecache
import re
import warnings
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from autograd_lab.lessons.question import Question
from autograd_lab.lessons.registry import find
from autograd_lab.trace import Trace
from autograd_lab.view.scene import make_scene
from tests.lessons.running import WRITTEN, built, code_cells, each_lesson

ASKED = re.compile(r'predict\("(L\d+\.P\d+)", (\w+)\)')
IN_WORDS = {
    "L3.P2": "Backward stands at d",
    "L4.P2": "x.grad = 5: two gradients arrive",
    "L8.P1": "w = z * 3 leaves no node",
}
"""How a picture says a truth that is no number in it."""


def asked_in(lesson: Any) -> list[tuple[Question, Trace]]:
    """The questions that a lesson asks in players, each with the run that it is about."""
    names: dict[str, Any] = {}
    found = []
    for cell in code_cells(built(lesson.name, closed=False)):
        for id, run in ASKED.findall(cell.source):
            asked = find(id)
            assert isinstance(asked, Question)
            found.append((asked, names[run]))
        _run(cell, names)
    return found


def _run(cell: Any, names: dict[str, Any]) -> None:
    file = f"{cell.id}.py"
    linecache.cache[file] = (len(cell.source), None, cell.source.splitlines(keepends=True), file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(cell.source, file, "exec"), names)


def told_at_the_truth(asked: Question, run: Trace) -> str:
    """What the picture has in text where the player goes after Commit, and what is said of that step."""
    seen = Trace(run.events[: asked.shows(run)], run.files, run.engine)
    scene = make_scene(seen, fold=False)
    drawn = re.findall(r">([^<>]+)<", scene.svg(scene.steps))
    return " ".join([*map(unescape, drawn), scene.caption(scene.steps), scene.headline(scene.steps).text])


@each_lesson
def test_after_commit_the_truth_stands_in_the_picture_or_in_what_is_said_of_it(
    lesson: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(tmp_path / "progress.jsonl"))
    for asked, run in asked_in(lesson):
        told, truth = told_at_the_truth(asked, run), asked.choices[asked.right()].text
        if asked.id in IN_WORDS:
            assert IN_WORDS[asked.id] in told, asked.id
            continue
        numbers = re.findall(r"-?\d+(?:\.\d+)?|nan", truth)
        assert numbers and all(_stands(number, told) for number in numbers), f"{asked.id}: no {truth} in {told}"
        if ".grad`" in asked.text:
            assert _stands(numbers[0], told.partition(".grad ")[2][:12]), f"{asked.id}: its .grad does not hold {truth}"


def _stands(number: str, text: str) -> bool:
    wanted = re.escape(number.removesuffix(".0"))
    return re.search(rf"(?<![\w.]){wanted}(?:\.0)?(?!\w|\.\d)", text, re.IGNORECASE) is not None


def test_in_lesson_4_no_player_shows_how_often_a_leafs_node_runs_before_that_is_asked() -> None:
    lesson = next(lesson for lesson in WRITTEN if lesson.number == 4)
    asked = [question.id for question, _ in asked_in(lesson)]
    assert asked[0] == "L4.P2", "the picture of L4.P1 would say that two gradients arrive, and add"
