"""Each question knows its truth in both worlds, and each wrong answer gets feedback that names the belief behind it;
each exercise says "not attempted", gives its hints one by one, and never gives the answer away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import autograd_lab as torch
from autograd_lab.commands.cli import app
from autograd_lab.lessons import check, hint, overview, predict, quiz, registry, task
from autograd_lab.lessons.answers import questions, result
from autograd_lab.lessons.exercise import Exercise, attempted, verdict
from autograd_lab.lessons.fill import Filling, Mistake, fill, plain
from autograd_lab.lessons.graphs import difference, same_shape, shape_of
from autograd_lab.lessons.picking import ALL_SAVED, Picking, names_of, shown_names
from autograd_lab.lessons.progress import answered, done, entries
from autograd_lab.lessons.question import LETTERS, Question
from autograd_lab.lessons.registry import KINDS, find, module_of, tasks_of
from autograd_lab.lessons.sort_task import sort_lines
from autograd_lab.lessons.spacing import due
from autograd_lab.lessons.survey import BEFORE, OPENING, TRANSFER, TWINS
from autograd_lab.view.graph.facts.history import history_of
from autograd_lab.view.pages.layouts import layouts_of
from autograd_lab.view.pages.members import Members
from autograd_lab.view.recorded_scene import RecordedScene
from tests.lessons.clicks import CLICKS
from tests.lessons.running import WRITTEN

MODULES = ["survey", *(module_of(lesson.number) for lesson in WRITTEN)]
TASKS = [task for module in MODULES for task in tasks_of(module).values()]
each_question = pytest.mark.parametrize("asked", [it for it in TASKS if isinstance(it, Question)], ids=lambda it: it.id)
each_filling = pytest.mark.parametrize("asked", [it for it in TASKS if isinstance(it, Filling)], ids=lambda it: it.id)
each_exercise = pytest.mark.parametrize("asked", [it for it in TASKS if isinstance(it, Exercise)], ids=lambda it: it.id)


@pytest.fixture(autouse=True)
def own_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    file = tmp_path / "progress.jsonl"
    monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(file))
    monkeypatch.setenv("AUTOGRAD_LAB_ORDER", "written")
    monkeypatch.setattr(registry, "_declared", dict(registry._declared))  # what a test declares is gone after it
    yield file


@each_question
def test_the_truth_is_one_of_the_choices_and_the_same_in_pytorch(asked: Question) -> None:
    right = asked.right()
    assert len({choice.text for choice in asked.choices}) == len(asked.choices) > 1
    assert asked.right(pytest.importorskip("torch")) == right


@each_question
def test_who_is_always_wrong_reads_for_each_answer_which_belief_stands_behind_it(
    asked: Question, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, choice in enumerate(asked.choices):
        given = predict(asked.id, answer=LETTERS[number], confidence=3)
        said = capsys.readouterr().out
        assert choice.belief[1:] in said and choice.says in said
        assert bool(given) == (number == asked.right())
        if not given:
            assert asked.choices[asked.right()].text in said, "the truth stands beside the prediction"
    assert len({choice.says for choice in asked.choices}) == len(asked.choices), "feedback is for that wrong answer"


@each_filling
def test_what_is_to_be_filled_in_is_the_same_in_pytorch(asked: Filling) -> None:
    assert verdict(asked, asked.truth(torch)).right
    assert verdict(asked, asked.truth(pytest.importorskip("torch"))).right


@each_filling
def test_who_makes_a_known_mistake_and_no_other_reads_which_belief_stands_behind_it(asked: Filling) -> None:
    truth = plain(asked.truth(torch))
    for mistake in asked.mistakes:
        wrong = plain(mistake.value)
        said = verdict(asked, {**truth, **wrong} if isinstance(wrong, dict) else wrong)
        assert not said.right and f"{mistake.belief}. {mistake.says}" in said.text


@each_filling
def test_of_each_entry_a_mistake_is_known_so_that_who_is_wrong_there_reads_more_than_where_to_look(
    asked: Filling,
) -> None:
    truth = plain(asked.truth(torch))
    known = {name for mistake in asked.mistakes for name in (plain(mistake.value) if isinstance(truth, dict) else {})}
    assert asked.mistakes and not (truth.keys() if isinstance(truth, dict) else set()) - known


@each_exercise
def test_a_stub_is_not_attempted_and_a_hint_never_comes_unasked(
    asked: Exercise, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not check(asked.id, ...).attempted
    said = capsys.readouterr().out
    assert "not attempted" in said
    assert not any(text in said for text in asked.hints)
    assert list(entries()) == []


@each_exercise
def test_hints_come_one_by_one_and_then_all_again(asked: Exercise, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(asked.hints) >= 2, "a ladder has more than one rung"
    for number, text in enumerate(asked.hints, 1):
        hint(asked.id)
        assert capsys.readouterr().out == f"{asked.id}, hint {number} of {len(asked.hints)}: {text}\n"
    hint(asked.id)
    again = capsys.readouterr().out
    assert all(text in again for text in asked.hints)


@each_exercise
@pytest.mark.parametrize("nonsense", [object(), -12345.678, "?!", [1, [2]], {"no": "such"}, lambda *_: 1 / 0, print])
def test_nonsense_is_wrong_and_nothing_breaks(asked: Exercise, nonsense: Any) -> None:
    found = verdict(asked, nonsense)
    assert found.attempted and not found.right
    assert found.text


@pytest.mark.parametrize("id", [it.id for it in TASKS])
def test_ids_say_what_kind_of_task_it_is(id: str) -> None:
    letter = id.split(".")[1][0]
    assert letter in KINDS
    assert isinstance(find(id), Question) == (letter == "P")
    assert isinstance(find(id), Picking) == (letter == "T")


def test_a_skipped_question_is_recorded_as_skipped() -> None:
    predict("L3.P1", answer="skip")
    [entry] = entries()
    assert (entry["id"], entry["answer"]) == ("L3.P1", "skip")
    assert "L3.P1" in answered() and "L3.P1" not in done(), "skipped is not done"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: predict("L3.P99"), "there is no L3.P99"),
        (lambda: predict("L77.P1"), "has no tasks yet"),
        (lambda: predict("hello"), "looks like L3.P1"),
        (lambda: predict("L3.F1"), "is an exercise"),
        (lambda: check("L3.P1", 4), "is a question"),
        (lambda: predict("L3.P1", answer="Z"), "has the answers A, B, C, D"),
        (lambda: predict("L3.P1", answer="A", confidence=9), "confidence is 1, 2 or 3"),
        (lambda: quiz("before", answers="AB"), "6 letters are wanted"),
    ],
)
def test_a_slip_of_the_lesson_is_told_clearly(call: Any, error: str) -> None:
    with pytest.raises((LookupError, ValueError), match=error):
        call()


def test_a_prediction_can_be_given_by_the_text_of_its_choice() -> None:
    assert predict("L3.P1", answer=4, confidence=1)
    assert predict("L3.P1", answer="4")
    assert predict("L3.P1", answer="b")


@pytest.mark.parametrize(
    ("answer", "whether"),
    [
        (..., False),
        ({"a": ...}, False),
        ([1, ...], False),
        ("...", False),
        ("", False),
        (0, True),
        (None, True),
        (lambda: None, False),
        (lambda x: x, True),
        (False, True),
    ],
)
def test_only_a_stub_counts_as_not_attempted(answer: Any, whether: bool) -> None:
    assert attempted(answer) is whether


class TestTheSurvey:
    def test_it_has_six_questions_and_afterwards_a_twin_of_each_and_four_new_programs(self) -> None:
        assert len(BEFORE) == len(TWINS) == 6 and len(TRANSFER) == 4
        assert {OPENING, *BEFORE, *TWINS, *TRANSFER} == tasks_of("survey").keys()

    def test_no_program_is_asked_about_twice(self) -> None:
        texts = [task.text for module in MODULES for task in tasks_of(module).values() if isinstance(task, Question)]
        assert len(set(texts)) == len(texts)

    def test_before_the_lessons_nothing_is_said_of_the_truth(self, capsys: pytest.CaptureFixture[str]) -> None:
        quiz("before", answers="A" * 5 + "-")
        said = capsys.readouterr().out
        assert said.startswith("before the lessons: ") and said.count("\n") == 1
        assert said.endswith("right, 5 answered, 1 skipped\n")
        quiz("after", answers="".join(LETTERS[each.right()] for each in questions("after")))
        assert "after the lessons: 6 of 6 right, and 4 of 4 new programs" in capsys.readouterr().out
        assert "before the lessons: " in result()


class TestProgress:
    def test_a_damaged_file_costs_only_its_damaged_lines(self, own_progress: Path) -> None:
        check("L3.F1", {"y": 1, "c": 2, "d": 6, "a": 2, "b": 8})
        with own_progress.open("a") as file:
            file.write('{"when": "20\n\x00\n[]\n')
        check("L3.S1", "GCFIAHJBE")
        assert done() == {"L3.F1", "L3.S1"}

    @pytest.mark.parametrize("odd", [[1], {"a": 1}, "\ud800", -7, "9999-12-31T23:59:59"])
    def test_whatever_stands_in_a_line_the_file_can_be_read_asked_from_and_exported(
        self, odd: Any, own_progress: Path, tmp_path: Path
    ) -> None:
        predict("L3.P3", answer="9", confidence=2)
        hint("L3.F1")
        lines = own_progress.read_text().splitlines()
        fields = {name for line in lines for name in json.loads(line)}
        spoilt = [json.dumps(json.loads(line) | {name: odd}) for line in lines for name in sorted(fields)]
        own_progress.write_text("\n".join([*spoilt, *lines]))
        assert "L3.P3" in done()
        due(), overview(), hint("L3.F1")
        for name in ("mine.csv", "mine.json"):
            ran = CliRunner().invoke(app, ["progress", "--export", str(tmp_path / name)])
            assert ran.exit_code == 0, ran.exception

    def test_answers_are_not_kept(self, own_progress: Path) -> None:
        check("L3.F1", {"y": 1, "c": 2, "d": 6, "a": 2, "b": 777})
        assert "777" not in own_progress.read_text()

    def test_a_lesson_goes_on_where_the_file_cannot_be_written(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(tmp_path / "no" / "such" / "folder.jsonl"))
        assert check("L3.S1", "GCFIAHJBE")
        assert "progress is not kept" in capsys.readouterr().out

    def test_a_grader_leaves_no_trace_in_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
        check("L3.S1", "GCFIAHJBE")
        assert list(entries()) == []

    def test_the_command_shows_exports_and_forgets_it(self, tmp_path: Path, own_progress: Path) -> None:
        check("L3.S1", "GCFIAHJBE")
        assert "1 of" in CliRunner().invoke(app, ["progress"]).output
        for name in ("mine.csv", "mine.json"):
            assert CliRunner().invoke(app, ["progress", "--export", str(tmp_path / name)]).exit_code == 0
        assert json.loads((tmp_path / "mine.json").read_text())[0]["id"] == "L3.S1"
        assert (tmp_path / "mine.csv").read_text().splitlines()[1].split(",")[1:3] == ["L3.S1", "check"]
        CliRunner().invoke(app, ["progress", "--forget"], input="n\n")
        assert own_progress.exists()
        CliRunner().invoke(app, ["progress", "--forget"], input="y\n")
        assert not own_progress.exists()

    def test_the_overview_counts_what_is_right_and_tells_what_else_was_answered(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        predict("L3.P1", answer="A")  # which is wrong
        predict("L3.P3", answer="C")
        capsys.readouterr()
        overview()
        assert f"1 of {len(tasks_of('lesson03'))}, 2 answered\n" in capsys.readouterr().out


class TestFilling:
    def test_a_known_mistake_is_named_and_other_wrong_entries_are_pointed_at(self) -> None:
        fill("L3.F98", "", lambda _: {"a": 1, "b": 2.0}, mistakes=[Mistake({"b": 3}, "BELIEF", "SAYS")], hints=[])
        asked = find("L3.F98")
        assert verdict(asked, {"a": 1, "b": 2}).right
        assert verdict(asked, {"a": 1, "b": 3}).text.endswith("BELIEF. SAYS Look again at b. Right so far: a.")
        assert verdict(asked, {"a": 1, "b": 4}).text == "Look again at b. Right so far: a."
        assert "a dict with the keys 'a', 'b'" in verdict(asked, 7).text

    def test_a_number_with_too_few_decimals_is_called_so(self) -> None:
        right = {"ln": 1.386, "product": 8, "sum": 9.386, "sine": 0.909, "f": 8.477}
        assert verdict(find("L1.F1"), right).right
        assert verdict(find("L1.F1"), right | {"ln": 1.39}).text == "Too few decimals: ln."
        assert verdict(find("L1.F1"), right | {"ln": 1.38}).text.startswith("Look again at ln.")

    def test_tensors_are_taken_as_numbers(self) -> None:
        fill("L3.F99", "", lambda torch: torch.tensor([1.0, 2.0]), hints=[])
        assert verdict(find("L3.F99"), torch.tensor([1.0, 2.0])).right
        assert not verdict(find("L3.F99"), [1.0, 2.5]).right


class TestGraphs:
    """Alike means: the same nodes joined in the same way, whatever the ids and the order of symmetric operands."""

    def leaves(self) -> list[Any]:
        return [torch.tensor(value, requires_grad=True) for value in (2.0, 3.0)]

    def test_swapped_operands_are_alike_and_swapped_leaves_too(self) -> None:
        a, b = self.leaves()
        assert same_shape(shape_of(a * (a + b)), shape_of((b + a) * a))
        assert same_shape(shape_of(a * (a + b)), shape_of(b * (a + b)))

    def test_one_leaf_twice_is_not_two_leaves(self) -> None:
        a, b = self.leaves()
        assert not same_shape(shape_of(a * a), shape_of(a * b))
        assert "1 AccumulateGrad too few" in difference(shape_of(a * a), shape_of(a * b))

    def test_operands_of_a_difference_are_not_swapped(self) -> None:
        a, b = self.leaves()
        assert not same_shape(shape_of(a.exp() - b), shape_of(b - a.exp()))

    def test_the_same_nodes_joined_otherwise_are_told_from_each_other(self) -> None:
        a, b = self.leaves()
        one, other = shape_of(a * (a + b)), shape_of(a * b + a)
        assert difference(one, other).startswith("It has the right nodes") or "too" in difference(one, other)

    def test_both_worlds_have_the_same_shapes(self) -> None:
        theirs = pytest.importorskip("torch")
        a, b = self.leaves()
        c, d = (theirs.tensor(value, requires_grad=True) for value in (2.0, 3.0))
        assert same_shape(shape_of((a + b) * (b + 1)), shape_of((c + d) * (d + 1)))
        assert shape_of((a + b) * (b + 1)).paths() == 3


def clicked(asked: Picking) -> list[set[str]]:
    """What the clicks on all parts are called, in each picture with nothing open of its player."""
    run = asked.run()
    scene, names = asked.scene(run), names_of(run)
    assert isinstance(scene, RecordedScene)
    pictures = [Members(layout.picture) for layout in layouts_of(scene) if layout.opened is None]
    drawn = [layout.picture.parts for layout in layouts_of(scene) if layout.opened is None]
    return [
        {
            next(names[thing] for thing in (members.name(part), *members.of(part)) if thing in names)
            for part in parts
            if names.keys() & {members.name(part), *members.of(part)}
        }
        for members, parts in zip(pictures, drawn, strict=True)
    ]  # as `widgets/src/picking.ts` has it


def test_the_right_clicks_of_all_exercises_are_known() -> None:
    assert {task.id for task in TASKS if isinstance(task, Picking)} == CLICKS.keys()


@pytest.mark.parametrize("id", CLICKS)
def test_an_exercise_is_answered_by_clicks_in_every_picture_of_its_player(id: str) -> None:
    asked, answer = find(id), CLICKS[id].split()
    assert isinstance(asked, Picking)
    assert verdict(asked, answer).right, verdict(asked, answer).text
    for names in clicked(asked):
        assert all(name in names or name.rpartition("_saved_")[0] + ALL_SAVED in names for name in answer)


def test_a_pocket_with_all_that_a_node_saved_holds_the_stale_value_too() -> None:
    assert verdict(find("L9.T1"), ["p.grad_fn._saved_*"]).right
    assert "q.grad_fn._saved_* has the version" in verdict(find("L9.T1"), ["q.grad_fn._saved_*"]).text


def test_what_is_clicked_is_called_as_in_pytorch() -> None:
    asked = find("L3.T1")
    assert isinstance(asked, Picking)
    assert all(names >= {"a", "b", "c.grad_fn", "d.grad_fn", "y.grad_fn"} for names in clicked(asked))
    known = set(names_of(asked.run()).values())
    assert {"a", "a.grad", "b.AccumulateGrad", "y.grad_fn", "y.grad_fn._saved_self"} <= known
    assert "y.AccumulateGrad" not in known, "only leaves have one"


@pytest.mark.parametrize("id", CLICKS)
def test_a_list_of_clicks_calls_a_card_by_what_is_written_on_it(id: str) -> None:
    asked = find(id)
    assert isinstance(asked, Picking)
    run = asked.run()
    shown, history = shown_names(run), history_of(run.events)
    assert shown.keys() == names_of(run).keys()
    assert all(shown[op.id] == shown[op.outputs[0]] for op in history.ops.values()), "an operation, and what it made"
    assert all(shown[box.id] == box.label for box in history.boxes.values() if box.label)


@pytest.mark.parametrize("order", ["y c d a b", "y d c b a", "y c a d b", "y.grad_fn d c b.AccumulateGrad a"])
def test_any_order_in_which_users_come_first_is_legal(order: str) -> None:
    assert check("L3.T1", order.split())


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("y c b d a", "still waits for a gradient from the node of d"),
        ("c y d a b", "still waits for a gradient from the node of y"),
        ("y y c d a b", "runs each node once"),
        ("y c d a", "1 node is missing"),
        ("y z", "'z' is nothing in this graph"),
    ],
)
def test_what_is_wrong_with_an_order_is_said(order: str, why: str) -> None:
    assert why in verdict(find("L3.T1"), order.split()).text


def test_of_a_path_the_first_wrong_step_is_named() -> None:
    said = verdict(find("L2.T1"), ["y", "s", "b"]).text
    assert said == "Look again at number 3: no edge of s has b as its target."
    assert "It should end at" in verdict(find("L2.T1"), ["y", "s", "u", "b"]).text
    assert "there is a longer one" in verdict(find("L2.T1"), ["y", "s", "a"]).text


def test_a_walk_that_gathers_pairs_is_told_so() -> None:
    assert "a pair" in verdict(find("L2.D1"), lambda node: [node, *node.next_functions]).text


def test_lines_that_never_end_are_stopped() -> None:
    sort_lines("L3.S99", "", ["while True:", "    x = 1"], start=dict, works=lambda _: "", hints=[])
    assert "never comes to an end" in verdict(find("L3.S99"), "AB").text


@pytest.mark.parametrize(
    ("order", "why"),
    [
        ("GCFIADJBE", "leaves 4 as the gradient of b"),
        ("CFIAHJBE", "no gradient moves"),
        ("FGC", "no Python"),
        ("FI", "'ready' is not defined"),
        ("GGC", "Line G stands there twice"),
        ("GXC", "There is no line X"),
    ],
)
def test_what_is_wrong_with_sorted_lines_is_said(order: str, why: str) -> None:
    assert why in verdict(find("L3.S1"), order).text


@pytest.mark.parametrize(
    ("id", "answer", "why"),
    [
        ("L2.D1", lambda node: [].append(node), "`return` the list"),
        ("L2.D1", lambda node: [node], "misses 4 of 5 nodes"),
        ("L3.D1", lambda x: torch.sin(2 * x), "not sin(2)²"),
        ("L13.D1", lambda x: x * x, "differences"),
    ],
)
def test_what_computes_something_else_is_not_right(id: str, answer: Any, why: str) -> None:
    found = verdict(find(id), answer)
    assert why in found.text and not found.right


def test_parsons_lines_are_shown_with_their_letters(capsys: pytest.CaptureFixture[str]) -> None:
    task("L3.S1")
    assert "  F | while ready:" in capsys.readouterr().out


class TestPatience:
    def test_a_function_that_never_ends_is_stopped_and_said_to_be_so(self) -> None:
        def judge(answer: Any) -> str:
            try:
                answer()
            except Exception as error:
                return f"it stops: {error}"
            return ""

        def endless() -> None:
            turns = 0
            while turns >= 0:
                turns += 1

        found = verdict(Exercise("L3.D99", "", judge, ()), endless)
        assert not found.right and "It never comes to an end" in found.text

    def test_what_school_notation_invites_is_said_in_words(self) -> None:
        def power(x: float) -> Any:
            return x ^ 2  # type: ignore[operator]

        def product(x: Any) -> Any:
            return x(1 - x)

        asked = Exercise("L3.D99", "", lambda answer: str(answer(2.0)), ())
        assert "a power is written `**`" in verdict(asked, power).text.replace("​", "")
        assert "`*` missing before a bracket" in verdict(asked, product).text

    @pytest.mark.parametrize(
        "condition", ["old", "old == None", "not old is None and old"], ids=["truth", "equality", "both"]
    )
    def test_a_gradient_that_is_a_row_is_no_truth_value(self, condition: str) -> None:
        names: dict[str, Any] = {}
        exec(f"def accumulate(old, gradient):\n    return gradient if not ({condition}) else old + gradient", names)
        assert "neither true nor false" in verdict(find("L16.M6"), names["accumulate"]).text
