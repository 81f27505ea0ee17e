"""A movie: a trace as a file that any viewer plays, step after step: GIF, APNG, WebP, MP4 or WebM.

Each shot ends with what `draw` shows of that step, and begins with what moves on the way there, as a page shows it.
What a frame changes is painted and encoded before the next one is begun, so a long movie takes time, and no memory.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from rich.console import Console
from rich.progress import track

from autograd_lab.trace import Trace, whole_file
from autograd_lab.view.movie.pieces import pieces_of
from autograd_lab.view.movie.shots import Frame, Plan, Shot, frames_of, shots_of
from autograd_lab.view.movie.suffixes import PICTURES, SUFFIXES, VIDEOS, MovieUnavailable
from autograd_lab.view.png import EXPORT
from autograd_lab.view.scene import Scene, make_scene

if TYPE_CHECKING:
    from autograd_lab.view.movie.canvas import Patch

SPEED = 0.8
"""Steps a second: as long as one reads a short sentence, as in the player."""
PAUSE = 2.0
"""How much longer the moments that have a name are shown, and the last step, seconds."""
FPS, MOST_FPS = 12.0, 50.0
"""Frames a second while something moves; a GIF can show no more than fifty."""
SLOWEST, FASTEST = 0.02, 50.0
"""Steps a second; a GIF can show no more than fifty."""
SHARP, LARGE = 1.5, 1920
"""Pixels to a px, and pixels of the longer side, at most, where no side is asked for."""
SMALL = 0.975
"""Pixels to a px of a GIF, which takes twice the bytes at 1.5: the smallest text, of 12.5 px, keeps 12."""
LEAST, MOST = 200, 3840
"""Sides in pixels that can be asked for; the widest screens have as many."""
LONGEST, OFTENEST = 60.0, 65535
"""Seconds that a pause may take, and times that a file can be asked to be played."""
LONG = 2000
"""Of a longer trace one has to choose the part."""


class Reel(NamedTuple):
    """A movie for an encoder: its width and height in pixels, how long each frame is seen, in milliseconds, how often
    all is played (0: over and over), the style that has all of its colours, and for each frame what it changes; for the
    first that is everything."""

    size: tuple[int, int]
    lengths: list[int]
    loops: int
    style: str
    frames: Iterator[list[Patch]]


@dataclass(frozen=True)
class Movie:
    """Which steps are shown and for how long, how many pixels the longer side has if somebody asked for that, how often
    all is played (0: over and over), and with how many frames a second while something moves (0: as stills)."""

    scene: Scene
    shots: tuple[Shot, ...]
    side: int | None
    loops: int
    fps: float = FPS

    def scale(self, suffix: str = "") -> float:
        """Pixels to a px in a file of this kind."""
        long = max(pieces_of(self.scene).size)
        if self.side is not None:
            return self.side / long
        return min(SMALL if suffix == ".gif" else SHARP, LARGE / long)

    @property
    def seconds(self) -> float:
        """How long it lasts."""
        return sum(shot.seconds for shot in self.shots)

    def save(self, path: Path) -> tuple[int, int]:
        """Write it to a file, which appears whole or not at all, and give its width and height in pixels.

        On a terminal a bar shows how far it has come. Raises ValueError, OSError and MovieUnavailable.
        """
        suffix = path.suffix.lower()
        encode = writer_of(suffix)
        if self.loops and suffix in VIDEOS:
            raise ValueError(
                f"how often a {suffix} is played is for its player to say; loops go with {' '.join(PICTURES)}"
            )
        pieces = pieces_of(self.scene)
        canvas = importlib.import_module("autograd_lab.view.movie.canvas").Canvas(pieces, self.scale(suffix))
        size = canvas.width, canvas.height
        frames = list(frames_of(self.shots, self.fps, pieces))
        lengths = list(_lengths(frames, 10 if suffix in (".gif", ".apng") else 1))
        console, said = Console(stderr=True), f"{len(frames):,} frames"
        shown = track(frames, said, console=console, transient=True, disable=not sys.stderr.isatty())
        with whole_file(path) as file:
            painted = (canvas.patches(frame.step, frame.share, frame.said) for frame in shown)
            encode(Reel(size, lengths, self.loops, pieces.style, painted), file)
        return size


def movie_of(
    scene: Scene,
    *,
    start: int | str | None = None,
    stop: int | str | None = None,
    speed: float = SPEED,
    pause: float = PAUSE,
    side: int | None = None,
    loops: int = 0,
    fps: float = FPS,
    grain: str | None = None,
) -> Movie:
    """Plan a movie of a scene, from the step `start` to the step `stop`, which is the last one shown.

    Steps are numbers or moments: "forward", "backward" (the step that tells most), "end", "error"; by default only
    the empty step 0 is left out. It shows `speed` steps a second, the moments and the last step `pause` seconds
    longer. `side` is its longer side in pixels, by default 1.5 pixels to a px (0.975 in a GIF), at most 1920. `loops`
    is how often it is played, with 0 over and over. While something moves there are `fps` frames a second; with 0 there
    are stills. `grain` is how far it goes in one breath: "event", "node", "line", "module" or "pass"; by default the
    finest at which it takes no longer than a minute.

    Raises ValueError for what cannot be, and for all of more than 2000 steps at the grain "event".
    """
    first = min(1, scene.steps) if start is None else step_at(scene, start)
    last = scene.steps if stop is None else step_at(scene, stop)
    if first > last:
        raise ValueError(f"a movie from step {first} to step {last} would end before it begins")
    _within("speed", speed, SLOWEST, FASTEST, "steps a second")
    _within("pause", pause, 0, LONGEST, "seconds")
    _within("loops", loops, 0, OFTENEST, "times")
    _within("fps", fps, 0, MOST_FPS, "frames a second")
    _within("side", LARGE if side is None else side, LEAST, MOST, "pixels")
    pieces, named = pieces_of(scene), {*scene.moments.values(), last}
    if grain == "event" and start is None and stop is None and scene.steps > LONG:
        lasts = clock(scene.steps / speed + pause * len(named))
        raise ValueError(
            f"a movie of all {scene.steps:,} steps would last {lasts}; choose a coarser grain, or from which step "
            "to which it goes: start=, stop= or, on the command line, --from, --to"
        )
    shots = shots_of(pieces, scene.trace.events, Plan(range(first, last + 1), named, 1 / speed, pause), grain)
    return Movie(scene, shots, side, loops, fps)


def save_movie(
    trace: Trace,
    path: Path,
    *,
    start: int | str | None = None,
    stop: int | str | None = None,
    speed: float = SPEED,
    pause: float = PAUSE,
    side: int | None = None,
    loops: int = 0,
    fps: float = FPS,
    grain: str | None = None,
    **options: Any,
) -> None:
    """Write a trace as a movie, of the kind that the suffix of `path` says; the file appears whole or not at all.

    All but `options`, which are those of `make_scene`, are explained at `movie_of`. Raises what these two do, OSError,
    and MovieUnavailable, which names what to install.
    """
    writer_of(path.suffix.lower())
    movie = movie_of(
        make_scene(trace, **options),
        start=start, stop=stop, speed=speed, pause=pause, side=side, loops=loops, fps=fps, grain=grain,
    )  # fmt: skip
    movie.save(path)


def writer_of(suffix: str) -> Callable[[Reel, BinaryIO], None]:
    """What encodes such files. Raises MovieUnavailable, and ValueError for another suffix."""
    if suffix not in SUFFIXES:
        raise ValueError(f"a movie is a {', '.join(SUFFIXES)}, not a {suffix or 'file without a suffix'}")
    packages = {"PIL": "pillow", "av": "av"} if suffix in VIDEOS else {"PIL": "pillow"}
    for package in packages:
        try:
            importlib.import_module(package)
        except ImportError:
            raise MovieUnavailable(f"a {suffix} needs {packages[package]}: {EXPORT} (an .html does without)") from None
    if suffix in VIDEOS:
        return importlib.import_module("autograd_lab.view.movie.video").writer_for(suffix)
    return getattr(importlib.import_module("autograd_lab.view.movie.animation"), f"write_{suffix[1:]}")


def step_at(scene: Scene, word: int | str) -> int:
    """The step of a number or of a moment's name. Raises ValueError for one that the trace does not have."""
    if isinstance(word, str) and not word.isdecimal():
        if word not in scene.moments:
            raise ValueError(f"this run has no moment {word}; it has {', '.join(scene.moments)}")
        return scene.moments[word]
    step = int(word) if isinstance(word, str) else index(word)
    if not 0 <= step <= scene.steps:
        raise ValueError(f"step {step} is not in this run; its steps are 0 to {scene.steps}")
    return step


def clock(seconds: float) -> str:
    """A duration as one says it.

    >>> clock(38.5), clock(125), clock(8520)
    ('38.5 s', '2 min 5 s', '2 h 22 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds) // 60
    return f"{minutes} min {round(seconds) % 60} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _lengths(shots: Iterable[Frame], tick: int) -> Iterator[int]:
    """Milliseconds of each shot; they begin and end at multiples of `tick`, and never drift away."""
    now, told = 0.0, 0
    for shot in shots:
        now += shot.seconds
        yield round(1000 * now / tick) * tick - told
        told = round(1000 * now / tick) * tick


def _within(name: str, value: float, low: float, high: float, unit: str) -> None:
    if not low <= value <= high:
        raise ValueError(f"{name} should be from {low:g} to {high:g} {unit}, not {value:g}")
