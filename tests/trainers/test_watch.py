"""A watched loop leaves pages and pictures of what was chosen, and of the first finding; and is not disturbed."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import autograd_lab as lab
from autograd_lab import listening
from autograd_lab.recording import recorder
from autograd_lab.trainers import watch as watching
from autograd_lab.trainers.logbook import Logbook, Norms, Shown
from autograd_lab.trainers.watch import watch
from autograd_lab.view.pages.player import film_of
from tests.trainers.training import model_of, train


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def rows(folder: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((folder / "norms.csv").read_text("utf-8").splitlines()))


@pytest.fixture(params=["autograd_lab", "torch"])
def torch(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


class Kept(Logbook):
    def __init__(self) -> None:
        self.all: list[Shown] = []
        self.measured: list[int] = []

    def norms(self, iteration: int, loss: float | None, layers: Mapping[str, Norms]) -> None:
        self.measured.append(iteration)

    def shown(self, shown: Shown) -> None:
        self.all.append(shown)


def test_chosen_iterations_become_pages_and_pictures(torch: Any, tmp_path: Path) -> None:
    kept, model = Kept(), model_of(torch)
    with watch(model, every=4, to=tmp_path, log=[kept], iterations=(2,)):
        train(torch, model, 5)
    pictures = {f"iteration-{number}{suffix}" for number in (2, 4) for suffix in (".html", ".png")}
    assert names(tmp_path) == pictures | {"norms.csv"}
    assert [shown.iteration for shown in kept.all] == [2, 4]
    kinds = [type(event).__name__ for event in kept.all[0].trace]
    assert kinds.count("BackwardStarted") == kinds.count("OptimizerLeft") == 1
    course = kept.all[-1].trace.course
    assert course is not None and course.shown == (4,)
    assert [each.name for each in course.series] == ["loss", "model.0", "model.2"]  # as on their cards
    assert film_of(kept.all[-1].picture.scene)["iterations"] == [[0, "iteration 4"]]  # of how many, nobody knows


def test_norms_by_layer_are_those_of_all_its_parameters_together(torch: Any, tmp_path: Path) -> None:
    model = model_of(torch)
    with watch(model, every=100, norms_every=3, iterations=(), to=tmp_path):
        train(torch, model, 3)
    assert [(row["iteration"], row["layer"]) for row in rows(tmp_path)] == [("3", "0"), ("3", "2")]
    for row, layer in zip(rows(tmp_path), (model[0], model[2]), strict=True):
        gradient = math.hypot(*(each.grad.norm().item() for each in layer.parameters()))
        assert float(row["gradient"]) == pytest.approx(gradient)
        assert float(row["weight"]) == pytest.approx(math.hypot(*(each.norm().item() for each in layer.parameters())))
    assert float(rows(tmp_path)[0]["loss"]) > 0


def test_a_loss_that_becomes_nan_unseen_has_the_next_iteration_recorded(tmp_path: Path) -> None:
    model = model_of(lab)

    def change(turn: int, loss: Any) -> Any:
        return loss * float("nan") if turn == 5 else loss

    with watch(model, every=100, norms_every=1, to=tmp_path):
        train(lab, model, 9, change)
    assert {"iteration-6.html", "first-finding.html", "first-finding.png"} <= names(tmp_path)
    text = (tmp_path / "first-finding.txt").read_text("utf-8")
    assert "The loss is NaN since iteration 5." in text and "iterations=range(5, 6)" in text
    assert len([name for name in names(tmp_path) if name.startswith("iteration-")]) == 2 * 2


@pytest.mark.parametrize(("turns", "what"), [(8, "The loss is NaN"), (7, "A weight of model.0 is NaN")])
def test_a_nan_that_no_iteration_is_left_to_show_is_told_at_the_end(
    torch: Any, tmp_path: Path, caplog: Any, turns: int, what: str
) -> None:
    model = model_of(torch)
    with watch(model, every=100, norms_every=4, to=tmp_path):
        train(torch, model, turns, lambda turn, loss: loss * float("nan") if turn == 6 else loss)
    since = f"{what} since one of the iterations 5 to {turns}."
    assert names(tmp_path) == {"iteration-1.html", "iteration-1.png", "first-finding.txt", "norms.csv"}
    text = (tmp_path / "first-finding.txt").read_text("utf-8")
    assert text.startswith(f"Iteration {turns}\n\nwarning: {since}") and f"iterations=range(5, {turns + 1})" in text
    assert len(caplog.records) == 1 and since in caplog.text


def test_a_nan_of_one_layer_began_after_all_of_them_were_last_fine(tmp_path: Path) -> None:
    model = model_of(lab)

    def change(turn: int, loss: Any) -> Any:
        return loss + (model[2].bias * 0).sqrt().sum() * 0 if turn == 6 else loss  # the gradient of this bias alone

    with watch(model, every=100, norms_every=4, to=tmp_path):
        train(lab, model, 8, change)
    assert "since one of the iterations 5 to 8" in (tmp_path / "first-finding.txt").read_text("utf-8")


def test_a_nan_began_after_the_iterations_that_were_recorded_and_fine(tmp_path: Path) -> None:
    model = model_of(lab)
    with watch(model, every=100, norms_every=4, iterations=(5,), to=tmp_path):
        train(lab, model, 8, lambda turn, loss: loss * float("nan") if turn == 6 else loss)
    assert "since one of the iterations 6 to 8" in (tmp_path / "first-finding.txt").read_text("utf-8")


def test_a_finding_of_a_recorded_iteration_is_told_once(caplog: Any) -> None:
    model, kept = model_of(lab), Kept()
    with watch(model, every=3, norms_every=9, to=None, iterations=(), log=[kept]):
        train(lab, model, 6, lambda turn, loss: (loss * 0).sqrt() * 0 + loss if turn == 3 else loss)
    assert [shown.name for shown in kept.all] == ["iteration-3", "first-finding", "iteration-6"]
    finding, picture = kept.all[1].findings[0], kept.all[1].picture
    assert f"<title>{finding.sentence.rstrip('.')}" in picture.svg
    assert f"<title>{finding.sentence.rstrip('.')}" not in kept.all[0].picture.scene.svg(picture.step)
    assert len(caplog.records) == 1 and "NaN" in caplog.text


def test_an_error_shows_the_iteration_that_it_ended_and_goes_on() -> None:
    model, kept = model_of(lab), Kept()

    def change(turn: int, loss: Any) -> Any:
        if turn == 2:
            loss.backward()
        return loss

    with pytest.raises(RuntimeError, match="second time"), watch(model, every=2, to=None, log=[kept]):
        train(lab, model, 6, change)
    assert [shown.name for shown in kept.all] == ["iteration-1", "iteration-2", "first-finding"]
    assert kept.all[-1].findings[0].kind == "second-backward"


def test_nothing_is_left_behind_and_nothing_is_changed(torch: Any) -> None:
    plain, model = model_of(torch), model_of(torch)
    train(torch, plain, 5)
    model = model_of(torch)
    before = len(listening.listeners)
    with watch(model, every=2, to=None):
        train(torch, model, 5)
    assert len(listening.listeners) == before and listening.active is None
    assert [each.tolist() for each in model.parameters()] == [each.tolist() for each in plain.parameters()]


def test_of_two_models_the_steps_of_the_watched_one_count() -> None:
    model, other, kept = model_of(lab), model_of(lab), Kept()
    with watch(model, every=2, iterations=(), to=None, log=[kept]):
        for _ in range(3):
            train(lab, other, 2)
            train(lab, model, 1)
    assert [shown.iteration for shown in kept.all] == [2]


def test_a_loop_without_an_optimizer_says_when_a_turn_is_over() -> None:
    w, kept = lab.nn.Linear(2, 1), Kept()
    with watch(w, every=2, iterations=(), to=None, log=[kept]) as watched:
        for _ in range(4):
            w(lab.ones(1, 2)).sum().backward()
            watched.turn()
    assert [shown.iteration for shown in kept.all] == [2, 4]
    assert kept.measured == [1, 2, 3, 4]


def test_the_distance_doubles_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "MOST", 2)
    model, kept = model_of(lab), Kept()
    with watch(model, every=1, iterations=(), to=None, log=[kept]):
        train(lab, model, 16)
    assert [shown.iteration for shown in kept.all] == [1, 2, 4, 6, 8, 12, 16]


def test_a_disk_that_is_full_never_ends_the_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "STRICT", False)
    (tmp_path / "file").write_text("")
    model, done = model_of(lab), []
    warned = pytest.warns(RuntimeWarning, match="the training goes on, but is no longer watched: ")
    with warned as said, watch(model, every=1, to=tmp_path / "file" / "below"):
        train(lab, model, 3, lambda turn, loss: done.append(turn) or loss)
    assert done == [1, 2, 3] and len(said) == 1


def test_a_distance_below_1_and_a_place_that_is_none_are_said_at_once(tmp_path: Path) -> None:
    model = model_of(lab)
    with pytest.raises(ValueError, match="1 or more"), watch(model, every=0, to=tmp_path):
        pass
    with pytest.raises(TypeError, match="not SimpleNamespace"), watch(model, to=tmp_path, log=[SimpleNamespace()]):
        pass
    assert os.listdir(tmp_path) == []
