"""The pictures of a compilation say what is so: every operation, its fate, and where each value is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import autograd_lab as torch
from autograd_lab.cli import app
from autograd_lab.compilation import told_of
from autograd_lab.view.compiled.page import page
from autograd_lab.view.compiled.picture import picture
from autograd_lab.view.compiled.told import CHANGED, GONE, SAVED


@pytest.fixture
def compiled() -> Any:
    x = torch.ones(4, 4, requires_grad=True)

    def f(x: Any) -> Any:
        x.sin()
        return (x.exp() / 2 + x.exp()) * 1

    found = torch.compile(f)
    found(x).sum().backward()
    return found


def test_each_captured_operation_that_does_not_run_is_marked_with_the_reason(compiled: Any) -> None:
    told = told_of(compiled.entries[0], "f")
    first, last = told.stages[0], told.stages[-1]
    gone = {card.id for card in told.cards} & first.present - last.present
    assert gone and all(first.marks[card][0].sort == GONE for card in gone)
    words = [first.marks[card][0].text for card in gone]
    assert "nobody asks for it" in words and any(text.startswith("the same as") for text in words)


def test_what_is_done_in_another_way_is_called_by_what_it_does_now(compiled: Any) -> None:
    told = told_of(compiled.entries[0], "f")
    changed = [card for card, marks in told.stages[0].marks.items() if marks[0].sort == CHANGED]
    titles = {card.id: card.title for card in told.cards}
    assert any(
        titles[card] == "divide(·, 2)" and told.stages[-1].titles[card] == "multiply(·, 0.5)" for card in changed
    )


def test_what_is_saved_is_what_backward_takes_in(compiled: Any) -> None:
    entry = compiled.entries[0]
    last = told_of(entry, "f").stages[-1]
    marked = {card for card, marks in last.marks.items() if any(mark.sort == SAVED for mark in marks)}
    assert marked == {one.name for one in entry.backward.graph.inputs} - {
        one.name for one in entry.stages[0].graph.inputs
    }


def test_bars_lie_beside_the_lines_that_name_their_values(compiled: Any) -> None:
    for sheet in told_of(compiled.entries[0], "f").sheets:
        for bar in sheet.bars:
            named = [at for at, line in enumerate(sheet.lines) if re.search(rf"\b{bar.text}\b", line)]
            assert bar.first == named[0] and bar.last >= named[-1]


def test_pictures_are_well_formed_and_text_of_the_program_is_no_markup() -> None:
    def f(x: Any) -> Any:
        return x * (2 if "<b>&" else 3)  # <script>

    found = torch.compile(f)
    found(torch.ones(2))
    told = told_of(found.entries[0], "<f> & co")
    ElementTree.fromstring(picture(told))
    assert "<script>alert" not in page(told) and "&lt;f&gt; &amp; co" in page(told)


@pytest.mark.parametrize("suffix", [".svg", ".html", ".py", ".png"])
def test_the_command_writes_by_suffix(suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"out{suffix}"
    result = CliRunner().invoke(app, ["compile", "compiled", "-o", str(target)])
    assert result.exit_code == 0, result.output
    assert target.stat().st_size > 500 and "numpy calls were captured" in result.output


def test_the_script_itself_is_never_written_over(tmp_path: Path) -> None:
    script = tmp_path / "own.py"
    script.write_text(text := "import autograd_lab as torch\nf = torch.compile(lambda x: x * 2)\nf(torch.ones(1))\n")
    result = CliRunner().invoke(app, ["compile", str(script), "-o", str(script)])
    assert result.exit_code == 2 and "is the script" in result.output and script.read_text() == text


def test_a_script_that_fails_before_it_compiles_says_only_what_failed(tmp_path: Path) -> None:
    script = tmp_path / "fails.py"
    script.write_text("1 / 0\n")
    result = CliRunner().invoke(app, ["compile", str(script), "-o", str(tmp_path / "out.svg")])
    assert result.exit_code == 1 and "ZeroDivisionError" in result.output and "compiles no" not in result.output


def test_a_number_on_the_left_is_drawn_on_the_left() -> None:
    found = torch.compile(lambda x: (2 - x) * (x - 2))
    found(torch.ones(3))
    titles = [card.title for card in told_of(found.entries[0], "f").cards]
    assert "subtract(2, ·)" in titles and "subtract(·, 2)" in titles


def test_a_script_that_compiles_nothing_is_told_so_and_nothing_is_written(tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    result = CliRunner().invoke(app, ["compile", "expression", "-o", str(target)])
    assert result.exit_code == 2 and "compiles no function" in result.output and not target.exists()


def test_a_function_that_was_not_captured_is_not_drawn_but_explained(tmp_path: Path) -> None:
    script = tmp_path / "prints.py"
    script.write_text("import autograd_lab as torch\nf = torch.compile(lambda x: print(x))\nf(torch.ones(1))\n")
    with pytest.warns(UserWarning, match="calls `print`"):
        result = CliRunner().invoke(app, ["compile", str(script), "-o", str(tmp_path / "out.svg")])
    assert result.exit_code == 2 and "was not captured: line 2 calls `print`" in result.output
