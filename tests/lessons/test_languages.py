"""Lessons in other languages: none of their texts is lacking, and each notebook is the same program."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from autograd_lab.lessons import check, hint, overview, predict, reveal, world
from autograd_lab.lessons.exercise import verdict
from autograd_lab.lessons.front import PICTURES, picture
from autograd_lab.lessons.glossary import known_before
from autograd_lab.lessons.notebooks import Build, written
from autograd_lab.lessons.progress import entries
from autograd_lab.lessons.question import LETTERS, Question
from autograd_lab.lessons.registry import find, module_of, tasks_of
from autograd_lab.lessons.syllabus import INDEX, LESSONS
from autograd_lab.lessons.translated import SPEAK, translations
from autograd_lab.lessons.worded import PART, worded
from autograd_lab.view.languages import speaking
from autograd_lab.view.languages.pairs import ENGLISH, chapters, languages, pairs
from autograd_lab.view.languages.speaking import language, spoken_in
from tests.lessons.catalogue import FRAME, may_say, terms_of, texts_of
from tests.lessons.conftest import Executed
from tests.lessons.running import NOTEBOOKS, SOURCES, built, code_cells, opened, printed, said_without_notebook
from tests.lessons.spoil import spoilers

HOLE = re.compile(r"\{[^{}]*\}")
KEPT = re.compile(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)")
"""Code, formulas and links: the same in every language, but for the sine, which has a name in each."""
CHAPTERS = [(code, chapter) for code in languages() if code != ENGLISH for chapter in chapters(code, PART)]
TRANSLATED = [(code, name) for name in SOURCES for code in translations(name)]

each_chapter = pytest.mark.parametrize(("code", "chapter"), CHAPTERS)
each_translated = pytest.mark.parametrize(("code", "name"), TRANSLATED)


@pytest.fixture(autouse=True)
def a_new_learner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUTOGRAD_LAB_PROGRESS", str(tmp_path / "progress.jsonl"))


@each_chapter
def test_each_text_has_a_pair_and_no_pair_is_left_over(code: str, chapter: str) -> None:
    texts = texts_of(chapter)
    lacking = [text for text in texts if text not in pairs(code, PART)]
    assert lacking == [], f"python -m tests.lessons.catalogue {code} {chapter}"
    assert pairs(code, f"{PART}/{chapter}").keys() <= {*texts, *may_say(chapter)}
    assert all(pairs(code, PART).values())


@each_chapter
def test_holes_and_code_are_the_same(code: str, chapter: str) -> None:
    for english, other in pairs(code, f"{PART}/{chapter}").items():
        same = other.replace(r"\operatorname{sen}", r"\sin")
        for kept in (HOLE, KEPT):
            assert Counter(kept.findall(english)) == Counter(kept.findall(same)), english


@pytest.mark.parametrize("code", [code for code in languages() if code != ENGLISH])
def test_a_text_has_one_pair_and_the_terms_of_its_lessons_are_known(code: str) -> None:
    counts = Counter(text for chapter in chapters(code, PART) for text in pairs(code, f"{PART}/{chapter}"))
    assert [text for text, count in counts.items() if count > 1] == []
    last = max(int(chapter) for chapter in chapters(code, PART) if chapter.isdigit())
    assert set(pairs(code, "glossary")) == set(terms_of(last))


def questions(code: str, chapter: str) -> list[Question]:
    module = module_of(None if chapter == INDEX else chapter) if chapter != FRAME else None
    return [task for task in tasks_of(module).values() if isinstance(task, Question)] if module else []


@each_chapter
def test_an_answer_counts_by_its_letter_in_english_and_as_it_is_shown(code: str, chapter: str) -> None:
    for asked in questions(code, chapter):
        with spoken_in(code):
            shown = [worded(choice.text) for choice in asked.choices]
            assert len(set(shown)) == len(shown), asked.id
            for number, choice in enumerate(asked.choices):
                assert {asked.number(each) for each in (LETTERS[number], choice.text, shown[number])} == {number}
                assert asked.choices[number].belief not in asked.reasons(number), "it is said in that language"


class Program(ast.NodeTransformer):
    """A program without what its strings say, in which holes of a string may stand in any order."""

    def visit_Constant(self, node: ast.Constant) -> Any:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        holes = [each for each in node.values if isinstance(each, ast.FormattedValue)]
        return ast.JoinedStr(sorted((self.visit(each) for each in holes), key=ast.dump))


def program(source: str) -> str:
    return ast.dump(Program().visit(ast.parse(source)))


@each_translated
def test_a_translated_notebook_has_the_same_cells_and_its_code_is_the_same_program(code: str, name: str) -> None:
    english, other = (built(name, Build.SOLUTION, closed=False, language=spoken) for spoken in (ENGLISH, code))
    assert [cell.id for cell in other.cells] == [cell.id for cell in english.cells]
    for mine, theirs in zip(code_cells(english), code_cells(other), strict=True):
        plain = theirs.source.removeprefix(SPEAK(code)).replace(f'world(language="{code}")', "world()")
        assert program(plain) == program(mine.source), mine.id


@each_translated
def test_its_links_lead_somewhere(code: str, name: str) -> None:
    text = "\n".join(cell.source for cell in built(name, language=code).cells)
    links = re.findall(r"\]\(([^)]+\.ipynb)\)", text)
    assert links and all((NOTEBOOKS / code / link).resolve().is_file() for link in links)


@each_translated
def test_what_learners_open_in_it_is_what_the_source_gives(code: str, name: str) -> None:
    file, drawn = (NOTEBOOKS / code / path for path in (f"{name}.ipynb", f"{PICTURES}/{name}.svg"))
    assert file.read_text(encoding="utf-8") == written(opened(name, code)), "run: autograd-lab lessons build"
    with spoken_in(code):
        assert name == INDEX or drawn.read_text(encoding="utf-8") == picture(int(name[:2])), "its picture, likewise"


@each_translated
def test_words_of_earlier_lessons_say_what_they_mean_in_it(code: str, name: str) -> None:
    text = "\n".join(cell.source for cell in built(name, language=code).cells)
    said = re.findall(r'<abbr title="([^"]+)">', text)
    with spoken_in(code):
        known = {term.meaning for term in known_before(int(name[:2]))} if name != INDEX else set()
    assert set(said) <= known and len(said) == len(set(said)) and bool(said) == bool(known)


@each_translated
def test_it_runs_for_whoever_has_answered_nothing_and_spoils_no_question(
    code: str, name: str, executed: Executed
) -> None:
    notebook = executed(built(name, language=code))
    with spoken_in(code):
        assert list(spoilers(notebook)) == []
        said = [worded(text) for text in ("not attempted yet.", "not yet. {wrong}")]
    for cell in code_cells(notebook):
        if "checks" in cell.metadata:
            assert any(each.removesuffix(".").removesuffix("{wrong}") in printed(cell) for each in said), printed(cell)


@each_translated
def test_with_all_answers_it_is_right_in_pytorch(code: str, name: str, tmp_path: Path) -> None:
    """In this engine it runs without answers, just above, and in English with them: it is the same program."""
    pytest.importorskip("torch")
    notebook = built(name, Build.SOLUTION, language=code)
    with spoken_in(code):
        said = said_without_notebook(notebook, "torch", tmp_path)
        right = worded("right.")
    for cell, text in zip(code_cells(notebook), said, strict=True):
        if checked := cell.metadata.get("checks"):
            assert text.startswith(f"{checked}: {right}"), text


class TestSpanish:
    @pytest.fixture(autouse=True)
    def spoken(self, monkeypatch: pytest.MonkeyPatch) -> Any:
        monkeypatch.setenv("AUTOGRAD_LAB_ORDER", "written")
        with spoken_in("es"):
            yield

    def test_what_is_said_is_spanish_and_what_is_kept_is_english(self, capsys: pytest.CaptureFixture[str]) -> None:
        predict("L2.P2")
        asked = capsys.readouterr().out
        assert (
            "Retrocede desde el nodo de `y" in asked
            and "  B (2, por 3 caminos)\n" in asked
            and "Contesta con predict(" in asked
        )
        predict("L2.P2", answer="C", confidence=3)
        assert (
            "Dijiste C (3, por 3 caminos); lo verdadero es B (2, por 3 caminos).\nC suele venir de la idea"
            in capsys.readouterr().out
        )
        predict("L2.P2", answer="2, por 3 caminos")
        assert "y así es:\nUna hoja tiene un solo AccumulateGrad" in capsys.readouterr().out
        assert [entry["answer"] for entry in entries() if entry["what"] == "predict"] == [
            "3, on 3 paths",
            "2, on 3 paths",
        ]

    def test_a_judge_says_it_with_its_values(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert verdict(find("L2.D1"), lambda node: [node, node]).text == (
            "En y = (a + b) * (b + 1) un nodo está en la lista 2 veces."
        )
        said = verdict(find("L2.D1"), lambda node: 1 / 0).text
        assert said == "Se detiene en y = (a + b) * (b + 1): ZeroDivisionError: division by zero"
        check("L3.T1", ["y", "c", "b"])
        assert "todavía espera un gradiente del nodo de d" in capsys.readouterr().out
        hint("L3.T1")
        assert capsys.readouterr().out.startswith("L3.T1, pista 1 de 3: Un nodo se puede ejecutar")

    def test_an_answer_may_have_the_names_of_either_language(self) -> None:
        right = {"c": 9, "d": 8, "y": 72}
        assert verdict(find("L0.F1"), right | {"saved": 2, "lines from b": 2})
        assert verdict(find("L0.F1"), right | {"guardados": 2, "líneas desde b": 2})
        said = verdict(find("L0.F1"), right | {"guardados": 9, "líneas desde b": 2}).text
        assert said == "Mira otra vez: guardados. Por ahora está bien: c, d, y, líneas desde b."

    def test_what_is_revealed_runs_and_reads_in_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        names: dict[str, Any] = {"x": 1, "reveal": reveal}
        exec("reveal('L3.run')", names)
        assert "cerrado hasta que contestes o saltes L3.P1 y L3.P3" in capsys.readouterr().out
        for id in ("L3.P1", "L3.P3"):
            predict(id, answer="skip")
        exec("reveal('L3.run')", names)
        assert "Lo que autograd dejó en las dos hojas" in capsys.readouterr().out

    def test_a_picture_speaks_it_that_was_drawn_in_english_before(self) -> None:
        with spoken_in(ENGLISH):
            assert "1 × 3 cells" in picture(2)
        assert "1 × 3 celdas" in picture(2) and "cells" not in picture(2)

    def test_progress_is_told_in_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        overview()
        said = capsys.readouterr().out
        assert "Backward, nodo a nodo" in said and "la regla de la cadena, nodo a nodo" in said


def test_a_notebook_says_which_language_it_speaks_and_an_english_one_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speaking, "_chosen", [])
    world(language="es")
    assert language() == "es"
    with pytest.raises(ValueError, match="there is no language"):
        world(language="xx")
    assert 'world(language="es")' in code_cells(built(LESSONS[3].name, language="es"))[0].source
    assert "language" not in code_cells(built(LESSONS[3].name))[0].source
