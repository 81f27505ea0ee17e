"""What is wrong with a run, as a list over the picture of the player, in a real Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from autograd_lab.display.script import run_script
from autograd_lab.findings.diagnosis import diagnose
from tests.browser.axe import complaints, needs_axe
from tests.browser.conftest import Opener
from tests.findings.training_loop import TRAINING


@pytest.fixture
def opened(open_page: Opener, tmp_path: Path) -> Any:
    def open_(after: str = "", clear: str = "pass", **options: Any) -> Any:
        script = tmp_path / "train.py"
        script.write_text(TRAINING.format(after=after, clear=clear), "utf-8")
        trace = run_script(script).trace
        return open_page(trace, "step=20", **options), diagnose(trace)

    return open_


def test_the_button_counts_them_and_the_list_says_what_diagnose_says(opened: Any) -> None:
    page, found = opened()
    button = page.get_by_role("button", name=f"What is wrong: {len(found)} finding")
    assert button.evaluate("it => it.textContent").strip() == str(len(found))  # words that are seen are in the name
    button.click()
    shown = page.get_by_role("dialog", name="What is wrong")
    text = shown.inner_text()
    for finding in found:
        assert finding.sentence in text and all(place.words in text for place in finding.cause)
        assert finding.remedy.replace("`", "") in text
    page.keyboard.press("Escape")
    assert not shown.is_visible()
    assert page.evaluate("document.querySelector('.autograd-lab').shadowRoot.activeElement.className") == "found"


def test_a_click_jumps_and_pointing_at_a_line_lights_it(opened: Any) -> None:
    page, _ = opened()
    page.keyboard.press("d")
    before = page.locator(".count").inner_text()
    page.locator(".findings .line-told", has_text="optimizer.step()").hover()
    page.locator(".code .line.lit", has_text="optimizer.step()").wait_for()
    page.locator(".findings .jump").click()
    page.locator(".code .line.now", has_text="loss.backward()").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Home")
    assert page.locator(".count").inner_text() != before


def test_what_is_right_has_no_button(opened: Any) -> None:
    page, found = opened(clear="optimizer.zero_grad()")
    assert (found, page.locator(".found").count()) == ([], 0)


def test_on_a_phone_all_buttons_are_in_one_row_beside_it(opened: Any) -> None:
    page, _ = opened(viewport={"width": 390, "height": 844})
    tops = page.locator(".bar button").evaluate_all(
        "all => all.filter(b => b.getClientRects().length).map(b => Math.round(b.getBoundingClientRect().top))"
    )
    assert len(set(tops)) == 1


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of(opened: Any, scheme: str) -> None:
    page, _ = opened("loss.backward()", color_scheme=scheme, bypass_csp=True)
    page.keyboard.press("d")
    assert complaints(page) == []
