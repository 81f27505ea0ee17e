"""Pictures of the bundled examples, reviewed as pictures and kept: `python -m tests.view.test_golden` redraws them.

Those made of exact arithmetic are compared character by character. The others (random numbers, matrix products, whose
last digit may differ between processors) are kept for the README and compared in structure. Beside each picture, a text
says what to look at.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageSequence, ImageStat

from autograd_lab.display.script import find_script, run_script
from autograd_lab.view.png import to_png
from autograd_lab.view.scene import make_scene
from autograd_lab.view.svg import to_svg

FOLDER = Path(__file__).parents[1] / "golden"
EXACT = ["expression-forward", "expression-backward", "expression-end", "expression-end-maths", "inplace-error"]
ABOUT = ["mlp-backward", "mlp-end", "rnn-end", "chain-end", "transformer-backward", "residual-error"]


MOVIE = "expression.gif"


def drawn(name: str, torch: bool = False) -> str:
    """The SVG of `<example>-<moment>` or `<example>-<moment>-<view>`, run by this engine or by real PyTorch."""
    example, moment, *view = name.split("-")
    scene = make_scene(run_script(find_script(example), torch=torch).trace, view="maths" if view else "engine")
    return to_svg(scene, scene.moments[moment])


@pytest.mark.parametrize("name", EXACT)
def test_a_picture_is_the_one_that_was_reviewed(name: str) -> None:
    golden = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert drawn(name) == golden, "look at it, then redraw with: python -m tests.view.test_golden"


@pytest.mark.parametrize("name", ABOUT)
def test_a_picture_has_the_parts_that_were_reviewed(name: str) -> None:
    golden = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    parts = re.compile(r'<g id="([^"]+)" class="([^"]+)"')
    assert parts.findall(drawn(name)) == parts.findall(golden)


@pytest.mark.parametrize("name", ["expression-backward", "inplace-error", "residual-error"])
def test_real_torch_gives_the_same_picture(name: str) -> None:
    pytest.importorskip("torch")
    parts = re.compile(r'<g id="([^"]+)" class="([^"]+)"')
    pictures = [drawn(name, torch) for torch in (False, True)]
    names = [sorted(kind for _, kind in parts.findall(picture)) for picture in pictures]
    assert names[0] == names[1]


@pytest.mark.parametrize("name", [*EXACT, *ABOUT])
def test_every_reviewed_picture_has_its_png(name: str) -> None:
    assert (FOLDER / f"{name}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", [*EXACT, *ABOUT])
def test_every_reviewed_picture_says_what_to_look_at(name: str) -> None:
    assert "Look for: " in (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def movie_in(folder: Path) -> list[Image.Image]:
    """The frames of the README's movie."""
    with Image.open(folder / MOVIE) as movie:
        return [frame.convert("RGB") for frame in ImageSequence.Iterator(movie)]


def test_the_movie_has_the_frames_that_were_reviewed(tmp_path: Path) -> None:
    shoot(tmp_path)
    assert (FOLDER / MOVIE).stat().st_size < 600_000
    for before, now in zip(movie_in(FOLDER), movie_in(tmp_path), strict=True):
        apart = ImageStat.Stat(ImageChops.difference(before, now))
        assert max(apart.mean) < 0.01, "look at it, then redraw with: python -m tests.view.test_golden"


def shoot(folder: Path) -> None:
    run_script(find_script("expression")).trace.save(folder / MOVIE, side=1000)


def redraw() -> None:
    """Write all pictures anew."""
    for name in [*EXACT, *ABOUT]:
        svg = drawn(name)
        (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8", newline="\n")
        (FOLDER / f"{name}.png").write_bytes(to_png(svg, scale=2))
        print(FOLDER / f"{name}.png")
    shoot(FOLDER)
    print(FOLDER / MOVIE)


if __name__ == "__main__":
    redraw()
