"""Choices are shuffled for each learner; what was wrong comes back; progress is told by concept."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autograd_lab.commands.cli import app
from autograd_lab.lessons import overview, predict, review
from autograd_lab.lessons.concepts import standings
from autograd_lab.lessons.dealing import LAST, dealt, shuffled
from autograd_lab.lessons.progress import entries
from autograd_lab.lessons.question import LETTERS, Question
from autograd_lab.lessons.registry import find, module_of, tasks_of
from autograd_lab.lessons.spacing import DAYS, due, memories
from autograd_lab.lessons.syllabus import LESSONS

QUESTIONS = [
    task
    for module in (module_of(None), *(module_of(lesson.number) for lesson in LESSONS))
    for task in tasks_of(module).values()
    if isinstance(task, Question)
]


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("AUTOGRAD_LAB_ORDER", raising=False)
    monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(tmp_path / "progress.jsonl"))
    return tmp_path / "progress.jsonl"


class TestShuffle:
    def test_no_letter_is_worth_choosing_blindly(self) -> None:
        rights = {each.id: each.choices[each.right()] for each in QUESTIONS}
        dealt_to = [[shuffled(each, seed).choices.index(rights[each.id]) for each in QUESTIONS] for seed in range(50)]
        chance = sum(1 / len(each.choices) for each in QUESTIONS) / len(QUESTIONS)
        shares = Counter(LETTERS[place] for learner in dealt_to for place in learner)
        best = max(shares.values()) / (50 * len(QUESTIONS))
        assert best < chance + 0.04, shares
        assert all(max(Counter(learner).values()) < 0.5 * len(QUESTIONS) for learner in dealt_to)

    def test_a_learner_gets_the_same_order_each_time_and_another_learner_another(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        mine = [dealt(each).choices for each in QUESTIONS]
        assert [dealt(each).choices for each in QUESTIONS] == mine
        monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(file.with_name("other.jsonl")))
        assert [dealt(each).choices for each in QUESTIONS] != mine

    @pytest.mark.parametrize("id", ["L12.P5", "L9.P6", "L1.P1"])
    def test_what_speaks_of_the_other_choices_stays_behind_them(self, id: str) -> None:
        for seed in range(9):
            texts = [choice.text for choice in shuffled(find(id), seed).choices]
            assert [text in LAST for text in texts] == sorted(text in LAST for text in texts)

    def test_a_letter_means_what_stands_beside_it_on_the_learners_own_card(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for asked in QUESTIONS[12:30]:
            for letter, choice in zip(LETTERS, dealt(asked).choices, strict=False):
                predict(asked.id, answer=letter)
                assert f"You said {letter} ({choice.text})" in capsys.readouterr().out

    def test_a_class_can_have_them_as_they_are_written(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AUTOGRAD_LAB_ORDER", "written")
        assert [dealt(each) for each in QUESTIONS] == QUESTIONS


def happened(file: Path, id: str, days_ago: float, **facts: Any) -> None:
    when = (datetime.now(UTC) - timedelta(days=days_ago)).isoformat()
    with file.open("a") as out:
        out.write(json.dumps({"when": when, "id": id, "what": "predict", **facts}) + "\n")


class TestReview:
    def test_certain_and_wrong_comes_back_first_and_what_was_skipped_comes_back_too(self, file: Path) -> None:
        happened(file, "L3.P1", 5, answer="skip")
        happened(file, "L3.P2", 3, right=False, confidence=1)
        happened(file, "L3.P3", 0.1, right=False, confidence=3)
        happened(file, "L3.P4", 0.1, right=True, confidence=3)
        assert [each.id for each in due()] == ["L3.P3", "L3.P1", "L3.P2"]

    def test_what_is_known_comes_back_after_ever_longer_times(self, file: Path) -> None:
        for days_ago in (100, 90, 80, 70):
            happened(file, "L3.P1", days_ago, right=True, confidence=2)
        [memory] = memories()
        assert DAYS[memory.rung] == 14 and [each.id for each in due()] == ["L3.P1"]
        happened(file, "L3.P1", 1, right=True, confidence=2)
        assert due() == []
        happened(file, "L3.P1", 0, right=False, confidence=2)
        assert [each.id for each in due()] == ["L3.P1"]

    def test_a_guess_that_hits_is_asked_again_tomorrow(self, file: Path) -> None:
        happened(file, "L3.P1", 0, right=True, confidence=1)
        assert due() == [] and len(due(datetime.now(UTC) + timedelta(days=1.1))) == 1

    def test_it_takes_five_minutes_however_much_is_due(self, file: Path) -> None:
        for each in QUESTIONS:
            happened(file, each.id, 9, right=False, confidence=2)
        assert len(due()) == 10

    def test_damaged_lines_and_questions_of_another_version_are_passed_over(self, file: Path) -> None:
        happened(file, "L3.P77", 9, right=False)
        happened(file, "L3.F1", 9, right=False)
        file.write_text(file.read_text() + '{"id": "L3.P1", "what": "predict", "when": "yesterday"}\n')
        assert due() == []

    def test_the_command_asks_what_is_due_and_says_what_it_was_worth(self, file: Path) -> None:
        happened(file, "L3.P3", 2, right=False, confidence=3)
        asked = dealt(find("L3.P3"))
        letter = LETTERS[asked.right()]
        ran = CliRunner().invoke(app, ["review"], input=f"Z\n{letter.lower()}\n7\n3\n")
        assert ran.exit_code == 0, ran.output
        assert "Please type A to D" in ran.output and "and so it is" in ran.output and "1 of 1 right." in ran.output
        assert list(entries())[-1]["right"] is True
        assert "Nothing is due today." in CliRunner().invoke(app, ["review"]).output

    def test_in_plain_python_it_is_printed_with_how_to_answer(
        self, file: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        review()
        assert "Nothing is due today" in capsys.readouterr().out
        happened(file, "L3.P3", 2, right=False, confidence=3)
        review()
        assert 'predict("L3.P3", answer="A"' in capsys.readouterr().out


class TestConcepts:
    def test_every_task_of_the_lessons_belongs_to_one_concept(self) -> None:
        assert sum(each.tasks for each in standings()) == sum(
            len(tasks_of(module_of(lesson.number))) for lesson in LESSONS
        )

    def test_the_last_answer_counts_and_a_question_that_looks_back_counts_for_the_earlier_lesson(
        self, file: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        happened(file, "L4.P6", 2, right=True, confidence=1)  # from lesson 3
        happened(file, "L3.P1", 2, right=True, confidence=3)
        happened(file, "L3.P1", 1, right=False, confidence=3)
        found = {each.concept: each for each in standings()}["the chain rule, node by node"]
        assert (found.right, found.guessed, found.certain_and_wrong) == (1, 1, 1)
        overview()
        assert "1 by a guess, certain and wrong: 1" in capsys.readouterr().out

    def test_the_command_makes_a_page_to_show_that_needs_no_network(self, file: Path, tmp_path: Path) -> None:
        happened(file, "L3.P1", 2, right=True, confidence=3)
        ran = CliRunner().invoke(app, ["progress", "--export", str(tmp_path / "mine.html")])
        text = (tmp_path / "mine.html").read_text()
        assert ran.exit_code == 0 and "<script" not in text and "://" not in text
        assert "the chain rule, node by node" in text and '<meter min="0"' in text
