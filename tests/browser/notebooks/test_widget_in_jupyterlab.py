"""The player in a real JupyterLab: under the cell that ran, and without bothering the kernel."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.browser.lab import IDLE, LISTEN, open_notebook, write_notebook

CELLS = (
    "%load_ext autograd_lab\nimport autograd_lab as torch",
    "%%lab\na = torch.tensor(2.0, requires_grad=True)\nb = torch.tensor(3.0, requires_grad=True)\n"
    "y = (a + b) * (b + 1)\ny.backward()",
    "player = torch.show(y)\nplayer",
    "print('shows step', player.step)",
    "%%lab\nx = torch.tensor([1.0, 2.0], requires_grad=True)\nz = x.exp()\nz.add_(1)\nz.sum().backward()",
)

MISTAKE = (
    "%%lab\nx = torch.tensor([1.0, 2.0], requires_grad=True)\nh = x * 2\nloss = (h * x).sum()\nh += 1\nloss.backward()"
)
"""Five lines, of which the fourth overwrites what the third needs."""


def test_a_cell_with_the_magic_shows_its_player_and_stepping_tells_the_kernel_nothing(
    lab: tuple[str, Path], page: Any
) -> None:
    address, folder = lab
    write_notebook(folder / "lesson.ipynb", *CELLS)
    open_notebook(page, address, "lesson.ipynb")
    players = page.locator(".jp-OutputArea-output .player")
    players.first.wait_for()
    assert players.count() == 3
    first = players.first
    assert first.locator(".count").inner_text() == "step 8 of 26"
    page.evaluate(LISTEN)
    forward = first.get_by_role("button", name="Step forward")
    for _ in range(9):
        forward.click()
    first.press("End")
    first.press("ArrowLeft")
    assert first.locator(".count").inner_text() == "step 25 of 26"
    assert page.evaluate("window.told") == []
    assert first.locator(".line[aria-current]").inner_text().split("\n")[1].startswith("y.backward()")
    more = first.get_by_role("button", name="More")  # in a narrow player it opens the menu, too
    (more if more.is_visible() else first.get_by_role("button", name="Share")).click()
    items = first.get_by_role("menuitem").all_inner_texts()
    assert items == ["Copy picture", "Download picture (SVG)"], "a notebook has no address of a step"


def test_an_error_in_the_cell_is_part_of_its_film(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(folder / "error.ipynb", CELLS[0], CELLS[4])
    open_notebook(page, address, "error.ipynb")
    player = page.locator(".jp-OutputArea-output .player").first
    player.press("End")
    assert player.locator(".phase-name").inner_text() == "Stopped by an error"
    assert "overwritten" in player.get_by_role("status").inner_text()


def test_python_moves_the_player_and_learns_its_step_when_it_is_left(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(
        folder / "sync.ipynb", CELLS[0], CELLS[1], "player = torch.show(y)\nplayer.step = 1\nplayer", CELLS[3]
    )
    open_notebook(page, address, "sync.ipynb")
    player = page.locator(".jp-OutputArea-output .player").nth(1)
    player.wait_for()
    assert player.locator(".count").inner_text().startswith("step 1 of")
    player.press("ArrowRight")
    page.locator(".jp-Notebook .jp-InputArea-editor").last.click()
    page.evaluate("window.jupyterapp.commands.execute('notebook:run-cell')")
    page.wait_for_function(IDLE)
    page.get_by_text("shows step 2").wait_for()


def test_a_saved_notebook_shows_a_picture_where_no_player_lives(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(folder / "saved.ipynb", *CELLS[:2])
    open_notebook(page, address, "saved.ipynb")
    page.locator(".jp-OutputArea-output .player").first.wait_for()
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    saved = json.loads((folder / "saved.ipynb").read_text())
    bundles = [output["data"] for cell in saved["cells"] for output in cell["outputs"] if "data" in output]
    assert ["application/vnd.jupyter.widget-view+json" in bundle for bundle in bundles] == [True, False]
    assert len(bundles[1]["image/png"]) > 10_000
    assert "Backward is done" in "".join(bundles[1]["text/plain"])
    assert not page.locator(".autograd-lab-still").is_visible()
    page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    open_notebook(page, address, "saved.ipynb", run=False)
    assert page.locator(".jp-OutputArea-output .player").count() == 0
    assert page.locator(".autograd-lab-still img").is_visible()


def test_two_traces_are_played_side_by_side_and_their_picture_is_hidden_meanwhile(
    lab: tuple[str, Path], page: Any
) -> None:
    address, folder = lab
    write_notebook(
        folder / "both.ipynb",
        "import autograd_lab as torch\nfrom autograd_lab.notebook import trace",
        "def f(x):\n    return x ** 2 if x > 0 else (-x).exp()",
        "torch.compare(trace(f, 2.0), trace(f, -2.0), titles=('x > 0', 'x < 0'))",
    )
    open_notebook(page, address, "both.ipynb")
    player = page.locator(".jp-OutputArea-output .compare")
    player.press("End")
    assert player.locator("h2").all_inner_texts() == ["x > 0", "x < 0"]
    assert "x.grad: 4.0 in “x > 0”" in player.get_by_role("region", name="What differs").inner_text()
    assert not page.locator(".autograd-lab-still").first.is_visible()


def test_the_mistake_in_a_cell_is_found_by_keyboard_alone(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(folder / "keyboard.ipynb", CELLS[0], MISTAKE)
    open_notebook(page, address, "keyboard.ipynb", run=False)
    for _ in range(2):
        page.keyboard.press("Shift+Enter")
        page.wait_for_timeout(300)
        page.wait_for_function(IDLE)
    player = page.locator(".jp-OutputArea-output .player")
    player.wait_for()
    page.evaluate(LISTEN)
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("n")
    assert player.locator(".phase-name").inner_text() == "Stopped by an error"
    assert player.locator(".line.saved .text").inner_text() == "loss = (h * x).sum()"
    assert player.locator(".line.overwritten .text").inner_text() == "h += 1"
    page.keyboard.press("w")
    assert "but line 5 has overwritten it" in player.locator(".reason").inner_text()
    assert player.locator(".way rect").count() == 3, "what stopped, what it had saved, and what wrote to that"
    page.keyboard.press("l")
    page.keyboard.press("Home")
    assert player.locator(".reason").inner_text() == "", "a reason goes when one steps on"
    page.keyboard.press("ArrowRight")
    assert player.locator(".count").inner_text().startswith("step 1 of"), (
        "the keys work, though what had the focus is gone"
    )
    assert page.evaluate("window.told") == []


def test_an_error_in_a_cell_is_told_with_its_own_lines_alone(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(folder / "frames.ipynb", CELLS[0], MISTAKE)
    open_notebook(page, address, "frames.ipynb")
    page.locator(".jp-OutputArea-output .player").wait_for()
    told = page.locator(
        ".jp-OutputArea-output[data-mime-type$='error'], .jp-OutputArea-output.jp-RenderedText"
    ).first.inner_text()
    assert "loss.backward()" in told
    assert "backward.py" not in told


def test_a_player_is_dark_where_jupyterlab_is(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(folder / "dark.ipynb", *CELLS[:2])
    open_notebook(page, address, "dark.ipynb")
    host = page.locator(".jp-OutputArea-output .autograd-lab")
    host.wait_for()
    seen = []
    for theme in ("JupyterLab Dark", "JupyterLab Light"):
        page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        page.locator(f"body[data-jp-theme-name='{theme}']").wait_for(state="attached")
        page.wait_for_timeout(300)
        paper = host.locator(".player").evaluate("e => getComputedStyle(e).backgroundColor")
        seen.append((host.get_attribute("data-theme"), paper))
    assert seen == [("dark", "rgb(18, 22, 28)"), ("light", "rgb(255, 255, 255)")]


def test_a_page_that_is_loaded_again_is_not_blank(lab: tuple[str, Path], page: Any) -> None:
    address, folder = lab
    write_notebook(folder / "again.ipynb", *CELLS[:2])
    open_notebook(page, address, "again.ipynb")
    page.locator(".jp-OutputArea-output .player").wait_for()
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.context.model.dirty")
    open_notebook(page, address, "again.ipynb", run=False)
    page.locator(".jp-OutputArea-output .player, .autograd-lab-still img").first.wait_for()
