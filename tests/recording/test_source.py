"""Where a program is, what it assigns to, and what its operands are called."""

from __future__ import annotations

import linecache
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from autograd_lab.recording.program.source import Site, Sites
from autograd_lab.recording.program.variables import look_up
from autograd_lab.whose import is_the_users


class Watched:
    """A stand-in operand: each use of an operator notes the place that it was used at."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.seen: list[Site] = []

    def note(self, *_: Any) -> Watched:
        site, _frame = self.sites.here(sys._getframe(1))
        self.seen.append(site)
        return self

    __add__ = __mul__ = __neg__ = __getitem__ = __radd__ = __iadd__ = note

    def tanh(self) -> Watched:
        return self.note()


def the_operators_are_not_the_users() -> AbstractContextManager[None]:
    return patch.dict(is_the_users, {__file__: False})


def places(tmp_path: Path, source: str) -> list[Site]:
    """The places that running `source` goes through, with `a` and `b` in scope."""
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    sites = Sites()
    with the_operators_are_not_the_users():
        watched = Watched(sites)
        exec(compile(source, str(path), "exec"), {"a": watched, "b": watched, "f": lambda x: x})
    return watched.seen


@pytest.mark.parametrize(
    ("source", "expression", "targets", "operands"),
    [
        ("y = a + b", "a + b", ("y",), ("a", "b")),
        ("y = a.tanh()", "a.tanh()", ("y",), ("a",)),
        ("y: object = -a", "-a", ("y",), ("a",)),
        ("a += b", "a += b", ("a",), ("a", "b")),
        ("(y := a + 1)", "a + 1", ("y",), ("a",)),
        ("x = y = a * 2", "a * 2", ("y",), ("a",)),
        ("p, q = [a, (a[0])][1], 1", "a[0]", (), ("a",)),
        ("y = f(a + b)", "a + b", (), ("a", "b")),
        ("y = (a +\n     b)", "a +", (), ()),
    ],
)
def test_an_expression_knows_its_text_its_targets_and_its_operands(
    tmp_path: Path, source: str, expression: str, targets: tuple[str, ...], operands: tuple[str, ...]
) -> None:
    site = places(tmp_path, source)[0]
    if "\n" in source:
        assert site.expression == "a + b"
        assert site.targets == ("y",)
    else:
        assert (site.expression, site.targets, site.operands) == (expression, targets, operands)


def test_two_expressions_on_one_line_are_told_apart(tmp_path: Path) -> None:
    inner, outer = places(tmp_path, "y = (a + b) * a")
    assert (inner.expression, inner.targets) == ("a + b", ())
    assert (outer.expression, outer.targets) == ("(a + b) * a", ("y",))


def test_the_line_and_its_text_are_those_of_the_expression(tmp_path: Path) -> None:
    (site,) = places(tmp_path, "# é ∂\n\nif True:\n    y = a + b  # why\n")
    assert site.where is not None
    assert (site.where.line, site.where.text) == (4, "y = a + b  # why")


def test_a_file_outside_the_current_folder_is_shown_by_its_name_alone(tmp_path: Path) -> None:
    (site,) = places(tmp_path, "y = a + b")
    assert site.where is not None and site.where.file == "program.py"


def test_a_program_without_source_still_has_a_line() -> None:
    sites = Sites()
    watched = Watched(sites)
    with the_operators_are_not_the_users():
        exec("y = 1\nz = a + 1", {"a": watched})
    assert watched.seen[0].where is not None
    assert (watched.seen[0].where.line, watched.seen[0].where.text) == (2, "")


class Trap:
    """An object whose attributes must not be computed by who only looks."""

    def __init__(self) -> None:
        self.weight = 7

    @property
    def loud(self) -> int:
        raise AssertionError("a property of the user's object was run")


def test_looking_up_a_dotted_name_runs_none_of_the_users_code() -> None:
    trap = Trap()
    frame = sys._getframe()
    assert look_up("trap.weight", frame) == trap.weight
    assert look_up("trap.loud", frame) is None
    assert look_up("nothing.at.all", frame) is None


@pytest.mark.parametrize(
    ("source", "marked"),
    [
        ("y = a + b", "a + b"),
        ("y = (a + b) * b", "(a + b) * b"),
        ("if a is b:\n\ty = 'é🎉' and a.tanh()  # more", "a.tanh()"),
        ("y = [a.tanh(\n)]", "a.tanh("),
    ],
)
def test_a_place_tells_which_characters_of_its_line_run(tmp_path: Path, source: str, marked: str) -> None:
    where = places(tmp_path, source.replace("if a is b", "if a is a"))[-1].where
    assert where is not None and where.columns is not None
    assert where.text[slice(*where.columns)] == marked


def test_where_all_of_a_line_runs_nothing_in_it_is_told_apart(tmp_path: Path) -> None:
    [site] = places(tmp_path, "a.tanh()")
    assert site.where is not None and site.where.columns is None


def test_two_places_on_a_line_are_the_same_line_whatever_runs_there(tmp_path: Path) -> None:
    first, second = (site.where for site in places(tmp_path, "y = a + b, a * b"))
    assert first is not None and second is not None
    assert first == second and hash(first) == hash(second) and first.columns != second.columns


def test_a_place_is_read_again_once_its_file_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("a = 1\nb = 2\n", encoding="utf-8")
    code = compile("a = 1", str(path), "exec")
    before = Sites().at(code, 0).where
    path.write_text("changed = 11\n", encoding="utf-8")
    linecache.checkcache(str(path))
    after = Sites().at(code, 0).where
    assert before is not None and after is not None
    assert (before.text, after.text) == ("a = 1", "changed = 11")
