"""Worksheets: nothing on the sheet that has to be found out, all of it in the key, on paper of the right size."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograd_lab.classroom.demos import lesson
from autograd_lab.classroom.demos.demo import BUNDLED, load
from autograd_lab.classroom.demos.lesson import lesson_demo
from autograd_lab.classroom.demos.worksheet import (
    ASKED,
    BOLD,
    FORWARD,
    PAPERS,
    STOPPED,
    TASK,
    VERSIONS,
    bare,
    task,
    worksheet,
)
from autograd_lab.commands.cli import app
from autograd_lab.lessons.syllabus import LESSONS
from autograd_lab.view.kit.font import wrap
from autograd_lab.view.languages.pairs import languages, pairs
from autograd_lab.view.languages.speaking import spoken_in

MILLIMETRE = 96 / 25.4
RECTS = r'<rect class="(?:shape|blank)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"'
PLACES = r"translate\(([\d.]+) ([\d.]+)\) scale\(([\d.]+)\)"


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def graph(svg: str) -> str:
    """The graph, which stands last on the page."""
    return svg[svg.index('class="graph"') :]


def place(svg: str) -> tuple[float, float, float]:
    """Where on the page the corner of the graph is, and how large a px of it is, in px."""
    (left, top, outer), (x, y, inner) = (map(float, found) for found in re.findall(PLACES, svg))
    return left + outer * x, top + outer * y, outer * inner


def rules(svg: str) -> list[float]:
    """How wide each rule in the graph is, in mm on paper."""
    ends = re.findall(r'class="rule-line" d="M([\d.]+) [\d.]+H([\d.]+)"', graph(svg))
    return [(float(right) - float(left)) * place(svg)[2] / MILLIMETRE for left, right in ends]


def test_the_sheet_asks_for_what_the_key_tells() -> None:
    demo = load("arriving-at-b")
    sheet, key = worksheet(demo).svg, worksheet(demo, key=True).svg
    asked = {"2.0", "3.0", "4.0", "5.0", "9.0", "20.0", "1.0", "4.0 + 5.0"}
    assert asked <= set(texts(graph(key))) and not asked & set(texts(graph(sheet)))
    assert len(rules(sheet)) == 5 + 3 + 2 + 1  # values, ∂, .grad, the sum at b
    assert graph(sheet).count('class="capsule') == graph(key).count('class="capsule') == 5
    names = ["a", "b", "c", "d", "y", "AddBackward0 #0", "MulBackward0 #2", "c v0", "d v0"]
    assert all(texts(graph(svg)).count(name) == 1 for svg in (sheet, key) for name in names)


@pytest.mark.parametrize("name", BUNDLED)
def test_no_sheet_gives_away_what_went_wrong_or_was_freed(name: str) -> None:
    drawn = graph(worksheet(load(name)).svg)
    assert not re.search(r"freed|stopped|done|released|is v|none|line \d|overwritten", " ".join(texts(drawn)))
    classes = {each for found in re.findall(r'class="([^"]*)"', drawn) for each in found.split()}
    assert not classes & {"done", "failed", "released", "stale", "freed", "sent", "blocked", "minus", "versions"}


@pytest.mark.parametrize("name", [*BUNDLED, "L3", "L6", "L9", "L13"])
def test_a_rule_is_wide_enough_for_a_pencil_and_the_same_in_the_key(name: str) -> None:
    demo = lesson_demo(name) or load(name)
    sheet, key = rules(worksheet(demo).svg), rules(worksheet(demo, key=True).svg)
    assert sheet and min(sheet) > 4, "a version has one digit"
    assert sum(width > 8 for width in sheet) >= len(sheet) / 2, "a number has several"
    assert len(sheet) - len(key) in (0, 1), "the .grad of a lane stands beside its own word"


def test_versions_are_asked_for_where_something_is_written_and_given_where_all_are_0() -> None:
    writes, reads = lesson_demo("L9"), lesson_demo("L3")
    assert writes and reads and VERSIONS in task(writes) and VERSIONS not in task(reads)
    given, left = (texts(graph(worksheet(demo).svg)) for demo in (reads, writes))
    assert [text for text in given if re.fullmatch(r".* v\d", text)] == ["d v0", "c v0"]
    assert not [text for text in left if re.fullmatch(r".* v\d", text)]


def test_the_numbers_of_a_small_array_stand_in_a_grid() -> None:
    demo = load("layer-and-swish")
    sheet, key = graph(worksheet(demo).svg), graph(worksheet(demo, key=True).svg)
    assert sheet.count('class="blank"') == key.count('class="blank"') == 2 * 4 + 3 * 2 * 2
    assert {"0.5", "−0.5", "1.0", "0.0"} <= set(texts(key)) and "−0.5" not in texts(sheet)
    assert sheet.count(">∂</text>") == 3 + 1  # before the grids of y, sigmoid(y) and out, and at loss


def test_where_nothing_goes_backward_no_gradient_is_asked_for() -> None:
    sheet = worksheet(load("a-list-of-losses")).svg
    assert "There is no backward here." in sheet and ">∂</text>" not in sheet


def test_where_an_error_stops_backward_the_sheet_neither_tells_so_nor_asks_for_gradients() -> None:
    sheet = worksheet(lesson_demo("L9") or load("?")).svg
    assert STOPPED in sheet and ">∂</text>" not in sheet
    assert not re.search(r"except|RuntimeError|record\(", sheet)


def test_a_cell_is_printed_without_what_records_it_and_a_program_as_it_is() -> None:
    assert bare("with record() as run:\n    x = 1\n\n    y = x") == "x = 1\n\ny = x"
    assert bare("for a in b:\n    x = 1") == "for a in b:\n    x = 1"
    looks = "for name in y, z:\n    print(name)\nprint(x)\nassert x == 1\n"
    assert bare(f"with record() as run:\n    x = 1\n{looks}") == "x = 1\n" and bare(looks) == looks


def test_a_key_tells_the_state_right_after_backward() -> None:
    key = graph(worksheet(lesson_demo("L5") or load("?"), key=True).svg)
    assert ">8.0</text>" in key, "x.grad after both passes"


def test_the_key_marks_the_right_choice_and_the_sheet_none() -> None:
    demo = load("layer-and-swish")
    assert "☒ c)" in worksheet(demo, key=True).svg
    assert "☒" not in worksheet(demo).svg


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("name", BUNDLED)
def test_everything_stands_on_the_page(name: str, paper: str) -> None:
    sheet = worksheet(load(name), paper)
    assert sorted((round(sheet.width, 1), round(sheet.height, 1))) == sorted(PAPERS[paper])
    left, top, scale = place(sheet.svg)
    rects = [[float(side) for side in rect] for rect in re.findall(RECTS, graph(sheet.svg))]
    assert rects
    for x, y, width, height in rects:
        assert left + scale * x > 50 and left + scale * (x + width) < sheet.width * MILLIMETRE - 50
        assert top + scale * y > 150 and top + scale * (y + height) < sheet.height * MILLIMETRE - 50


@pytest.mark.parametrize("name", [*BUNDLED, "L3", "L4", "L5", "L7", "L10", "L13"])
def test_no_two_blanks_on_lines_overlap(name: str) -> None:
    found = re.findall(r'class="capsule[^"]*">' + RECTS, graph(worksheet(lesson_demo(name) or load(name)).svg))
    areas = [tuple(float(side) for side in each) for each in found]
    for (x, y, width, height), (left, top, wide, high) in combinations(areas, 2):
        assert x + width <= left or left + wide <= x or y + height <= top or top + high <= y


def in_language(language: str, *texts: str) -> str:
    return " ".join(pairs(language, "player").get(text, text) for text in texts)


@pytest.mark.parametrize("language", languages())
def test_what_is_to_be_done_fits_in_two_lines(language: str) -> None:
    narrowest = (min(width for width, _ in PAPERS.values()) - 30) * MILLIMETRE
    said = [in_language(language, text, VERSIONS) for text in (TASK, STOPPED, FORWARD)]
    assert max(len(wrap(text, narrowest * BOLD, ASKED, 9)) for text in said) <= 2


def test_each_blank_says_what_it_asks_for_in_the_language_that_is_spoken() -> None:
    with spoken_in("es"):
        sheet = worksheet(lesson_demo("L3") or load("?")).svg
    said = pairs("es", "player")
    assert said["sum of:"] in sheet and f">{said['Name']}</text>" in sheet and "Backward, nodo a nodo" in sheet


def test_greys_alone() -> None:
    svg = worksheet(load("three-ways-to-add-one"), key=True).svg
    assert all(colour[1:3] == colour[3:5] == colour[5:7] for colour in re.findall(r"#[0-9a-f]{6}\b", svg))


def test_the_command_writes_sheet_and_key_apart(tmp_path: Path) -> None:
    pytest.importorskip("svg2pdf_py")
    for target in ("b.pdf", "c.svg"):
        done = CliRunner().invoke(
            app, ["worksheet", "arriving-at-b", "-o", str(tmp_path / target), "--paper", "letter"]
        )
        assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b-key.pdf", "b.pdf", "c-key.svg", "c.svg"]
    pdf = (tmp_path / "b.pdf").read_bytes()
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert [round(float(side) / 72 * 25.4) for side in box] == [279, 216]  # a letter that lies down
    assert b"/FontFile" in pdf or b"/FontDescriptor" in pdf, "vectors, whose words can be searched"
    assert b"/Subtype /Image" not in pdf


def test_an_example_or_a_script_makes_a_sheet_too(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["worksheet", "expression", "-o", str(tmp_path / "sheet.svg")])
    assert done.exit_code == 0, done.output
    assert rules((tmp_path / "sheet.svg").read_text("utf-8"))
    wrong = CliRunner().invoke(app, ["worksheet", "expression", "-o", str(tmp_path / "sheet.doc")])
    assert wrong.exit_code == 2 and ".pdf or .png or .svg" in wrong.stderr


def test_a_long_line_makes_the_letters_of_the_program_smaller_before_anything_is_cut_off() -> None:
    svg = re.sub(r"</?tspan[^>]*>", "", worksheet(load("layer-and-swish")).svg)
    assert "W = torch.tensor([[0.5, -0.5], [1.0, 0.0]], requires_grad=True)" in svg
    assert "font-size:12.5px" in worksheet(load("arriving-at-b")).svg


@pytest.mark.parametrize("number", range(len(LESSONS)))
def test_each_lesson_has_a_worksheet_of_its_first_graph(number: int) -> None:
    demo = lesson_demo(f"l{number}")
    assert demo is not None and demo.title.startswith(f"Lesson {number} · ")
    sheet, key = worksheet(demo), worksheet(demo, key=True)
    assert rules(sheet.svg) and len(texts(graph(key.svg))) > len(texts(graph(sheet.svg)))


def test_the_worksheet_of_lesson_3_shows_its_cell_and_asks_for_nine(tmp_path: Path) -> None:
    sheet = tmp_path / "l3.svg"
    assert CliRunner().invoke(app, ["worksheet", "L3", "-o", str(sheet)]).exit_code == 0
    assert "y.backward()" in sheet.read_text() and "9.0" not in texts(graph(sheet.read_text()))
    assert "9.0" in texts(graph((tmp_path / "l3-key.svg").read_text()))


def test_a_lesson_that_there_is_not_is_told(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["worksheet", "L99", "-o", str(tmp_path / "x.svg")])
    assert said.exit_code == 2 and "lessons 0 to 20" in said.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"cells": []}', '{"cells": [7]}', '{"cells": 7}', "[" * 100_000, "\x00"]
)
def test_a_notebook_that_is_damaged_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    (tmp_path / "03_spoilt.ipynb").write_text(content)
    monkeypatch.setattr(lesson, "NOTEBOOKS", tmp_path)
    said = CliRunner().invoke(app, ["worksheet", "L3", "-o", str(tmp_path / "out.svg")])
    assert said.exit_code == 2 and "03_spoilt.ipynb is damaged" in said.output
