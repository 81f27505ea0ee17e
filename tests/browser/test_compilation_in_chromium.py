"""The player goes through a compilation as through any trace: step by step, pass by pass, with what is lit in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import autograd_lab as torch
from autograd_lab.view.page import save_page


def wasteful(x: Any) -> Any:
    x.sin()
    return (x.exp() / 2 + x.exp()) * 1


def opened(chromium: Any, folder: Path, **options: Any) -> tuple[Any, list[str]]:
    compiled = torch.compile(wasteful)
    compiled(torch.ones(4, requires_grad=True))
    file = folder / "page.html"
    save_page(compiled.trace, file)
    shown, complaints = chromium.new_page(offline=True, **options), []
    shown.on("pageerror", lambda error: complaints.append(str(error)))
    shown.on("console", lambda message: complaints.append(message.text))
    shown.goto(file.as_uri())
    shown.get_by_role("status" if options.get("java_script_enabled", True) else "img").first.wait_for()
    return shown, complaints


def test_n_goes_from_pass_to_pass_and_what_a_pass_left_out_is_lit(chromium: Any, tmp_path: Path) -> None:
    shown, complaints = opened(chromium, tmp_path)
    caption = shown.get_by_role("status")
    shown.keyboard.press("n")
    assert caption.inner_text().startswith("11 numpy calls were captured; at most 80 B are in use at a time")
    shown.keyboard.press("n")
    assert caption.inner_text() == "The end of dead code: 11 → 10 operations, at most 80 B are in use at a time."
    dropped = shown.locator("[data-part].call.gone").first
    assert dropped.get_attribute("aria-label").startswith("numpy call sin t0: float32[4] ✗ nobody asks for it")
    for _ in range(3):
        shown.keyboard.press("n")
    assert "duplicates" in shown.locator("h2").inner_text().lower()
    assert shown.locator("[data-part].call.gone").first.get_attribute("aria-label").startswith("numpy call exp")
    assert shown.locator("[data-part].call.absent").count() == 3, "what earlier passes left out leaves a trace"
    assert complaints == []
    shown.close()


def test_at_the_end_each_array_lies_beside_the_lines_that_need_it(chromium: Any, tmp_path: Path) -> None:
    shown, complaints = opened(chromium, tmp_path)
    shown.keyboard.press("End")
    assert shown.get_by_role("status").inner_text().startswith("At most ")
    assert "def backward(t1, g):" in shown.locator("svg.graph").text_content()
    assert shown.locator("[data-part].tenant").count() == 4
    assert shown.locator(".held-now").inner_text() == "88 B in use at a time"
    shown.get_by_role("button", name="numpy call exp").first.click()
    inspector = shown.locator(".inspector")
    assert "kept" in inspector.inner_text() and "for backward, 16 B" in inspector.inner_text()
    assert shown.get_by_role("button", name="maths / engine").count() == 0, "there is one view"
    assert complaints == []
    shown.close()


def test_without_javascript_the_stages_are_there_as_pictures(chromium: Any, tmp_path: Path) -> None:
    shown, _ = opened(chromium, tmp_path, java_script_enabled=False)
    assert shown.locator("figure svg").count() > 4
    shown.close()
