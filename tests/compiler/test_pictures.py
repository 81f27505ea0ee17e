"""The picture of a compilation shows before and after; the command writes it, a page, a trace or the listing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import autograd_lab as torch
from autograd_lab.commands.cli import app
from autograd_lab.trace import Trace
from autograd_lab.view.compare.before_after import before_and_after
from autograd_lab.view.page import to_page
from autograd_lab.view.pages.at_origin import RIM
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import make_scene


def scene_of(function: Any, *args: Any) -> Any:
    found = torch.compile(function)
    found(*args)
    return make_scene(found.trace)


def wasteful(x: Any) -> Any:
    x.sin()
    return (x.exp() / 2 + x.exp()) * 1


def panels(svg: str) -> list[str]:
    """What stands under each heading, as text."""
    return [re.sub(r"<[^>]*>", "\n", part) for part in svg.split('class="heading"')[1:]]


def test_before_says_what_becomes_of_each_operation_and_after_what_it_does_now() -> None:
    svg = before_and_after(scene_of(wasteful, torch.ones(4, 4, requires_grad=True)), "f")
    before, after, *programs = panels(svg)
    assert "nobody asks for it" in before and "the same as t1" in before and "a product costs less" in before
    assert "divide(·, 2)" in before and "divide(·, 2)" not in after and "multiply(·, 0.5)" in after
    assert "nobody asks for it" not in after and "kept for backward" in after
    assert ["def forward(x):" in programs[0], "def backward(t1, g):" in programs[1]] == [True, True]


def test_it_says_in_numbers_what_was_gained() -> None:
    svg = before_and_after(scene_of(wasteful, torch.ones(4, 4, requires_grad=True)), "f")
    assert "10 numpy calls were captured" not in svg and "11 numpy calls were captured; 7 are left" in svg
    assert "4 arrays share 3 buffers, 192 B instead of 256 B" in svg


def test_pictures_are_well_formed_and_text_of_the_program_is_no_markup() -> None:
    def f(x: Any) -> Any:
        return x * (2 if "<b>&" else 3)  # <script>alert(1)</script>

    scene = scene_of(f, torch.ones(2))
    svg = before_and_after(scene, "<f> & co")
    ElementTree.fromstring(svg)
    assert "<f>" not in svg and "&lt;f&gt; &amp; co" in svg
    assert "<script>alert" not in to_page(scene, "<f> & co") and "<script>alert" not in torch.draw(scene.trace).svg


def test_a_recording_has_no_before_and_after() -> None:
    with torch.record() as trace:
        torch.ones(2, requires_grad=True).sum().backward()
    with pytest.raises(ValueError, match="tells of no compilation"):
        before_and_after(make_scene(trace), "f")


@pytest.mark.parametrize("suffix", [".svg", ".html", ".py", ".png", ".jsonl"])
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
    svg = before_and_after(scene_of(lambda x: (2 - x) * (x - 2), torch.ones(3)), "f")
    assert "subtract(2, ·)" in svg and "subtract(·, 2)" in svg


def test_the_trace_that_the_command_writes_ends_with_how_long_calls_take(tmp_path: Path) -> None:
    target = tmp_path / "passes.jsonl"
    result = CliRunner().invoke(app, ["compile", "compiled", "-o", str(target)])
    assert result.exit_code == 0, result.output
    last = Trace.load(target)[-1]
    assert last.kind == "calls_timed" and last.with_backward and 0 < last.compiled < 1
    movie = CliRunner().invoke(app, ["play", str(target), "-o", str(tmp_path / "passes.gif"), "--from", "algebra"])
    assert movie.exit_code == 0, movie.output


def test_a_script_that_compiles_nothing_is_told_so_and_nothing_is_written(tmp_path: Path) -> None:
    target = tmp_path / "out.svg"
    result = CliRunner().invoke(app, ["compile", "expression", "-o", str(target)])
    assert (
        result.exit_code == 2
        and "the script ran to its end and compiled no function" in result.output
        and "--torch" in result.output
        and not target.exists()
    )


def test_a_function_that_was_not_captured_is_not_drawn_but_explained(tmp_path: Path) -> None:
    script = tmp_path / "prints.py"
    script.write_text("import autograd_lab as torch\nf = torch.compile(lambda x: print(x))\nf(torch.ones(1))\n")
    with pytest.warns(UserWarning, match="calls `print`"):
        result = CliRunner().invoke(app, ["compile", str(script), "-o", str(tmp_path / "out.svg")])
    assert result.exit_code == 2 and "was not captured: line 2 calls `print`" in result.output


def test_a_page_fits_what_is_drawn_and_no_more_than_a_rim_beside_it() -> None:
    (graph,) = film_of(scene_of(lambda x: x * 2 + 1, torch.ones(3)))["graphs"]
    x, y, width, height = (graph["bounds"][name] for name in ("x", "y", "width", "height"))
    x, y, width, height = x + RIM, y + RIM, width - 2 * RIM, height - 2 * RIM
    places = [part[4:8] for part in graph["parts"]]
    assert abs(min(left for left, *_ in places) - x) <= 1 and abs(min(top for _, top, *_ in places) - y) <= 1
    assert abs(max(left + wide for left, _, wide, _ in places) - x - width) <= 1
    assert abs(max(top + high for _, top, _, high in places) - y - height) <= 1
