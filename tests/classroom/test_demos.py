"""Demos for a class: one script gives the questions, the note, the trace, the page, the slide and the key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import autograd_lab
from autograd_lab.classroom.demos.demo import BUNDLED, RECORDED, SCRIPTS, load, make, run
from autograd_lab.classroom.demos.film_strip import strip, strip_steps
from autograd_lab.classroom.demos.key import key
from autograd_lab.classroom.demos.questions import LETTERS, Choice, QuestionError, questions_in, without_answers
from autograd_lab.commands.cli import app
from autograd_lab.events import BackwardStarted
from autograd_lab.trace import Trace
from autograd_lab.view.languages.pairs import ENGLISH, languages, pairs
from autograd_lab.view.languages.speaking import spoken_in
from autograd_lab.view.pages.page_text import unpacked_text
from tests.story import first_difference, story

COUNTED = """import autograd_lab as torch


def double(x):
    return x * 2


x = torch.tensor(1.0, requires_grad=True)
y = x + 1
# ? Before the call of a function that stands further up?
#   a) yes *  -- the mark runs
#   b) no
z = double(y)
for _ in range(2):
    # ? Once, at the first turn?
    z = z * x
# ? At the end?
"""


@pytest.mark.parametrize("name", BUNDLED)
def test_what_comes_along_is_what_the_script_does_today(name: str, tmp_path: Path) -> None:
    """`python -m autograd_lab.classroom.demos` writes it anew."""
    fresh = run(name)
    fresh.trace.save(tmp_path / "trace.jsonl")
    assert (tmp_path / "trace.jsonl").read_text("utf-8") == (RECORDED / f"{name}.jsonl").read_text("utf-8")
    assert load(name).steps == fresh.steps
    assert fresh.complaint == ""


@pytest.mark.parametrize("name", BUNDLED)
def test_both_worlds_play_the_same_demo(name: str) -> None:
    pytest.importorskip("torch")
    ours, theirs = run(name), run(name, torch=True)
    assert first_difference(story(ours.trace), story(theirs.trace)) is None
    assert ours.steps == theirs.steps


@pytest.mark.parametrize("name", BUNDLED)
def test_each_demo_asks_has_one_right_answer_and_says_what_wrong_ones_reveal(name: str) -> None:
    demo = load(name)
    assert demo.title != name and "Payoff:" in demo.note and "minutes" in demo.note
    for question in demo.questions:
        assert question.answer is not None
        assert all(choice.reveals for choice in question.choices)


def test_all_scripts_are_listed() -> None:
    assert sorted(path.stem for path in SCRIPTS.glob("*.py")) == sorted(BUNDLED)


def words(text: str) -> set[str]:
    """The words and numbers of a text."""
    return set(re.findall(r"\w+", text.lower()))


@pytest.mark.parametrize("name", BUNDLED)
def test_nothing_that_students_see_tells_the_answers(name: str) -> None:
    demo = load(name)
    (text,) = demo.trace.files.values()
    assert "# ?" not in text and '"""' not in text
    assert all(choice.reveals not in text for question in demo.questions for choice in question.choices)


@pytest.mark.parametrize("name", BUNDLED)
def test_no_name_or_title_has_a_word_that_the_right_choice_has_alone(name: str) -> None:
    demo = load(name)
    seen = words(f"{name} {demo.title}")
    for question in demo.questions:
        wrong = words(" ".join(choice.text for choice in question.choices if not choice.right))
        right = words(" ".join(choice.text for choice in question.choices if choice.right))
        assert not seen & (right - wrong - words(question.text))


