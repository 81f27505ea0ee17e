"""Lessons in a real JupyterLab: what is answered in the browser is judged and kept in Python, and said back at once."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.lab import IDLE, jupyter, open_notebook, write_notebook
from tests.lessons.running import NOTEBOOKS

if importlib.util.find_spec("jupyterlab") is None and not os.environ.get("AUTOGRAD_LAB_BROWSER"):
    pytest.skip("no JupyterLab here", allow_module_level=True)

ASK = (
    "from autograd_lab.lessons import predict, quiz, task\nfrom autograd_lab.lessons.moments import expression",
    "predict('L3.P1', expression())",
)

SMALLEST = """() => Math.min(...[...document.querySelectorAll(".jp-OutputArea-output svg.graph text")].map(
  text => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a))"""
"""The size of the smallest text of a picture, px."""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("lessons")
    with pytest.MonkeyPatch.context() as context:
        context.setenv("AUTOGRAD_LAB_PROGRESS", str(folder / "progress.jsonl"))
        context.setenv("AUTOGRAD_LAB_ORDER", "written")
        with jupyter(folder) as address:
            yield address, folder


@pytest.fixture(autouse=True)
def a_new_learner(lab: tuple[str, Path]) -> None:
    (lab[1] / "progress.jsonl").unlink(missing_ok=True)


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1280, "height": 1100})
    yield context.new_page()
    context.close()


def entries(folder: Path) -> list[dict[str, Any]]:
    file = folder / "progress.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def wait_for_answer(folder: Path, answer: str, seconds: float = 60) -> None:
    """Until this is the last answer in the file, which Python writes after the browser has said what was skipped."""
    end = time.monotonic() + seconds
    while [last.get("answer") for last in entries(folder)[-1:]] != [answer]:
        assert time.monotonic() < end, f"the file never got {answer!r}: {entries(folder)[-1:]}"
        time.sleep(0.1)


def test_a_prediction_by_keys_unlocks_the_player_and_python_says_what_it_was_worth(
    lab: tuple[str, Path], page: Any
) -> None:
    address, folder = lab
    write_notebook(folder / "keys.ipynb", *ASK)
    open_notebook(page, address, "keys.ipynb")
    player = page.locator(".jp-OutputArea-output .player")
    player.press("End")
    assert player.locator(".count").inner_text() == "step 9 of 13"
    page.get_by_text("First answer this question").wait_for()
    for key in ("3", "Enter", "3", "Enter"):
        page.keyboard.press(key)
    page.locator(".outcome", has_text="each factor gets its own value").wait_for()
    assert "B 4 ≠ yours" in " ".join(page.locator(".outcome dl").inner_text().split())
    assert entries(folder)[-1] | {"when": ""} == {
        "when": "",
        "id": "L3.P1",
        "what": "predict",
        "answer": "5",
        "confidence": 3,
        "right": False,
    }
    player.locator(".count").get_by_text("step 13 of 13").wait_for()
    assert {"4.0", "5.0"} <= set(player.locator("svg.graph").text_content().split()), "it ends with what is sent"


def test_a_question_and_its_picture_are_seen_together_on_a_laptop(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(folder / "together.ipynb", *ASK)
    page.set_viewport_size({"width": 1366, "height": 768})
    open_notebook(page, address, "together.ipynb")
    stack = page.locator(".jp-OutputArea-output .stack").bounding_box()
    graph = page.locator(".jp-OutputArea-output svg.graph").bounding_box()
    assert stack["height"] <= 620 and graph["height"] > 240


def test_shift_enter_on_a_card_commits_and_then_goes_on_in_the_notebook_where_the_answer_stays(
    lab: tuple[str, Path], page: Any
) -> None:
    address, folder = lab
    write_notebook(folder / "on.ipynb", *ASK, "'the end'")
    open_notebook(page, address, "on.ipynb")
    page.get_by_role("button", name="Last step").click()
    for key in ("1", "Shift+Enter", "1", "Shift+Enter"):
        page.keyboard.press(key)
    page.locator(".outcome", has_text="Your prediction").wait_for()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("window.jupyterapp.shell.currentWidget.content.activeCellIndex === 2")
    page.wait_for_function(IDLE)
    assert "Your prediction" in page.locator(".outcome").inner_text()
    player = page.locator(".jp-OutputArea-output .player")
    player.press("End")
    assert player.locator(".count").inner_text() == "step 13 of 13"
    assert len([entry for entry in entries(folder) if entry.get("answer") == "1"]) == 1
    player.press("Escape")
    assert page.evaluate("document.activeElement.classList.contains('jp-Cell')")


def test_what_was_committed_in_an_earlier_kernel_comes_back_with_what_was_said_to_it(
    lab: tuple[str, Path], page: Any
) -> None:
    address, folder = lab
    kept = {"id": "L3.P1", "what": "predict", "answer": "5", "confidence": 3, "right": False}
    (folder / "progress.jsonl").write_text(json.dumps(kept) + "\n")
    write_notebook(folder / "again.ipynb", *ASK)
    open_notebook(page, address, "again.ipynb")
    page.locator(".outcome", has_text="each factor gets its own value").wait_for()
    assert "B 4 ≠ yours" in " ".join(page.locator(".outcome dl").inner_text().split())
    assert "certain" in page.locator(".outcome dl").inner_text()
    page.get_by_role("button", name="Last step").click()
    assert page.locator(".count").inner_text() == "step 13 of 13"
    assert entries(folder) == [kept], "it was not answered once more"


def test_a_question_can_be_skipped_by_mouse(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(folder / "mouse.ipynb", *ASK)
    open_notebook(page, address, "mouse.ipynb")
    page.get_by_role("button", name="Last step").click()
    page.get_by_role("button", name="Skip").click()
    page.locator(".outcome", has_text="skipped. Go on").wait_for()
    page.get_by_role("button", name="Last step").click()
    assert page.locator(".count").inner_text() == "step 13 of 13"
    wait_for_answer(folder, "skip")


def test_nodes_are_clicked_in_an_order_and_the_order_is_judged(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(folder / "clicks.ipynb", ASK[0], "task('L3.T1')")
    open_notebook(page, address, "clicks.ipynb")
    page.locator(".card .picked").wait_for()
    parts = page.locator(".jp-OutputArea-output [data-part]")
    names = dict(parts.evaluate_all("parts => parts.map(part => [part.getAttribute('aria-label'), part.dataset.part])"))

    def click(*starts: str) -> None:
        for start in starts:
            part = next(id for label, id in names.items() if label.startswith(start))
            page.locator(f'[data-part="{part}"]').first.click()

    click("op y,", "leaf a,")
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_text("it still waits for a gradient from the node of").wait_for()
    click("leaf a,")  # once more takes it out
    click("op c,", "op d,", "leaf b,", "leaf a,")
    assert page.locator(".picked li").all_inner_texts() == ["y", "c", "d", "b", "a"]
    assert page.locator(".overlay .end").all_text_contents() == ["1", "2", "3", "4", "5"], "all are marked"
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_text("✓ Right. PyTorch takes").wait_for()
    assert [entry["right"] for entry in entries(folder) if entry["id"] == "L3.T1"] == [False, True]
    page.evaluate("window.jupyterapp.shell.collapseLeft()")
    page.set_viewport_size({"width": 390, "height": 844})  # the same on a phone: as much as one can read and point at
    page.wait_for_function(f"({SMALLEST})() >= 11.9")
    rows = page.locator(".jp-OutputArea-output .bar button").evaluate_all(
        "all => all.filter(each => each.checkVisibility()).map(each => Math.round(each.getBoundingClientRect().top))"
    )
    assert len(set(rows)) == 1


def test_question_and_player_are_seen_whole_when_shift_enter_has_gone_on_to_the_next_cell(
    lab: tuple[str, Path], page: Any
) -> None:
    address, folder = lab
    page.set_viewport_size({"width": 1366, "height": 768})
    write_notebook(folder / "seen.ipynb", *ASK, *(f"{number}" for number in range(12)))
    open_notebook(page, address, "seen.ipynb", run=False)
    page.evaluate("window.jupyterapp.shell.currentWidget.content.activate()")
    for _ in ASK:
        page.keyboard.press("Shift+Enter")
        page.wait_for_function(IDLE)
    notebook = page.locator(".jp-WindowedPanel-outer").bounding_box()
    page.locator(".jp-OutputArea-output .gate").wait_for()
    page.wait_for_function(
        "top => document.querySelector('.jp-OutputArea-output .autograd-lab').getBoundingClientRect().top >= top - 1",
        arg=notebook["y"],
    )
    gate, foot = (page.locator(f".jp-OutputArea-output {part}").first.bounding_box() for part in (".gate", ".bar"))
    assert gate["y"] >= notebook["y"] - 1 and foot["y"] + foot["height"] <= notebook["y"] + notebook["height"] + 1


def test_the_index_opens_with_numbers_to_drag_and_a_question_and_has_six_more(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    shutil.copy(NOTEBOOKS / "index.ipynb", folder)
    open_notebook(page, address, "index.ipynb")
    page.get_by_role("slider", name="b", exact=True).press("ArrowRight")
    page.locator(".jp-OutputArea-output .player [aria-label^='op y'][aria-label*='12.25']").wait_for()
    assert page.locator(".gate").first.get_by_text("By about how much").count() == 1
    for number in range(1, 7):
        quiz = page.locator(".jp-OutputArea-output .gate", has_text=f"question {number} of 6")
        quiz.get_by_role("button", name="Skip").click()
        if number < 6:
            quiz.get_by_role("button", name="Next question").click()
    quiz.get_by_text("before the lessons: 0 of 6 right, 0 answered, 6 skipped").wait_for()
    assert sum(entry["what"] == "before" for entry in entries(folder)) == 6
