"""The program in the player, in a real Chromium: its tokens in colours that can be read, and no line cut off."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_lab.display.script import run_script
from autograd_lab.trace import Trace
from tests.browser.conftest import Opener

PROGRAM = """import autograd_lab as torch
def f(x, name="\U0001f389 party"):  # \U0001f389 calls
\treturn x * 1e-3
x = torch.tensor(2.0, requires_grad=True)
y = (f(x, "quoted") + torch.tensor([1.0, 2.0, 3.0, 4.0]).sum() * torch.ones(1)).exp().log().sum().exp().log().sum()
z = y.exp()  # saves z
w = z * z
z.add_(1)  # spoils it
w.backward()
"""
KINDS = ("keyword", "string", "figure", "comment")

CONTRASTS = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (colour) => colour.slice(0, 3).reduce((sum, value, i) => {
    const part = value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    return sum + part * [0.2126, 0.7152, 0.0722][i];
  }, 0);
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const colour = rgb(getComputedStyle(each).backgroundColor);
      if (colour.length === 3) return colour;
    }
  };
  const root = document.querySelector(".autograd-lab").shadowRoot;
  return [...root.querySelectorAll(".code .text span")].map((token) => {
    const [one, other] = [light(rgb(getComputedStyle(token).color)), light(ground(token))].sort((a, b) => b - a);
    return [token.className, token.textContent, (one + 0.05) / (other + 0.05)];
  });
}"""


LONG = """import autograd_lab as torch
x = torch.tensor(2.0, requires_grad=True)
y = x.exp()  # saves y
y.add_(1)  # spoils it
{}
loss = y * 3
loss.backward()
"""


def test_the_page_of_a_run_that_stopped_opens_with_the_line_to_blame_and_the_one_that_stops_in_sight(
    open_page: Opener, tmp_path: Path
) -> None:
    script = tmp_path / "long.py"
    script.write_text(LONG.format("\n".join(f"step_{number} = {number}" for number in range(120))), encoding="utf-8")
    page = open_page(run_script(script).trace, "")
    seen = """(line) => {
      const [inner, outer] = [line.getBoundingClientRect(), line.closest(".code").getBoundingClientRect()];
      return inner.top >= outer.top && inner.bottom <= outer.bottom;
    }"""
    for line in ("y.add_(1)", "loss.backward()"):
        assert page.locator(".code .line", has_text=line).evaluate(seen)
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"({seen})(document.querySelector('.autograd-lab').shadowRoot.querySelector('.line.now'))")


@pytest.fixture
def program(tmp_path: Path) -> Trace:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM, encoding="utf-8")
    return run_script(script).trace


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_kind_of_token_can_be_read_on_every_line(open_page: Opener, program: Trace, theme: str) -> None:
    page = open_page(program, color_scheme=theme)
    page.locator(".player").press("End")
    tokens = page.evaluate(CONTRASTS)
    assert {kind for kind, _, _ in tokens} == set(KINDS)
    told = {text for _, text, _ in tokens}
    assert {"import", '"🎉 party"', "1e-3", "# 🎉 calls", "# saves z"} <= told
    assert [told for told in tokens if told[2] < 4.5] == []


@pytest.mark.parametrize("width", [1280, 800, 420])
def test_the_text_is_the_programs_and_no_line_is_cut(open_page: Opener, program: Trace, width: int) -> None:
    page = open_page(program, viewport={"width": width, "height": 800})
    texts = page.locator(".code .text").all_text_contents()
    assert texts == [line.expandtabs(4) for line in PROGRAM.splitlines()]
    pane = page.locator(".code")
    assert pane.evaluate("pane => pane.scrollWidth <= pane.clientWidth")
    assert pane.locator(".text").evaluate_all("texts => texts.every(text => text.scrollWidth <= text.clientWidth)")
