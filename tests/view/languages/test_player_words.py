"""The player speaks every language that has a folder: each of its texts has a pair, and a language is files alone."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograd_lab.display.script import find_script, run_script
from autograd_lab.view.languages import pairs as files
from autograd_lab.view.languages.pairs import ENGLISH, languages, pairs
from autograd_lab.view.languages.speaking import spoken_in, translated
from autograd_lab.view.languages.texts import worded
from autograd_lab.view.page import to_page
from autograd_lab.view.pages.page_text import unpacked_text
from autograd_lab.view.scene import make_scene
from tests.view.languages.looked_up import looked_up

OTHERS = [code for code in languages() if code != ENGLISH]


def holes(text: str) -> list[str]:
    """What holes a text has, by their numbers."""
    found = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
    return sorted(name or str(place) for place, name in enumerate(found))


@pytest.mark.parametrize("language", OTHERS)
def test_every_text_of_the_player_has_a_pair_and_no_pair_is_of_nothing(language: str) -> None:
    assert pairs(language, "player").keys() == looked_up()


@pytest.mark.parametrize("language", OTHERS)
def test_both_texts_of_a_pair_have_the_same_holes(language: str) -> None:
    assert {
        text: holes(other) for text, other in pairs(language, "player").items() if holes(text) != holes(other)
    } == {}


@pytest.mark.parametrize("language", OTHERS)
def test_what_the_player_looks_for_is_called_alike_in_both_files(language: str) -> None:
    with spoken_in(language):
        assert translated("line", "row") == worded("line"), "by that row it finds the line of a thing"
        told = [translated(name, "held") for name in ("gradient", "gradient in", "gradient out to x")]
    assert all(name.startswith(pairs(language, "player")["gradient"]) for name in told), "whose colours an array has"


def data_of(page: str) -> dict[str, object]:
    """What a page brings along for the browser."""
    told = re.search(r'id="autograd-lab-film">([^<]*)<', page)
    assert told is not None
    found: dict[str, object] = json.loads(unpacked_text(told[1]))
    return found


@pytest.fixture
def volapuk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The code of a language of two words, which is there for a while."""
    folder = tmp_path / "vo"
    folder.mkdir()
    (folder / "language.json").write_text('{"name": "Volapük"}', encoding="utf-8")
    (folder / "player.json").write_text('{"seed": "sid", "{}, line {}: {}": "lien {1}: {2} ({0})"}', encoding="utf-8")
    monkeypatch.setattr(files, "FOLDER", tmp_path)
    languages.cache_clear(), pairs.cache_clear()
    yield "vo"
    languages.cache_clear(), pairs.cache_clear()


def test_a_language_is_a_folder_of_files(volapuk: str) -> None:
    with spoken_in(volapuk):
        page = to_page(make_scene(run_script(find_script("expression")).trace))
        assert worded("{}, line {}: {}", "add", 3, "x + y") == "lien 3: x + y (add)"
    data = data_of(page)
    assert '<html lang="vo">' in page
    assert (data["language"], data["pairs"]) == ("vo", pairs(volapuk, "player"))
    assert data["goals"] == ["sid", "pop a ready node", "local derivative", "send and sum", "store or drop"]


def test_an_english_page_brings_no_pairs() -> None:
    assert (
        data_of(to_page(make_scene(run_script(find_script("expression")).trace)))
        .keys()
        .isdisjoint({"language", "pairs"})
    )
