"""A movie shows what `draw` shows, step by step: its files are read again and compared with pictures of those steps."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageSequence

import autograd_lab as torch
from autograd_lab import record
from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import WRITERS
from autograd_lab.view.kit.style import LIGHT
from autograd_lab.view.movie.animation import write_apng, write_gif
from autograd_lab.view.movie.canvas import Canvas, Patch, pictures
from autograd_lab.view.movie.colours import Matcher, palette
from autograd_lab.view.movie.extent import reach
from autograd_lab.view.movie.movie import LONG, Movie, Reel, clock, movie_of
from autograd_lab.view.movie.suffixes import SUFFIXES, VIDEOS, MovieUnavailable
from autograd_lab.view.movie.video import codec_for
from autograd_lab.view.png import to_png
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.subject import NothingToDraw
from autograd_lab.view.svg import scene_svg
from tests.traces import Instruction, programs, run

ROOT = Path(__file__).parents[3]


@cache
def example(name: str, **options: Any) -> Scene:
    return make_scene(run_script(find_script(name)).trace, **options)


def picture(scene: Scene, step: int, scale: float) -> Any:
    """What `draw` shows of a step."""
    return rendered(scene_svg(scene, step, same_size=True), scale)


@cache
def rendered(svg: str, scale: float) -> Any:
    return pixels(Image.open(io.BytesIO(to_png(svg, scale=scale))))


def pixels(image: Image.Image) -> Any:
    return np.asarray(image.convert("RGB")).astype(int)


def shown(path: Path) -> list[tuple[Any, float]]:
    """The frames of a file, each with the milliseconds for which it is seen."""
    if path.suffix in VIDEOS:
        with av.open(path) as container:
            lengths = [float((packet.duration or 0) * packet.time_base * 1000) for packet in container.demux(video=0)]
        with av.open(path) as container:
            frames = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]
        return list(zip(frames, lengths, strict=False))
    with Image.open(path) as image:
        return [(pixels(frame), frame.info["duration"]) for frame in ImageSequence.Iterator(image)]


def saved(movie: Movie, folder: Path, suffix: str) -> list[tuple[Any, float]]:
    path = folder / f"movie{suffix}"
    movie.save(path)
    return shown(path)


NEAR = {".apng": 0, ".webp": 0, ".gif": 1.5, ".mp4": 3, ".webm": 3}
"""How far a frame may be from the picture, on the average; a video keeps one colour for two by two pixels."""


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_frame_is_the_picture_of_its_step_for_as_long_as_planned(suffix: str, tmp_path: Path) -> None:
    scene = example("expression")
    movie = movie_of(scene, start="forward", stop=14, side=500)
    frames = saved(movie, tmp_path, suffix)
    assert [shot.step for shot in movie.shots] == list(range(scene.moments["forward"], 15))
    assert [length for _, length in frames] == pytest.approx([1000 * shot.seconds for shot in movie.shots], abs=1)
    for (frame, _), shot in zip(frames, movie.shots, strict=True):
        wanted = picture(scene, shot.step, movie.scale)
        height, width = wanted.shape[:2]
        even = (height + height % 2, width + width % 2)
        assert frame.shape[:2] == (even if suffix in VIDEOS else (height, width))
        assert abs(frame[:height, :width] - wanted).mean() <= NEAR[suffix]
        assert (frame[height:] > 250).all() and (frame[:, width:] > 250).all()


@settings(max_examples=8)
@given(programs, st.sampled_from(["engine", "maths"]), st.floats(0.3, 1), st.data())
def test_what_is_painted_patch_by_patch_is_the_whole_picture(
    program: list[Instruction], view: Any, scale: float, data: st.DataObject
) -> None:
    try:
        scene = make_scene(run(program), view)
    except NothingToDraw:
        return
    some = st.lists(st.integers(0, scene.steps), min_size=1, max_size=4, unique=True)
    assert_painted(scene, scale, sorted(data.draw(some)))


@pytest.mark.parametrize("name", ["inplace", "mlp", "rnn", "transformer"])
def test_an_example_is_painted_patch_by_patch_and_back_again(name: str) -> None:
    middle = example(name).moments["backward"]
    assert_painted(example(name), 0.5, [middle, middle + 1, example(name).steps, 3])


def assert_painted(scene: Scene, scale: float, steps: list[int]) -> None:
    canvas = Canvas(scene, scale)
    for step, painted in zip(steps, pictures(map(canvas.patches, steps), (canvas.width, canvas.height)), strict=True):
        assert np.array_equal(painted, picture(scene, step, scale))


@settings(max_examples=40)
@given(programs, st.integers(0, 60), st.integers(0, 60))
def test_there_is_a_shot_for_every_step_at_which_any_look_changes(
    program: list[Instruction], start: int, stop: int
) -> None:
    scene = make_scene(run([("mul", 0, 1), *program]))
    first, last = sorted((min(start, scene.steps), min(stop, scene.steps)))
    looks = [[scene.look(part, scene.state(step)) for part in scene.parts] for step in range(first, last + 1)]
    changes = [first + number for number in range(len(looks)) if number == 0 or looks[number] != looks[number - 1]]
    movie = movie_of(scene, start=first, stop=last, speed=2, pause=0)
    assert [shot.step for shot in movie.shots] == changes
    assert movie.seconds == pytest.approx((last - first + 1) / 2)


def test_a_step_paints_only_what_it_changes() -> None:
    canvas = Canvas(example("mlp"), 0.5)
    canvas.patches(30)
    counts = [sum(patch.pixels[..., 0].size for patch in canvas.patches(step)) for step in range(31, 51)]
    assert 0 < np.mean(counts) < 0.25 * canvas.width * canvas.height


def test_moments_and_the_end_are_shown_longer() -> None:
    scene = example("expression")
    seconds = {shot.step: shot.seconds for shot in movie_of(scene, speed=4, pause=3).shots}
    named = set(scene.moments.values())
    assert {step for step, length in seconds.items() if length > 3} == named
    assert {length for step, length in seconds.items() if step not in named} == {0.25}
    assert movie_of(scene, stop=4, speed=4, pause=3).shots[-1].seconds == 3.25


def test_frames_do_not_drift_from_the_clock(tmp_path: Path) -> None:
    movie = movie_of(example("expression"), speed=7, pause=0, side=200)
    for suffix in (".gif", ".apng", ".webp"):
        told = np.cumsum([length for _, length in saved(movie, tmp_path, suffix)])
        assert told == pytest.approx(np.arange(1, len(movie.shots) + 1) * 1000 / 7, abs=5)


def test_a_part_is_chosen_by_numbers_or_moments() -> None:
    scene = example("expression")
    steps = [shot.step for shot in movie_of(scene, start="forward", stop="backward").shots]
    assert steps == list(range(scene.moments["forward"], scene.moments["backward"] + 1))
    assert movie_of(scene, start="3", stop=3).shots[0].step == 3
    assert movie_of(scene, start=0).shots[0].step == 0


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"start": 5, "stop": 4}, "a movie from step 5 to step 4 would end before it begins"),
        ({"start": 99}, "step 99 is not in this run; its steps are 0 to 26"),
        ({"stop": "error"}, "this run has no moment error; it has end, forward, backward"),
        ({"speed": 0}, "speed should be from 0.02 to 50 steps a second, not 0"),
        ({"speed": float("nan")}, "speed should be"),
        ({"pause": -1}, "pause should be from 0 to 60 seconds, not -1"),
        ({"side": 10_000}, "side should be from 200 to 3840 pixels, not 10000"),
        ({"loops": -1}, "loops should be from 0 to 65535 times, not -1"),
    ],
)
def test_a_wish_that_cannot_be_granted_is_one_clear_sentence(wishes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        movie_of(example("expression"), **wishes)


def test_of_a_long_trace_a_part_has_to_be_chosen() -> None:
    scene = example("transformer")
    assert scene.steps > LONG
    with pytest.raises(ValueError, match=r"a movie of all 3,470 steps would last 1 h 12 min; choose .* --from, --to"):
        movie_of(scene)
    assert len(movie_of(scene, start=1).shots) == scene.steps


def test_size_is_what_is_asked_for_or_what_a_screen_shows() -> None:
    wide, high = example("expression"), example("mlp")
    assert Canvas(wide, movie_of(wide, side=640).scale).width == 640
    assert movie_of(wide).scale == 1.5
    assert Canvas(high, movie_of(high).scale).height == 1920


@pytest.mark.parametrize("loops", [0, 1, 3])
def test_it_is_played_as_often_as_asked_for(loops: int, tmp_path: Path) -> None:
    movie = movie_of(example("expression"), stop=2, side=200, loops=loops)
    for suffix in (".gif", ".apng", ".webp"):
        saved(movie, tmp_path, suffix)
        with Image.open(tmp_path / f"movie{suffix}") as image:
            told = image.info.get("loop", 0)
        assert told == (loops - 1 if suffix == ".gif" and loops else loops)  # a GIF says how often again
    if loops:
        with pytest.raises(ValueError, match=r"how often a \.mp4 is played is for its player to say"):
            movie.save(tmp_path / "movie.mp4")


def test_one_step_alone_is_a_movie_too(tmp_path: Path) -> None:
    scene = example("expression")
    movie = movie_of(scene, start="backward", stop="backward", side=500)
    for suffix in SUFFIXES:
        movie.save(tmp_path / f"movie{suffix}")
        with Image.open(tmp_path / f"movie{suffix}") if suffix not in VIDEOS else av.open(tmp_path / f"movie{suffix}"):
            pass
    assert np.array_equal(
        pixels(Image.open(tmp_path / "movie.webp")), picture(scene, scene.moments["backward"], movie.scale)
    )


def test_the_colours_of_the_style_are_exact_in_a_gif_and_blends_are_near() -> None:
    colours = np.array([[list(bytes.fromhex(name[1:])) for name in LIGHT.values()]], np.uint8)
    match = Matcher()
    assert np.array_equal(palette()[match(colours)], colours)
    assert len(palette()) == 255
    blends = (colours.swapaxes(0, 1) * 0.4 + colours * 0.6).round().astype(np.uint8)
    apart = abs(palette()[match(blends)].astype(int) - blends)
    assert apart.mean() < 6 and apart.max() < 48


@pytest.mark.parametrize("write", [write_gif, write_apng])
def test_a_frame_is_written_before_the_next_one_is_painted(write: Any) -> None:
    file, written = io.BytesIO(), []

    def painted() -> Any:
        for shade in range(5):
            written.append(file.tell())
            yield [Patch(0, 0, np.full((9, 9, 3), 50 * shade, np.uint8))]

    write(Reel((9, 9), [100] * 5, 0, painted()), file)
    assert written == sorted(set(written))


def test_reach_holds_all_ink_and_refuses_what_it_does_not_know() -> None:
    body = '<path d="M10 20C 30 80 50 0 60 40h5v-30z"/><text x="90" y="30" class="name">∂y</text>'
    left, top, right, bottom = reach(body)  # type: ignore[misc]  # there is ink
    assert left < 10 and top < 10 and right > 90 and bottom > 80
    assert reach("") is None
    with pytest.raises(ValueError, match="how far does <image> reach"):
        reach("<image/>")


def test_text_of_a_program_does_no_harm(tmp_path: Path) -> None:
    hostile = "</text><script>]]>&\x00\ud800 猫 <!--"
    with record(**{hostile: (x := torch.tensor(2.0, requires_grad=True))}) as trace:
        (x * 2).backward()
    movie = movie_of(make_scene(trace), side=500)
    for (frame, _), shot in zip(saved(movie, tmp_path, ".apng"), movie.shots, strict=True):
        assert np.array_equal(frame, picture(movie.scene, shot.step, movie.scale))


def test_a_trace_is_saved_as_a_movie_by_its_suffix_with_options_of_both(tmp_path: Path) -> None:
    trace = example("expression").trace
    assert {".html", *SUFFIXES} == set(WRITERS)
    for suffix in SUFFIXES:
        trace.save(tmp_path / f"movie{suffix}", start=3, stop=5, speed=10, pause=0, side=200, view="maths")
        assert len(shown(tmp_path / f"movie{suffix}")) == 3
    with pytest.raises(TypeError, match="sped"):
        trace.save(tmp_path / "other.gif", sped=1)
    with pytest.raises(ValueError, match="view should be one of"):
        trace.save(tmp_path / "other.gif", view="side")
    assert len(list(tmp_path.iterdir())) == len(SUFFIXES)


@pytest.mark.parametrize(("package", "suffix", "advice"), [("PIL", ".gif", "pillow"), ("av", ".mp4", "pillow av")])
def test_without_its_package_a_movie_says_what_to_install(
    package: str, suffix: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MovieUnavailable, match=f"pip install {advice}"):
        example("expression").trace.save(tmp_path / f"movie{suffix}")
    assert list(tmp_path.iterdir()) == []


def test_h264_is_preferred_and_a_missing_codec_is_named() -> None:
    assert codec_for(".mp4", {"mpeg4", "libx264"}) == "libx264"
    with pytest.raises(MovieUnavailable, match=r"a \.webm needs a PyAV with libvpx-vp9"):
        codec_for(".webm", {"mpeg4"})


def test_mpeg4_serves_where_there_is_no_h264(tmp_path: Path) -> None:
    from autograd_lab.view.movie.video import write_video

    white = np.full((80, 121, 3), 255, np.uint8)
    with open(tmp_path / "movie.mp4", "wb") as file:
        frames = iter([[Patch(0, 0, white)], [Patch(20, 20, white[:40, :40] // 2)]])
        write_video(Reel((121, 80), [500, 2500], 0, frames), file, ".mp4", "mpeg4")
    (first, _), (second, length) = shown(tmp_path / "movie.mp4")
    assert length == 2500
    assert abs(first - 255).max() < 6 and abs(second[25:55, 25:55] - 127).max() < 6


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "autograd_lab", "play", "transformer", "-o", "x.gif", "--from", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs have it ignored
    running = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    signal.signal(signal.SIGINT, before)
    while not list(tmp_path.iterdir()) and running.poll() is None:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    said = running.communicate()[1].decode()
    assert "x.gif will have 3,470 frames, 1 h 12 min" in said
    assert running.returncode != 0
    assert list(tmp_path.iterdir()) == []


def test_a_duration_is_said_in_its_own_units() -> None:
    assert [clock(each) for each in (0.5, 59.9, 3599, 7260)] == ["0.5 s", "59.9 s", "59 min 59 s", "2 h 1 min"]
