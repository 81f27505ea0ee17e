"""The player in a real Notebook 7."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.lab import LISTEN, jupyter, open_notebook, write_notebook
from tests.browser.notebooks.test_widget_in_jupyterlab import MISTAKE


def test_a_cell_shows_its_player_in_full_and_the_mistake_in_it(page: Any, tmp_path: Path) -> None:
    write_notebook(tmp_path / "mistake.ipynb", "%load_ext autograd_lab\nimport autograd_lab as torch", MISTAKE)
    with jupyter(tmp_path, "notebook") as address:
        open_notebook(page, address, "mistake.ipynb", at="notebooks")
        player = page.locator(".jp-OutputArea-output .player")
        player.wait_for()
        page.evaluate(LISTEN)
        player.press("End")
        assert player.locator(".line.overwritten .text").inner_text() == "h += 1"
        assert page.evaluate("window.told") == []
        page.locator(".autograd-lab-still").wait_for(state="hidden")
        assert player.evaluate("e => e.getRootNode().host.closest('.jp-OutputArea').clientHeight") > 600
        page.close()