def test_no_question_is_answered_by_those_before_it() -> None:
    """Where the choices stay the same, at least two are left for the last question."""
    asked = load("three-ways-to-add-one").questions
    assert len({tuple(choice.text for choice in question.choices) for question in asked}) == 1
    assert len(asked[0].choices) - (len(asked) - 1) >= 2


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("arriving-at-b", ["tensor(9.)"]),
        ("the-same-backward-twice", ["once only", "once only", "again", "again"]),
        ("three-ways-to-add-one", ["tensor([4., 6., 8.])", "a leaf Variable", "one of the variables needed"]),
        ("layer-and-swish", ["element 0 of tensors does not require grad", "tensor([["]),
    ],
)
def test_the_runs_bear_the_answers_out(name: str, printed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    run(name)
    lines = [line for line in capsys.readouterr().out.splitlines() if line[:1] not in (" ", "")]
    assert len(lines) == len(printed)
    assert all(line.startswith(start) for line, start in zip(lines, printed, strict=True))


def test_three_graphs_are_alive_where_the_memory_demo_says_three_and_one_where_it_says_one() -> None:
    demo = load("a-list-of-losses")
    states = [demo.scene.state(step) for step in (demo.steps[1], len(demo.trace))]
    alive = [sum(node.leaf is None and not node.released for node in state.nodes.values()) for state in states]
    assert alive == [3 * 2, 1 * 2]  # two nodes a graph


def test_the_formula_of_the_missing_wire_is_right() -> None:
    found: dict[str, Any] = {}
    source = load("layer-and-swish").source
    exec(source[source.index("def swish") : source.index("x = ")], {"torch": autograd_lab}, found)
    point = autograd_lab.randn(3, dtype=autograd_lab.float64, requires_grad=True)
    assert autograd_lab.autograd.gradcheck(found["swish"], point)


def test_a_question_is_asked_just_before_the_statement_below_it_runs_for_the_first_time(tmp_path: Path) -> None:
    path = tmp_path / "counted.py"
    path.write_text(COUNTED)
    demo = make(path)
    first, second, end = demo.steps
    next_lines = [demo.trace[step].where.text for step in (first, second)]
    assert next_lines == ["return x * 2", "z = z * x"]
    assert [demo.trace[step - 1].where.text for step in (first, second)] == ["y = x + 1", "return x * 2"]
    assert end == len(demo.trace)


def test_a_question_before_backward_stops_there() -> None:
    demo = load("arriving-at-b")
    assert isinstance(demo.trace[demo.steps[0]], BackwardStarted)


def test_comments_ask_as_the_grammar_says() -> None:
    asked = "# ? Which\n#   of them?\n#  a) one -- only\n#     one\n# b) two *\n# ? Next?\n"
    source = f"x = '# ? no'  # ? no\n{asked}x\n# plain\n"
    first, second = questions_in(source)
    assert (first.text, first.lines, first.answer) == ("Which of them?", (2, 6), 1)
    assert first.choices == (Choice("one", reveals="only one"), Choice("two", right=True))
    assert (second.text, second.choices, second.answer) == ("Next?", (), None)
    assert without_answers(source)[0] == "x = '# ? no'  # ? no\nx\n# plain\n"
    assert without_answers(source)[1] == [2, 2]


@pytest.mark.parametrize(
    ("comment", "said"),
    [
        ("# ?\n", "line 1: a question without a text"),
        ("# ? a\n# a) x\n", "line 1: one choice is no choice"),
        ("# ? a\n# a) x\n# c) y\n", r"line 3: choice c\) where b\) should come"),
        ("\n# ? a\n# a) x *\n# b) y *\n", "line 2: more than one choice has a star"),
        ("# ? a\n# a) x\n# b)\n", "line 1: a choice without a text"),
    ],
)
def test_a_question_that_cannot_be_asked_names_its_line(comment: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(QuestionError, match=said):
        questions_in(comment)
    (tmp_path / "mine.py").write_text(comment)
    complaint = CliRunner().invoke(app, ["demo", str(tmp_path / "mine.py"), "-o", str(tmp_path / "out")])
    assert complaint.exit_code == 2 and "mine.py: line" in complaint.stderr
    assert not (tmp_path / "out").exists()


WORDS = st.text(st.sampled_from("abc xyz<&>é"), min_size=1).map(str.strip).filter(bool)


@given(st.lists(st.tuples(WORDS, st.lists(WORDS, min_size=2, max_size=len(LETTERS))), max_size=3))
def test_what_is_written_by_the_grammar_is_read_back(asked: list[tuple[str, list[str]]]) -> None:
    lines = []
    for text, choices in asked:
        lines += [
            f"# ? {text}",
            *(f"#  {letter}) {words}" for letter, words in zip(LETTERS, choices, strict=False)),
            "x",
        ]
    found = questions_in("\n".join(lines))
    assert [(" ".join(q.text.split()), [choice.text for choice in q.choices]) for q in found] == [
        (" ".join(text.split()), [" ".join(words.split()) for words in choices]) for text, choices in asked
    ]
    left, below = without_answers("\n".join(lines))
    assert left.split() == ["x"] * len(asked)
    assert below == list(range(1, len(asked) + 1))


def test_a_slide_has_the_end_and_the_questions() -> None:
    demo = load("three-ways-to-add-one")
    assert strip_steps(demo) == [*demo.steps, len(demo.trace)]
    svg = strip(demo)
    assert all(svg.count(f">step {step}<") == 1 for step in strip_steps(demo))


@pytest.mark.parametrize("name", BUNDLED)
def test_on_a_slide_graphs_are_folded_or_fewer_but_never_shrunk_and_no_question_is_cut(name: str) -> None:
    svg = strip(load(name))
    assert 'width="1280" height="720"' in svg
    scales = [float(found) for found in re.findall(r'class="graph"[^>]* scale\(([\d.]+)\)', svg)]
    assert len(scales) >= 2 and min(scales) >= 1
    assert all(float(size) >= 12 for size in re.findall(r"<text[^>]*font-size:([\d.]+)px", svg))
    assert not [text for text in re.findall(r'class="sub strong">([^<]*)<', svg) if "…" in text]


def test_a_graph_that_no_frame_has_room_for_makes_the_slide_larger(tmp_path: Path) -> None:
    lines = [f"y{n} = x * {n}.5 + {n}" for n in range(40)]
    (tmp_path / "wide.py").write_text(
        "\n".join(["import autograd_lab as torch", "x = torch.tensor(1.0, requires_grad=True)", *lines])
    )
    svg = strip(make(tmp_path / "wide.py"))
    scales = [float(found) for found in re.findall(r'class="graph"[^>]* scale\(([\d.]+)\)', svg)]
    assert min(scales) >= 1


def test_the_command_lists_demos_and_fills_a_folder(tmp_path: Path) -> None:
    listed = CliRunner().invoke(app, ["demo"])
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(BUNDLED)
    done = CliRunner().invoke(app, ["demo", "arriving-at-b", "-o", str(tmp_path / "arriving")])
    assert done.exit_code == 0
    files = sorted(path.name for path in (tmp_path / "arriving").iterdir())
    assert files == ["index.html", "key.md", "presenter.html", "strip.png", "trace.jsonl"]
    assert len(Trace.load(tmp_path / "arriving" / "trace.jsonl")) == len(load("arriving-at-b").trace)
    assert "Answer: c) 9." in (tmp_path / "arriving" / "key.md").read_text("utf-8")


def test_a_demo_is_made_again_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert CliRunner().invoke(app, ["demo", "arriving-at-b"]).exit_code == 0
    said = CliRunner().invoke(app, ["demo", "arriving-at-b", "-o", "arriving.png"])
    assert "a demo fills a folder, and arriving.png names a file" in said.stderr


def test_a_demo_that_there_is_not_is_told_with_those_that_there_are() -> None:
    said = CliRunner().invoke(app, ["demo", "nope"])
    assert said.exit_code == 2
    assert "demos that come along are arriving-at-b" in said.stderr


def test_a_script_without_a_graph_leaves_no_folder_behind(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("print('no tensor')\n")
    said = CliRunner().invoke(app, ["demo", str(tmp_path / "mine.py"), "-o", str(tmp_path / "out")])
    assert said.exit_code == 1 and "nothing was recorded" in said.stderr
    assert not (tmp_path / "out").exists()


def test_a_page_asks_before_it_shows_and_only_the_teachers_has_the_note(tmp_path: Path) -> None:
    demo = load("arriving-at-b")
    (asked,) = demo.asked
    assert (asked.step, asked.right) == (demo.steps[0], 2)
    assert asked.said[2] == "Who says so adds what arrives along both paths: 4 through c, 5 through d."
    CliRunner().invoke(app, ["demo", "arriving-at-b", "-o", str(tmp_path / "out")])
    films = [film_in((tmp_path / "out" / name).read_text("utf-8")) for name in ("index.html", "presenter.html")]
    assert ["note" in film for film in films] == [False, True]
    assert [len(film["questions"]) for film in films] == [1, 1]


def film_in(page: str) -> dict[str, Any]:
    packed = re.search('id="autograd-lab-film">([^<]*)<', page)
    assert packed is not None
    return json.loads(unpacked_text(packed[1]))


def test_a_notebook_plays_a_demo_by_its_name() -> None:
    pytest.importorskip("anywidget")
    player = autograd_lab.demo("arriving-at-b")
    assert player.scene.steps == len(load("arriving-at-b").trace)


@pytest.mark.parametrize("language", [code for code in languages() if code != ENGLISH])
def test_demos_that_come_along_speak_every_language_and_no_translation_is_of_nothing(language: str) -> None:
    texts = {" ".join(text.split()) for name in BUNDLED for text in _said_by(name)}
    assert {text for text in texts if not text.isdecimal()} == pairs(language, "demos").keys()
    with spoken_in(language):
        demo = load("arriving-at-b")
        assert demo.title == pairs(language, "demos")["What arrives at b?"] and demo.title in key(demo)


def _said_by(name: str) -> Iterator[str]:
    demo = load(name)
    yield from (demo.title, *demo.note.split("\n\n"))
    for asked in demo.questions:
        yield asked.text
        yield from (text for choice in asked.choices for text in (choice.text, choice.reveals))
