"""A page in another language, in a real Chromium: all that is the player's is said in that language."""

from __future__ import annotations

import re
from typing import Any

import pytest

from autograd_lab.display.script import find_script, run_script
from autograd_lab.findings.diagnosis import aside
from autograd_lab.view.languages.pairs import pairs
from autograd_lab.view.languages.speaking import spoken_in
from autograd_lab.view.page import to_page
from autograd_lab.view.pages.film_question import Asked
from autograd_lab.view.scene import make_scene
from tests.browser.conftest import Opener

FILM = """svg.graph, .code, .headline, .caption, .reason, .phase, .phase-name, .legend, .life, .now-texts, .notice,
 .inspector :is(h3, dl, figcaption, .numbers), .held-now, .findings article, .choices"""
"""What is of the film, of the program and of questions."""
TOLD = f"""player => {{
  const film = `{FILM}`;
  const own = (node) => !node.parentElement.closest(film) && !node.parentElement.closest("style");
  const texts = document.createTreeWalker(player, NodeFilter.SHOW_TEXT);
  const told = [];
  while (texts.nextNode()) if (own(texts.currentNode)) told.push(texts.currentNode.data);
  for (const element of player.querySelectorAll("[aria-label], [title], [placeholder]"))
    for (const name of ["aria-label", "title", "placeholder"])
      if (!element.closest(film) && element.getAttribute(name)) told.push(element.getAttribute(name));
  return told;
}}"""
"""Each text and label of the player."""


@pytest.fixture(scope="module")
def page() -> str:
    """A page in Spanish, with something wrong in it."""
    trace = run_script(find_script("inplace")).trace
    with spoken_in("es"):
        return to_page(make_scene(trace), "inplace.py", findings=aside(trace))


@pytest.fixture(scope="module")
def asking() -> str:
    """One that asks, in Spanish, before anything is seen."""
    asked = Asked("P1", "¿Cuánto?", ("4", "9"), step=0, right=1, said=("No.", "Sí."))
    with spoken_in("es"):
        return to_page(make_scene(run_script(find_script("expression")).trace), "expression.py", asked=[asked])


def unsaid(page: Any) -> list[str]:
    """What the player says that is no text of its in Spanish."""
    spanish = [re.sub(r"\\\{\d?\\\}", ".+", re.escape(text)) for text in pairs("es", "player").values()]
    known = re.compile(rf"[‹≠✓· ]*(\d+ )?({'|'.join(spanish)}|‖grad‖|Esc|\w+[.]py)[. ]*", re.DOTALL)
    told = {text.strip() for text in page.locator(".player, .stack").first.evaluate(TOLD)}
    return sorted(text for text in told if re.search(r"[^\W\d_]{2}", text) and not known.fullmatch(text))


def test_all_that_the_player_says_is_said_in_the_language_of_the_page(open_page: Opener, page: str) -> None:
    there = open_page(page, "step=9")
    assert there.locator("html").get_attribute("lang") == "es"
    there.keyboard.press("w")
    there.keyboard.press("d")
    there.get_by_role("searchbox").fill("nowhere")
    there.get_by_role("searchbox").press("Enter")
    assert there.get_by_role("alert").inner_text() == "nada encontrado"
    there.get_by_role("button", name="Compartir").click()
    there.get_by_role("menuitem", name="Copiar enlace").press("Escape")
    there.locator(".visits").focus()
    assert unsaid(there) == []
    there.goto(there.url.replace("#", "?tour#"))
    says = there.locator("#tour-says")
    first = says.inner_text()
    there.get_by_role("button", name="Siguiente (1 de 5)").click()
    assert says.inner_text() != first
    assert unsaid(there) == []


def test_parts_are_called_in_it_and_found_by_what_they_are(open_page: Opener, page: str) -> None:
    there = open_page(page, "step=16")
    names = there.locator("svg.graph [data-part]:not(.hidden)").evaluate_all("all => all.map(it => it.ariaLabel)")
    english = re.compile(
        r"(^|; )(leaf|op|data|edge|gradient|saved slot|stopped|blocked|yet to come|stale|ready|done)\b"
    )
    assert names and [name for name in names if english.search(name)] == []
    there.get_by_role("searchbox").fill("detenido por un error")
    there.get_by_role("searchbox").press("Enter")
    assert "detenido" in there.evaluate("document.querySelector('.autograd-lab').shadowRoot.activeElement.ariaLabel")


def test_a_question_is_framed_in_it(open_page: Opener, asking: str) -> None:
    there = open_page(asking)
    there.get_by_role("button", name="Confirmar").click()
    assert unsaid(there) == []
    there.get_by_role("radio", name="A 4").check()
    there.get_by_role("radio", name="2 con bastante seguridad").check()
    there.get_by_role("button", name="Confirmar").click()
    assert "con bastante seguridad" in there.locator(".outcome").inner_text()
    there.locator(".outcome dd").evaluate_all("all => all.forEach(it => it.remove())")
    assert unsaid(there) == ["No."]
