"""The gallery of mistakes: a page for each kind of finding, with what really happens when its programs run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from autograd_lab.findings.kinds import KINDS, SEEN
from docs import gallery
from docs.mistake import PROGRAMS, Mistake, look, mistakes, read

ONE = "saved-value-overwritten"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A gallery of one kind, of which there are two programs, with its index of all."""
    folder = tmp_path_factory.mktemp("gallery")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gallery, "PAGES", folder)
        patch.setattr(gallery, "PICTURES", folder / "pictures")
        found = {kind: programs if kind == ONE else [] for kind, programs in mistakes().items()}
        gallery.gallery(folder / "play", found)
    return folder


def test_every_kind_has_its_page_and_the_index_names_it_and_each_of_its_programs(made: Path) -> None:
    index = gallery._index(mistakes())
    for kind in KINDS:
        assert (made / f"{kind}.md").is_file()
        assert f"]({kind}.md)" in index and f"\n{kind}\n" in index
    anchors = {path.stem.replace("_", "-") for path in PROGRAMS.glob("*.py")}
    assert set(re.findall(r'html#(.*?)"', index)) == anchors
    assert re.findall("^## (.*)$", index, re.MULTILINE) == list(SEEN)


def test_a_page_has_the_error_the_program_what_diagnose_prints_and_the_mended_program(made: Path) -> None:
    text = (made / f"{ONE}.md").read_text("utf-8")
    assert "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace" in text
    assert "    y = w.exp()" in text.partition("### What `autograd-lab diagnose saved_value_overwritten.py` prints")[2]
    assert ":emphasize-lines: 5\n\nimport autograd_lab as torch" in text  # y += 1
    assert ":emphasize-lines: 5\n:class: mended" in text  # y = y + 1
    assert not re.search("<-- here|# remedy|# also", text)


def test_its_pictures_say_what_they_show_and_lead_to_that_moment_on_the_page_that_plays_it(made: Path) -> None:
    text = (made / f"{ONE}.md").read_text("utf-8")
    for name in ("saved-value-overwritten", "saved-value-overwritten-by-a-step"):
        for theme in ("light", "dark"):
            assert (made / "pictures" / f"{name}-{theme}.svg").is_file()
        assert (made / "play" / f"{name}.html").is_file()
    assert text.count(':alt: "The exponential needs y as it was; line 5 has overwritten it.') == 2
    assert re.search(r":target: play/saved-value-overwritten.html#step=\d+\n", text)


def of(text: str, mended: str) -> tuple[list[int], list[str]]:
    return Mistake("name", "kind", "Title", "Why.", text, mended, "So.").changes()


def test_lines_that_are_new_are_lit_and_those_that_are_gone_are_told() -> None:
    assert of("a\nb\nc\n", "a\nd\nc\n") == ([2], [])
    assert of("a\nb\nc\n", "a\nc\n") == ([], ["b"])
    assert of("a\nb\nc\n", "a\nc\nb\n")[1] == [], "it has only moved"
    assert of("a\n", "a\n\nb\n") == ([3], [])


def test_where_there_is_no_graph_the_page_shows_what_ran(tmp_path: Path) -> None:
    plain, pictures = read(PROGRAMS / "nothing_to_differentiate_no_leaf_asks.py"), gallery.PICTURES
    pictures.mkdir(parents=True, exist_ok=True)
    assert "nothing-to-differentiate-no-leaf-asks" in gallery._moment(plain, look(plain), tmp_path)


def test_what_is_for_the_tests_alone_is_not_shown() -> None:
    text = read(PROGRAMS / "batch_of_one.py").text
    assert text.startswith("import autograd_lab as torch\n") and text.endswith("\nmodel(torch.ones(1, 2))\n")
