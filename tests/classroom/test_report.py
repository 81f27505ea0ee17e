"""The report of a class: thirty simulated learners do a lesson, hand in their files, and it says what is so."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from autograd_lab.classroom.report.beliefs import beliefs, gain, stuck
from autograd_lab.classroom.report.heat import Known, heat
from autograd_lab.classroom.report.learner import Learner, learners_of
from autograd_lab.classroom.report.report_page import look_of, report_page
from autograd_lab.commands.cli import app
from autograd_lab.display.target import Misuse
from autograd_lab.lessons import check, hint, predict, quiz
from autograd_lab.lessons.answers import questions
from autograd_lab.lessons.question import LETTERS
from autograd_lab.lessons.registry import find
from autograd_lab.view.languages.pairs import pairs

SIZE = 30
RIGHT_F1 = {"y": 1, "c": 2, "d": 6, "a": 2, "b": 8}


def does_lesson_three(number: int) -> None:
    """Every third learner is certain that the last way to b counts; every fifth does not get on with a task."""
    wrong = number % 3 == 0
    predict("L3.P1", answer="4", confidence=2)
    predict("L3.P3", answer="4" if wrong else "9", confidence=3 if wrong else 2)
    skips, ready = number == 1, "the node of c or that of d"
    predict("L3.P2", answer="skip" if skips else ready, confidence=None if skips else 1)
    for _ in range(4 if number % 5 == 0 else 1):
        check("L3.F1", {"y": 1, "c": 0, "d": 0, "a": 0, "b": 0})
    hint("L3.F1")
    if number % 5:
        check("L3.F1", RIGHT_F1)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("class")
    handed_in = []
    for number in range(1, SIZE + 1):
        with pytest.MonkeyPatch.context() as context:
            context.setenv("AUTOGRAD_LAB_PROGRESS", str(folder / f"{number}.jsonl"))
            quiz("before", "-" * 6)
            does_lesson_three(number)
            quiz("after", "".join(LETTERS[each.right()] for each in questions("after")))
            file = folder / f"learner-{number:02}.json"
            assert CliRunner().invoke(app, ["progress", "--export", str(file)]).exit_code == 0
            handed_in.append(file)
    return handed_in


@pytest.fixture(scope="module")
def learners(files: list[Path]) -> list[Learner]:
    return learners_of(files)


@contextmanager
def stopped(run: subprocess.Popen[str]) -> Iterator[None]:
    """What failed is told, rather than waiting for a server that nobody stops."""
    try:
        yield
    except BaseException:
        run.kill()
        raise


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl-C to whole consoles only")
def test_a_class_of_thirty_votes_on_a_lesson_does_it_and_the_report_says_what_is_believed_after_all(
    files: list[Path], tmp_path: Path
) -> None:
    """Real commands: all vote on the first question, twice on the third; then each does the lesson and hands it in."""
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("uvicorn")
    pytest.importorskip("segno")
    asked = [find(f"L3.P{number}") for number in (1, 2, 3)]
    right = [each.right() for each in asked]
    holds = asked[2].number("4")
    command = [sys.executable, "-m", "autograd_lab", "demo", "L3", "--vote", "--port", "0", "--class-size", str(SIZE)]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which a shell's background jobs ignore
    ) as run, stopped(run):  # fmt: skip
        assert run.stdout is not None
        teacher, students = (run.stdout.readline().split()[1] for _ in range(2))
        with httpx.Client(trust_env=False, timeout=60) as line:

            def do(*wishes: str) -> dict[str, Any]:
                return [line.post(f"{teacher}do", json={"wish": wish}).json() for wish in wishes][-1]

            def all_vote(number: int, round_: int, wrong: Callable[[int], bool], choice: int) -> None:
                for learner in range(1, SIZE + 1):
                    said = choice if wrong(learner) else right[number]
                    vote = {"voter": f"{learner:032x}", "number": number, "round": round_, "choice": said}
                    assert line.post(f"{students}vote", json=vote).json()["mine"] == said

            assert do("open")["question"].startswith("L3.P1")
            all_vote(0, 1, lambda learner: False, 0)
            assert do("close", "reveal")["counts"][right[0]] == SIZE
            do("next", "next")
            do("open")
            all_vote(2, 1, lambda learner: learner % 2 == 0, holds)
            do("close", "again")
            all_vote(2, 2, lambda learner: learner % 3 == 0, holds)
            seen = do("close", "reveal")
            assert (seen["before"][holds], seen["counts"][holds], seen["counts"][right[2]]) == (15, 10, 20)
            phone = line.get(f"{students}state", params={"voter": f"{3:032x}"}).json()
            assert phone["mine"] == holds and asked[2].choices[holds].belief in phone["reveals"]
        run.send_signal(signal.SIGINT)
        summary = run.stdout.read()
        assert run.wait(20) == 0 and f"{LETTERS[holds].lower()}) {asked[2].choices[holds].text}: 10" in summary
    reported = CliRunner().invoke(app, ["class", "report", *map(str, files)])
    [belief] = beliefs(learners_of(files))
    assert reported.exit_code == 0 and belief.belief in reported.output
    assert belief.holders == tuple(range(3, SIZE + 1, 3)), "the ten who held it in the second round"


def test_a_belief_is_told_with_those_who_hold_it_and_are_certain(learners: list[Learner]) -> None:
    [belief] = beliefs(learners)
    asked = find("L3.P3")
    assert (belief.id, belief.answer) == ("L3.P3", "4")
    assert belief.belief == asked.choices[asked.number("4")].belief
    assert belief.holders == belief.certain == tuple(range(3, SIZE + 1, 3))


def test_a_skipped_question_is_no_belief(learners: list[Learner]) -> None:
    assert learners[0].last["L3.P2"]["answer"] == "skip"
    assert not any(each.id == "L3.P2" for each in beliefs(learners))


def test_who_tries_in_vain_is_found_where_that_is_with_the_hints_taken(learners: list[Learner]) -> None:
    found = stuck(learners)
    assert [each.learner for each in found] == list(range(5, SIZE + 1, 5))
    assert {(each.id, each.tries, each.hints) for each in found} == {("L3.F1", 4, 1)}


def test_each_learner_has_for_each_concept_how_many_were_right_of_those_that_were_answered(
    learners: list[Learner],
) -> None:
    [column] = heat(learners)
    assert (column.lesson, column.concept) == (3, "the chain rule, node by node")
    assert column.cells[0] == Known(3, 4), "three right, one skipped"
    assert column.cells[2] == column.cells[4] == Known(3, 4)
    assert column.cells[14] == Known(2, 4) and column.cells[6] == Known(4, 4)
    assert column.learners == SIZE and column.all == Known(sum(each.right for each in column.cells), 4 * SIZE)


def rows_of_heat(page: str) -> list[str]:
    heat_map = page.partition('<div class="heat">')[2].partition("</table>")[0]
    return heat_map.split("<tr")[1:]


def test_on_the_page_each_learner_is_a_row_and_each_concept_a_column(learners: list[Learner]) -> None:
    head, whole, *rows = rows_of_heat(report_page(learners))
    assert [re.findall("<th>([^<]*)", row)[0] for row in rows] == [str(number) for number in range(1, SIZE + 1)]
    assert head.count("<th>") == 2 and "the chain rule, node by node" in head
    assert "3 of 4" in rows[0] and "2 of 4" in rows[14] and "86%<br>103 of 120" in whole, (
        "ten beliefs, six stuck, one skipped"
    )


def test_one_answer_is_paler_than_six_of_the_same_share_and_every_colour_stands_beside_its_numbers() -> None:
    few, many = (look_of(Known(*each)) for each in ((1, 1), (6, 6)))
    light = [sum(bytes.fromhex(look.partition("#")[2][:6])) for look in (few, many)]
    assert light[0] > light[1] + 100 and sum(b"\xff\xff\xff") > light[0], "pale, and no white"
    assert "low" in look_of(Known(2, 6)) and "low" not in many


def test_the_terminal_has_the_same_rows_and_columns(files: list[Path]) -> None:
    lines = CliRunner().invoke(app, ["class", "report", *map(str, files)]).output.splitlines()
    head = next(number for number, line in enumerate(lines) if line.split() == ["learner", "L3"])
    assert [line.split() for line in lines[head + 1 : head + 3]] == [["1", "3", "of", "4"], ["2", "4", "of", "4"]]
    assert any(line.split()[:2] == ["L3", "the"] and "86%" in line and "103 of 120" in line for line in lines)


def test_before_and_after_the_lessons_are_held_against_each_other(learners: list[Learner]) -> None:
    assert gain(learners) == (
        "before the lessons 0.0 of 6 right (30 learners); after the lessons 6.0 of 6 right (30 learners)"
    )


def test_the_page_names_nobody_unless_wished_and_needs_no_network(files: list[Path], tmp_path: Path) -> None:
    words = ["class", "report", *map(str, files), "-o", str(tmp_path / "class.html")]
    assert CliRunner().invoke(app, words).exit_code == 0
    text = (tmp_path / "class.html").read_text()
    assert "<script" not in text and "://" not in text and "learner-" not in text
    asked = "what is <code>b.grad</code>?<td>4<td>what arrives last replaces what was there<td>3, 6, 9,"
    assert "<tr><td>10<td>10<td>L3.P3<td>" in text and asked in text and "`" not in text
    assert CliRunner().invoke(app, [*words, "--names"]).exit_code == 0
    assert "learner-30" in (tmp_path / "class.html").read_text()


def test_the_terminal_says_the_same_in_short(files: list[Path]) -> None:
    ran = CliRunner().invoke(app, ["class", "report", *map(str, files)])
    assert ran.exit_code == 0, ran.output
    assert "30 learners." in ran.output and "what arrives last replaces what was there" in ran.output
    assert "5 is stuck at L3.F1: 4 tries, 1 hint" in ran.output


def test_of_many_beliefs_the_terminal_says_how_many_it_leaves_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(tmp_path / "own.jsonl"))
    asked = [find(f"L{lesson}.P{number}") for lesson in (2, 3) for number in range(1, 7)]
    for each in asked:
        predict(each.id, answer=each.choices[each.right() - 1].text, confidence=1)
    file = tmp_path / "learner.json"
    run = CliRunner()
    assert run.invoke(app, ["progress", "--export", str(file)]).exit_code == 0
    said = run.invoke(app, ["class", "report", str(file)]).output
    assert f"These are 10 of {len(asked)} ideas; the page of -o FILE.html has all." in said


def test_a_report_is_said_in_the_language_that_is_asked_for(files: list[Path], tmp_path: Path) -> None:
    page = tmp_path / "class.html"
    words = ["class", "report", str(files[2]), "--language", "es"]
    said = CliRunner().invoke(app, [*words, "-o", str(page)]).output + CliRunner().invoke(app, words).output
    assert "1 estudiante" in said
    text = page.read_text()
    assert '<html lang="es">' in text and pairs("es", "lessons")["what arrives last replaces what was there"] in text
    assert pairs("es", "lessons")["the chain rule, node by node"] in text and "¿qué es <code>b.grad</code>" in text


def test_a_learners_own_file_is_taken_too_and_any_other_is_refused(files: list[Path], tmp_path: Path) -> None:
    own = files[2].with_name("3.jsonl")
    assert [each.id for each in beliefs(learners_of([own]))] == ["L3.P3"]
    other = tmp_path / "other.json"
    other.write_text(json.dumps([{"id": 7, "what": []}, 3, {"id": "learner", "what": "seed"}]))
    ran = CliRunner().invoke(app, ["class", "report", str(other)])
    assert ran.exit_code == 2 and "no file of a learner" in ran.output


def test_nothing_of_a_file_that_a_learner_hands_in_is_markup(files: list[Path], tmp_path: Path) -> None:
    harm = "<script>alert(1)</script>\x1b[2J\u202e"
    told = json.loads(files[4].read_text())
    texts = [key for entry in told for key, value in entry.items() if isinstance(value, str) and key != "what"]
    for at, key in enumerate(dict.fromkeys(texts)):
        spoilt = tmp_path / f"<b>{at}.json"
        spoilt.write_text(json.dumps([entry | {key: harm} for entry in told]))
        page = tmp_path / "class.html"
        ran = CliRunner().invoke(app, ["class", "report", "--names", str(spoilt), str(files[4]), "-o", str(page)])
        assert ran.exit_code == 0, ran.output
        assert "<script" not in page.read_text() and "<b>" not in page.read_text() and "\x1b" not in page.read_text()
        said = CliRunner().invoke(app, ["class", "report", str(spoilt)]).output
        assert "alert" not in said and "\x1b" not in said


def test_no_sign_of_markup_is_left_in_the_words_of_a_report() -> None:
    asked = find("L1.P2")
    wrong = next(number for number, _ in enumerate(asked.choices) if number != asked.right())
    entry = {"what": "predict", "id": asked.id, "answer": asked.choices[wrong].text, "right": False, "confidence": 3}
    page = report_page([Learner(1, "one", (entry,))])
    assert (
        "*operations*" in asked.text and "<em>operations</em>" in page and "<code>y = x * x + 3 * x + 1</code>" in page
    )
    assert "`" not in page and "*operations*" not in page


def test_a_file_that_is_no_learners_and_a_second_one_of_the_same_learner_are_left_out_and_named(tmp_path: Path) -> None:
    seed = {"when": "", "id": "learner", "what": "seed", "number": 7}
    tried = {"when": "", "id": "L3.P3", "what": "predict", "answer": "4", "right": False}
    early, late, other, strange = (tmp_path / f"{name}.json" for name in ("early", "late", "other", "strange"))
    early.write_text(json.dumps([seed, tried]))
    late.write_text(json.dumps([seed, tried, tried | {"right": True, "answer": "9"}]))
    other.write_text(json.dumps([seed | {"number": 8}, tried]))
    strange.write_text("a letter to the teacher")
    told: list[str] = []
    found = learners_of([early, strange, late, other], told.append)
    assert [(each.number, each.name) for each in found] == [(1, "late"), (2, "other")]
    assert [str(strange) in told[0], str(early) in told[1] and "left out" in told[1], len(told)] == [True, True, 2]
    with pytest.raises(Misuse, match="none of these files"):
        learners_of([strange, strange])
