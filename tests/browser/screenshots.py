"""Photographs the player for the README: `python -m tests.browser.screenshots`. Look at what it writes."""

from __future__ import annotations

import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright
from typer.testing import CliRunner

from autograd_lab.commands.cli import app
from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import Trace
from autograd_lab.view.page import save_page
from tests.browser.conftest import ARGUMENTS, CHROMIUM

GOLDEN = Path(__file__).parents[1] / "golden"
SHOTS = {
    "player-1024x768": ("expression", "step=16", ()),
    "player-1280x800": ("inplace", "step=0", ("End", "w")),
    "player-1920x1080": ("transformer", "step=1700", ()),
    "compiled-1280x800": ("fused", "step=0", ("n",) * 8),
}
"""By the name of the file: example, where to open its page, and keys to press there."""


def recorded(example: str, folder: Path) -> Trace:
    """What an example does or, if that is what it is about, how it was compiled."""
    if example != "fused":
        return run_script(find_script(example)).trace
    told = folder / "told.jsonl"
    CliRunner().invoke(app, ["compile", example, "-o", str(told)], catch_exceptions=False)
    return Trace.load(told)


def main() -> None:
    with sync_playwright() as running, tempfile.TemporaryDirectory() as folder:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for name, (example, fragment, keys) in SHOTS.items():
            file = Path(folder) / f"{example}.html"
            save_page(recorded(example, Path(folder)), file)
            width, height = map(int, name.partition("-")[2].split("x"))
            page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
            page.goto(f"{file.as_uri()}#{fragment}")
            page.get_by_role("status").first.wait_for()
            for key in keys:
                page.keyboard.press(key)
            page.wait_for_timeout(500)
            shot = Image.open(BytesIO(page.screenshot()))
            shot.convert("RGB").quantize(128).save(GOLDEN / f"{name}.png", optimize=True)
            print(GOLDEN / f"{name}.png")
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
