"""Worksheets: nothing on the sheet that has to be found out, all of it in the key, on paper of the right size."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from autograd_lab.classroom.demos.demo import BUNDLED, load
from autograd_lab.classroom.demos.lesson import lesson_demo
from autograd_lab.classroom.demos.worksheet import BLANK, GREYS, PAPERS, worksheet
from autograd_lab.commands.cli import app


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def graph(svg: str) -> list[str]:
    """What the graph says; it stands last on the page."""
    return texts(svg[svg.rindex("<svg") :])


def test_the_sheet_asks_for_what_the_key_tells() -> None:
    demo = load("who-gets-nine")
    sheet, key = graph(worksheet(demo).svg), graph(worksheet(demo, key=True).svg)
    assert {"2.0", "4.0", "5.0", "9.0", "20.0", "v0"} <= set(key)
    assert not {"2.0", "4.0", "5.0", "9.0", "20.0", "v0"} & set(sheet)
    assert sheet.count(BLANK) == 5 + 2  # five values, two .grad
    assert [text for text in key if "AddBackward0" in text] == [text for text in sheet if "AddBackward0" in text]


@pytest.mark.parametrize("name", BUNDLED)
def test_no_sheet_gives_away_what_went_wrong_or_was_freed(name: str) -> None:
    said = " ".join(graph(worksheet(load(name)).svg))
    assert not re.search(r"freed|stale|stopped|done|released|gradient|now v|none yet", said)


def test_the_key_marks_the_right_choice_and_the_sheet_none() -> None:
    demo = load("the-missing-wire")
    assert "☒ c)" in worksheet(demo, key=True).svg
    assert "☒" not in worksheet(demo).svg


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("name", BUNDLED)
def test_everything_stands_on_the_page(name: str, paper: str) -> None:
    sheet = worksheet(load(name), paper)
    assert sorted((sheet.width, sheet.height)) == sorted(PAPERS[paper])
    inner = sheet.svg[sheet.svg.index("<svg", 9) :]
    x, y, width, height = (float(number) for number in re.findall(r'(?:x|y|width|height)="([\d.]+)"', inner)[:4])
    page = sheet.width * 96 / 25.4, sheet.height * 96 / 25.4
    assert x + width <= page[0] - 50 and y + height <= page[1] - 50


def test_greys_alone() -> None:
    svg = worksheet(load("three-ways-to-add-one"), key=True).svg
    style = re.sub(r"\.h\d \{[^}]*\}", "", svg)  # of large arrays, whose cells are blank here
    assert all(
        colour[1:3] == colour[3:5] == colour[5:7] for colour in [*GREYS.values(), *re.findall(r"#[0-9a-f]{6}", style)]
    )


def test_the_command_writes_sheet_and_key_apart(tmp_path: Path) -> None:
    pytest.importorskip("svg2pdf_py")
    for target in ("nine.pdf", "nine.svg"):
        done = CliRunner().invoke(
            app, ["worksheet", "who-gets-nine", "-o", str(tmp_path / target), "--paper", "letter"]
        )
        assert done.exit_code == 0, done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nine-key.pdf", "nine-key.svg", "nine.pdf", "nine.svg"]
    pdf = (tmp_path / "nine.pdf").read_bytes()
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
    assert [round(float(side) / 72 * 25.4) for side in box] == [279, 216]  # a letter that lies down


def test_an_example_or_a_script_makes_a_sheet_too(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["worksheet", "expression", "-o", str(tmp_path / "sheet.svg")])
    assert done.exit_code == 0, done.output
    assert BLANK in (tmp_path / "sheet.svg").read_text("utf-8")
    wrong = CliRunner().invoke(app, ["worksheet", "expression", "-o", str(tmp_path / "sheet.doc")])
    assert wrong.exit_code == 2 and ".pdf or .png or .svg" in wrong.stderr


def test_a_long_line_makes_the_letters_of_the_program_smaller_before_anything_is_cut_off() -> None:
    svg = worksheet(load("the-missing-wire")).svg
    assert "W = torch.tensor([[0.5, -0.5], [1.0, 0.0]], requires_grad=True)" in svg
    assert 'font-size="11"' in worksheet(load("who-gets-nine")).svg


@pytest.mark.parametrize("number", range(16))
def test_each_lesson_has_a_worksheet_of_its_first_graph(number: int) -> None:
    demo = lesson_demo(f"l{number}")
    assert demo is not None and demo.title.startswith(f"Lesson {number} · ")
    sheet, key = worksheet(demo), worksheet(demo, key=True)
    assert BLANK in graph(sheet.svg) and BLANK not in graph(key.svg)


def test_the_worksheet_of_lesson_3_shows_its_cell_and_asks_for_nine(tmp_path: Path) -> None:
    sheet = tmp_path / "l3.svg"
    assert CliRunner().invoke(app, ["worksheet", "L3", "-o", str(sheet)]).exit_code == 0
    assert "y.backward()" in sheet.read_text() and "9.0" not in graph(sheet.read_text())
    assert "9.0" in graph((tmp_path / "l3-key.svg").read_text())


def test_a_lesson_that_there_is_not_is_told(tmp_path: Path) -> None:
    said = CliRunner().invoke(app, ["worksheet", "L99", "-o", str(tmp_path / "x.svg")])
    assert said.exit_code == 2 and "lessons 0 to 15" in said.output
    assert list(tmp_path.iterdir()) == []
