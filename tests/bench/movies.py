"""What a movie costs: painting patches beside painting every step whole, and the GIF in all.

Times are CPU times of one thread. *Painted* is how many pixels the patches have, as a share of those of all frames.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import mean

from autograd_lab.display.script import find_script, run_script
from autograd_lab.view.movie.canvas import Canvas
from autograd_lab.view.movie.movie import Movie, movie_of
from autograd_lab.view.movie.pieces import pieces_of
from autograd_lab.view.png import to_png
from autograd_lab.view.scene import make_scene
from autograd_lab.view.svg import to_svg

PARTS = {
    "expression": {},
    "mlp": {},
    "transformer": {"start": 2366, "stop": 2465},
    "rnn": {"start": 4408, "stop": 4507},
}
"""Of the long examples, a hundred steps in the middle of backward."""
WHOLES = 4
"""Steps that are painted whole for the sake of comparison: the others cost the same."""


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def whole(movie: Movie) -> float:
    """Seconds that it takes to paint one step whole, on the average."""
    steps = [shot.step for shot in movie.shots][:: max(1, len(movie.shots) // WHOLES)]
    return mean(
        timed(lambda step=step: to_png(to_svg(movie.scene, step), scale=movie.scale()))  # type: ignore[misc]
        for step in steps
    )


def patched(movie: Movie) -> tuple[float, float]:
    """Seconds that the patches of one step take, on the average, and their share of all pixels."""
    canvas, sizes = Canvas(pieces_of(movie.scene), movie.scale()), []
    seconds = timed(
        lambda: sizes.extend(patch.pixels[..., 0].size for shot in movie.shots for patch in canvas.patches(shot.step))
    )
    return seconds / len(movie.shots), sum(sizes) / (canvas.width * canvas.height * len(movie.shots))


def gif(movie: Movie) -> tuple[int, float, str, float]:
    """Frames, seconds, width and height, and kB of a GIF."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "movie.gif"
        start = time.process_time()
        width, height = movie.save(file)
        return len(movie.shots), time.process_time() - start, f"{width} × {height}", file.stat().st_size / 1e3


def run(options: argparse.Namespace) -> None:
    print(f"{'a GIF of':14}{'pixels':>13}{'frames':>8}{'painted':>9}{'whole ms':>10}{'patches / whole':>17}", end="")
    print(f"{'GIF ms a frame':>16}{'kB a frame':>12}")
    for name, part in PARTS.items():
        if options.only not in name:
            continue
        movie = movie_of(make_scene(run_script(find_script(name)).trace), fps=0, **part)
        one, (patches, share) = whole(movie), patched(movie)
        count, seconds, size, kilobytes = gif(movie)
        print(f"{name:14}{size:>13}{count:8}{share:9.1%}{one * 1e3:10.0f}{patches / one:17.2f}", end="")
        print(f"{seconds / count * 1e3:16.0f}{kilobytes / count:12.1f}", flush=True)
