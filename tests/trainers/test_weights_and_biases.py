"""What the real wandb, offline, keeps of a watched run."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograd_lab.trainers.watch import watch
from tests.trainers.training import model_of, train

torch = pytest.importorskip("torch")
wandb = pytest.importorskip("wandb", reason="wandb is not installed: pip install wandb")


def test_pages_pictures_and_norms_come_with_the_users_next_step(tmp_path: Path) -> None:
    model = model_of(torch)
    run = wandb.init(mode="offline", dir=str(tmp_path), settings=wandb.Settings(console="off", silent=True))
    with watch(model, every=2, to=tmp_path / "pages", log=[run]):
        train(torch, model, 4, lambda turn, loss: run.log({"loss": loss.item()}, step=turn) or loss)
    steps, summary = run.step, dict(run.summary)
    run.finish()
    assert steps == 4  # ours are none of their own
    assert {"loss", "gradient norm/0", "autograd_lab/iteration"} <= set(summary)
    pages = list(tmp_path.rglob("media/html/autograd_lab/*.html"))
    assert len(pages) == len(list(tmp_path.rglob("media/images/autograd_lab/*.png"))) == 3
    assert "autograd-lab-player" in pages[0].read_text("utf-8")


@pytest.mark.parametrize("turn", [2, 3])
def test_the_first_finding_stands_in_the_summary_whether_or_not_an_iteration_shows_it(
    tmp_path: Path, turn: int
) -> None:
    model = model_of(torch)
    run = wandb.init(mode="offline", dir=str(tmp_path), settings=wandb.Settings(console="off", silent=True))
    with watch(model, every=100, norms_every=1, to=None, log=[run]):
        train(torch, model, 3, lambda now, loss: loss * float("nan") if now == turn else loss)
    said = dict(run.summary)["autograd_lab/first finding"]
    run.finish()
    assert f"The loss is NaN since iteration {turn}." in said
