"""A vote in another language: its pages are in it, and its scripts find their texts."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from autograd_lab.classroom.demos.questions import Choice, Question
from autograd_lab.view.languages.pairs import pairs
from autograd_lab.view.languages.speaking import spoken_in

httpx = pytest.importorskip("httpx")
pytest.importorskip("segno")

from autograd_lab.classroom.vote.poll import Poll  # noqa: E402
from autograd_lab.classroom.vote.room import Room  # noqa: E402

QUESTION = Question((1, 3), "¿Cuál?", (Choice("uno"), Choice("dos")))


def asked(*paths: str) -> list[str]:
    """What a student gets who asks for something."""
    room = Room(Poll([QUESTION]))

    async def ask() -> list[str]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(room.app), base_url="http://vote") as client:
            return [(await client.get(f"/{room.students}/{path}")).text for path in paths]

    with ThreadPoolExecutor() as threads:  # here a browser of other tests may have a loop that runs
        return threads.submit(asyncio.run, ask()).result()


def test_phones_get_their_page_and_its_texts_in_the_language_that_is_spoken() -> None:
    with spoken_in("es"):
        page, script, error = asked("", "pairs.js", "state?voter=nobody")
    assert '<html lang="es">' in page and "Entrando …" in page and 'aria-label="El programa"' in page
    assert f'"Choose one.": "{pairs("es", "player")["Choose one."]}"' in script
    assert "voter" in error, "what programs do wrong is said in English"


def test_in_english_nothing_is_looked_up() -> None:
    page, script = asked("", "pairs.js")
    assert '<html lang="en">' in page and "Joining …" in page
    assert script == "export default {};"
