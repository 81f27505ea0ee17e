"""One film for many runs: setting the variants of a run gives exactly the film of that run, however runs part."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import autograd_lab as torch
from autograd_lab.display.experiment import run
from autograd_lab.view.compare.shared_places import Places, by_lines
from autograd_lab.view.pages.common_film import LISTS, common_film, list_of, paired
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene

Film = dict[str, Any]


def film_of_run(common: Film, number: int) -> Film:
    """The film of a run, as `widgets/src/runs.ts` makes it."""
    film = deepcopy({name: it for name, it in common.items() if name not in ("variants", "columns")})
    for (*path, last), column in common["variants"]:
        found, which = common["columns"][column]
        if which[number] >= 0:
            inside: Any = film
            for key in path:
                inside = inside[key]
            inside[last] = deepcopy(found[which[number]])
    return film


def spelt_out(film: Film) -> Film:
    """A film in which things stand in the place of their numbers, which lists may share in any way they like."""

    film = paired(film)

    def whole(path: tuple[Any, ...], it: Any) -> Any:
        entries = list_of(path)
        if entries is not None and isinstance(it, int):
            return entries, whole((entries, it), film[entries][it])
        if isinstance(it, dict):
            return {key: whole((*path, key), inner) for key, inner in it.items()}
        if isinstance(it, list | tuple):
            return [whole((*path, number), inner) for number, inner in enumerate(it)]
        return it

    return {name: whole((name,), it) for name, it in film.items() if name not in LISTS}


def films_of(function: Any, *runs: dict[str, Any]) -> list[Film]:
    scenes = [make_scene(run(function, values).trace) for values in runs]
    recorded = [scene for scene in scenes if isinstance(scene, RecordedScene)]
    Places().hold(recorded, [by_lines(scene.history) for scene in recorded])
    return [film_of(scene, "a film") for scene in scenes]


def twice(a: Any, b: Any) -> Any:
    return (a + b) * (b + 1)


def kinked(a: Any, n: int) -> Any:
    if n > 3:
        raise ValueError("<b>too</b> many")
    h = a * 2
    if h > 0:
        return h.log() + a
    for _ in range(n):
        h = torch.tanh(h - a)
    return h.exp()


numbers = st.floats(-4, 4, width=16)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=4))
def test_setting_the_variants_of_a_run_gives_exactly_its_film(runs: list[tuple[float, float]]) -> None:
    films = films_of(twice, *({"a": a, "b": b} for a, b in runs))
    common = common_film(films)
    for number, film in enumerate(films):
        assert spelt_out(film_of_run(common, number)) == spelt_out(film)


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(numbers, st.integers(0, 4)), min_size=2, max_size=4))
def test_runs_may_part_loop_more_often_and_raise_errors(runs: list[tuple[float, int]]) -> None:
    films = films_of(kinked, {"a": 0.5, "n": 1}, *({"a": a, "n": n} for a, n in runs))
    common = common_film(films)
    for number, film in enumerate(films):
        assert spelt_out(film_of_run(common, number)) == spelt_out(film)


def test_the_film_is_that_of_the_first_run_as_it_stands() -> None:
    films = films_of(kinked, {"a": 0.5, "n": 1}, {"a": -0.5, "n": 2})
    common = common_film(films)
    assert spelt_out({name: it for name, it in common.items() if name not in ("variants", "columns")}) == spelt_out(
        films[0]
    )


def test_equal_runs_have_no_variants() -> None:
    film = films_of(twice, {"a": 1.0, "b": 2.0})[0]
    assert common_film([film, deepcopy(film)])["variants"] == []


@pytest.mark.parametrize("count", [2, 20])
def test_what_differs_has_a_column_once_however_often_it_is_shown(count: int) -> None:
    films = films_of(twice, *({"a": 1.0 + k, "b": 2.0} for k in range(count)))
    common = common_film(films)
    texts = [column for column in common["columns"] if column[0][0] == "1.0" and column[0][1] == "2.0"]
    assert len(texts) == 1
    assert len(common["columns"]) < len(common["variants"])
