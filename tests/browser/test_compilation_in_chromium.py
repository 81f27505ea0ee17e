"""The page of `autograd-lab compile`: arrow keys and buttons go through the passes; all of it is there in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import autograd_lab as torch
from autograd_lab.compilation import told_of
from autograd_lab.view.compiled.page import page


def opened(chromium: Any, folder: Path, **options: Any) -> tuple[Any, list[str]]:
    compiled = torch.compile(lambda x: (x * 2 + 1) * (x * 2 + 1))
    compiled(torch.ones(3, requires_grad=True))
    file = folder / "page.html"
    file.write_text(page(told_of(compiled.entries[0], "f")), encoding="utf-8")
    shown, complaints = chromium.new_page(offline=True, **options), []
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.on("console", lambda message: complaints.append(message.text))
    shown.goto(file.as_uri())
    return shown, complaints


def test_keys_and_buttons_go_through_the_stages(chromium: Any, tmp_path: Path) -> None:
    shown, complaints = opened(chromium, tmp_path)
    pressed = shown.get_by_role("button", pressed=True)
    assert pressed.inner_text().startswith("Captured: ")
    shown.keyboard.press("ArrowRight")
    assert pressed.inner_text().startswith("Dead code: ")
    shown.get_by_role("button", name="Python").click()
    shown.get_by_text("The same in words").locator("visible=true").click()
    assert "def forward(x):" in shown.locator("section:visible pre").inner_text()
    assert shown.locator("section:visible").count() == 1 and complaints == []
    shown.close()


def test_without_javascript_all_stages_are_there(chromium: Any, tmp_path: Path) -> None:
    shown, _ = opened(chromium, tmp_path, java_script_enabled=False)
    assert shown.locator("section:visible").count() == 8
    shown.close()
