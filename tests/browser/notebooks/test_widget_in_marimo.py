"""The player in a real marimo, under a slider of marimo's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.lab import free_port, served

APP = """
import marimo
app = marimo.App()

@app.cell
def _():
    import marimo as mo
    a = mo.ui.slider(1.0, 3.0, 0.5, label="a")
    a
    return a, mo

@app.cell
def _(a, mo):
    from autograd_lab import show
    from autograd_lab.notebook import trace

    def square(a):
        return a * a

    mo.ui.anywidget(show(trace(square, float(a.value))))
    return
"""


def test_the_player_follows_a_slider(page: Any, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)
    port, home = free_port(), {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    address = f"http://127.0.0.1:{port}"
    words = ["marimo", "run", "app.py", "--headless", "--no-token", "--host", "127.0.0.1", "--port", str(port)]
    with served(words, f"{address}/health", tmp_path, home):
        page.goto(address)
        player = page.locator(".player")
        player.wait_for(timeout=60_000)
        player.press("End")
        assert player.locator(".phase-name").inner_text() == "After backward"
        page.locator("span[role=slider]").focus()
        page.keyboard.press("ArrowRight")
        player.locator(".phase-name:not(:text('After backward'))").wait_for()
        player.press("End")
        assert "1.5" in player.locator("[data-part=b0]").text_content()
        page.close()
