"""A movie shows what `draw` shows, step by step: its files are read again and compared with pictures of those steps."""

from __future__ import annotations

import io
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
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
from autograd_lab.events import RecordingStopped
from autograd_lab.trace import WRITERS, Trace
from autograd_lab.view.kit.language import language_sheet
from autograd_lab.view.kit.palette import LIGHT
from autograd_lab.view.movie.animation import write_apng, write_gif
from autograd_lab.view.movie.canvas import Canvas, Patch, pictures
from autograd_lab.view.movie.cascade import needed
from autograd_lab.view.movie.colours import Matcher, palette
from autograd_lab.view.movie.extent import Area, reach
from autograd_lab.view.movie.movie import LONG, SPEED, Movie, Reel, clock, movie_of
from autograd_lab.view.movie.pieces import pieces_of
from autograd_lab.view.movie.shots import frames_of
from autograd_lab.view.movie.suffixes import SUFFIXES, VIDEOS, MovieUnavailable
from autograd_lab.view.movie.video import codec_for
from autograd_lab.view.png import to_png
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.subject import NothingToDraw
from autograd_lab.view.svg import to_svg
from tests.traces import Instruction, programs, run

ROOT = Path(__file__).parents[3]


@cache
def example(name: str, **options: Any) -> Scene:
    return make_scene(run_script(find_script(name)).trace, **options)


@cache
def compiled() -> Scene:
    found = torch.compile(lambda x: (x.exp() / 2 + x.exp()) * 1)
    found(torch.ones(4, 4, requires_grad=True))
    return make_scene(found.trace)


@cache
def training() -> Scene:
    """The last iteration of a training loop, beside lines that tell how its loss went."""
    with record(iterations="last") as trace:
        layer = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            loss = (layer(torch.ones(3, 2)) ** 2).mean()
            loss.backward()
            optimizer.step()
    return make_scene(trace)


def painter(scene: Scene, scale: float) -> Canvas:
    return Canvas(pieces_of(scene), scale)


def picture(scene: Scene, step: int, scale: float) -> Any:
    """What `draw` shows of a step."""
    return rendered(to_svg(scene, step, same_size=True), scale)


def painted(svg: str, scale: float) -> Any:
    return pixels(Image.open(io.BytesIO(to_png(svg, scale=scale))))


rendered = cache(painted)
"""For whoever asks for one picture again; each takes 20 MB."""


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
    movie = movie_of(scene, start="forward", stop=14, side=500, fps=0)
    frames = saved(movie, tmp_path, suffix)
    assert [shot.step for shot in movie.shots] == list(range(scene.moments["forward"], 15))
    assert [length for _, length in frames] == pytest.approx([1000 * shot.seconds for shot in movie.shots], abs=1)
    for (frame, _), shot in zip(frames, movie.shots, strict=True):
        wanted = picture(scene, shot.step, movie.scale())
        height, width = wanted.shape[:2]
        even = (height + height % 2, width + width % 2)
        assert frame.shape[:2] == (even if suffix in VIDEOS else (height, width))
        assert abs(frame[:height, :width] - wanted).mean() <= NEAR[suffix]
        assert (frame[height:] > 240).all() and (frame[:, width:] > 240).all()


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
    assert_painted(example(name), 0.7, [middle, middle + 1, example(name).steps, 3])


def test_a_training_loop_with_its_sparklines_is_painted_patch_by_patch() -> None:
    assert "spark" in to_svg(training()).split("</style>")[1]
    assert_painted(training(), 0.8, range(1, training().steps + 1))


def test_a_compilation_is_painted_patch_by_patch() -> None:
    assert_painted(compiled(), 0.6, range(0, compiled().steps + 1, 4))


def test_a_recording_that_breaks_off_is_painted_to_its_torn_edge() -> None:
    whole = example("expression").trace
    torn = make_scene(Trace([*whole.events[:9], RecordingStopped(reason="KeyError: 3", lost="the rest")], whole.files))
    assert_painted(torn, 1.5, range(7, 11))


def assert_painted(scene: Scene, scale: float, steps: Sequence[int]) -> None:
    canvas = painter(scene, scale)
    for step, painted in zip(steps, pictures(map(canvas.patches, steps), (canvas.width, canvas.height)), strict=True):
        assert np.array_equal(painted, picture(scene, step, scale)), step


@settings(max_examples=40)
@given(programs, st.integers(0, 60), st.integers(0, 60))
def test_there_is_a_shot_for_every_step_at_which_graph_headline_or_code_change(
    program: list[Instruction], start: int, stop: int
) -> None:
    scene = make_scene(run([("mul", 0, 1), *program]))
    stills = scene.stills
    assert stills is not None
    first, last = sorted((min(start, scene.steps), min(stop, scene.steps)))

    def shown(step: int) -> object:
        pieces = stills.pieces(step).items()
        told = {name: piece for name, piece in pieces if piece and name not in stills.clock}
        return stills.headline(step), told

    changes = [step for step in range(first, last + 1) if step == first or shown(step) != shown(step - 1)]
    movie = movie_of(scene, start=first, stop=last, speed=2, pause=0)
    assert [shot.step for shot in movie.shots] == changes
    assert movie.seconds == pytest.approx((last - first + 1) / 2)


def test_between_steps_it_moves_at_its_rate_and_then_rests() -> None:
    scene = example("expression")
    movie = movie_of(scene, start=11, stop=13, fps=20)
    frames = list(frames_of(movie.shots, movie.fps, pieces_of(scene)))
    assert sum(frame.seconds for frame in frames) == pytest.approx(movie.seconds)
    assert [frame.step for frame in frames if frame.share == 1] == [11, 12, 13]
    sent = [frame for frame in frames if frame.step == 12]
    assert len(sent) == round(20 * pieces_of(scene).pace(12) / 1000)
    assert [frame.seconds for frame in sent[:-1]] == pytest.approx([1 / 20] * (len(sent) - 1), rel=0.1)
    assert sent[-1].seconds > 0.4
    stills = frames_of(movie.shots, 0, pieces_of(scene))
    assert [(frame.step, frame.seconds) for frame in stills] == [shot[:2] for shot in movie.shots]


def test_a_movie_of_many_steps_takes_no_longer_than_a_minute_and_ends_where_the_run_does() -> None:
    movie, by_event = movie_of(example("mlp")), movie_of(example("mlp"), grain="event")
    assert movie.seconds <= 60 < by_event.seconds
    assert movie.shots[-1].step == by_event.shots[-1].step
    assert {shot.step for shot in movie.shots} < {shot.step for shot in by_event.shots}


def test_at_a_coarse_grain_a_shot_moves_through_all_its_steps_in_turn_and_rests_at_the_last() -> None:
    scene = example("expression")
    movie = movie_of(scene, grain="pass", fps=20, speed=1)
    frames = list(frames_of(movie.shots, movie.fps, pieces_of(scene)))
    assert sum(frame.seconds for frame in frames) == pytest.approx(movie.seconds)
    times = [(frame.step, frame.share) for frame in frames]
    assert times == sorted(times)
    moving = {step for step in range(2, scene.steps + 1) if pieces_of(scene).pace(step)}
    assert len(movie.shots) < 6 and moving <= {step for step, _ in times}
    assert [frame.step for frame in frames if frame.share == 1 and frame.seconds >= 1] == [s.step for s in movie.shots]


def test_a_grain_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="a grain is event, node, line, module or pass, not step"):
        movie_of(example("expression"), grain="step")


@pytest.mark.parametrize("name", ["expression", "inplace", "mlp"])
def test_what_moves_is_painted_patch_by_patch(name: str) -> None:
    scene = example(name)
    source, middle = pieces_of(scene), scene.moments["backward"]
    times = [(step, share) for step in range(middle + 1, min(middle + 5, scene.steps)) for share in (0.3, 0.62, 1.0)]
    times += [(3, 0.6), (scene.steps, 0.5)]
    canvas = Canvas(source, 0.7)
    width, height = source.size
    for (step, share), painted in zip(
        times, pictures((canvas.patches(*each) for each in times), (canvas.width, canvas.height)), strict=True
    ):
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" xml:space="preserve">'
            f'<style>{source.style}</style><rect width="100%" height="100%" fill="#ffffff"/>'
            f"{''.join(source.between(step, share).values())}</svg>"
        )
        apart = abs(painted.astype(int) - rendered(svg, 0.7))
        assert (apart > 2).mean() < 1e-4, (step, share)


def test_words_of_a_step_wait_until_what_rides_has_arrived() -> None:
    source = pieces_of(example("expression"))
    before, after = (source.pieces(step)["slide.title"] for step in (13, 14))
    assert "travels" in before and "has its gradient" in after
    assert source.between(14, 0.4)["slide.title"] == before
    assert source.between(14, 0.6)["slide.title"] == after


def test_a_clock_alone_is_no_shot() -> None:
    whole = example("expression").trace
    same = make_scene(Trace([*whole.events, whole.events[-1], whole.events[-1]], whole.files))
    shots = movie_of(same, start=26, speed=1, pause=0).shots
    assert [shot[:2] for shot in shots] == [(26, 3.0)]


def test_a_slide_is_made_of_its_pieces_and_nothing_else() -> None:
    stills = example("mlp").stills
    assert stills is not None
    width, height = stills.size
    for step in (5, 40, stills.steps):
        pieces = "".join(stills.pieces(step).values())
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" xml:space="preserve">'
            f'<style>{stills.style}</style><rect width="100%" height="100%" class="paper"/>{pieces}</svg>'
        )
        assert np.array_equal(rendered(svg, 1.0), picture(example("mlp"), step, 1.0))


def test_a_step_paints_only_what_it_changes() -> None:
    canvas = painter(example("mlp"), 0.5)
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
        ({"fps": 60}, "fps should be from 0 to 50 frames a second, not 60"),
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
        movie_of(scene, grain="event")
    shots = movie_of(scene, start=1, stop=260, pause=0, grain="event").shots
    assert len(shots) < 260 and sum(shot.seconds for shot in shots) == pytest.approx(260 / SPEED)


def test_size_is_what_is_asked_for_or_what_a_screen_shows() -> None:
    slides, high = example("expression"), compiled()
    asked, whole = (painter(slides, movie_of(slides, side=side).scale()) for side in (640, None))
    assert (asked.width, asked.height, whole.width, whole.height) == (640, 360, 1920, 1080)
    assert max(pieces_of(slides).size) * movie_of(slides).scale(".gif") == 1248
    assert max(pieces_of(high).size) > 1280
    shown = painter(high, movie_of(high).scale())
    assert max(shown.width, shown.height) == 1920


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
        pixels(Image.open(tmp_path / "movie.webp")), picture(scene, scene.moments["backward"], movie.scale())
    )


@pytest.mark.parametrize("scene", [example("mlp"), compiled()], ids=["slide", "compilation"])
def test_the_colours_of_the_style_are_exact_in_a_gif(scene: Scene) -> None:
    style = pieces_of(scene).style
    colours = np.array([[list(bytes.fromhex(name)) for name in re.findall(r"#([0-9a-f]{6})\b", style)]], np.uint8)
    assert np.array_equal(palette(style)[Matcher(palette(style))(colours)], colours)
    assert len(palette(style)) == 255


def test_blends_of_two_colours_of_a_slide_are_near_in_a_gif() -> None:
    plain = [name for key, name in LIGHT.items() if key[-1] not in "12345678"]
    colours = np.array([[list(bytes.fromhex(name[1:])) for name in plain]], np.uint8)
    blends = (colours.swapaxes(0, 1) * 0.4 + colours * 0.6).round().astype(np.uint8)
    known = palette(language_sheet())
    apart = abs(known[Matcher(known)(blends)].astype(int) - blends)
    assert apart.mean() < 6 and apart.max() < 48


@pytest.mark.parametrize("write", [write_gif, write_apng])
def test_a_frame_is_written_before_the_next_one_is_painted(write: Any) -> None:
    file, written = io.BytesIO(), []

    def shades() -> Any:
        for shade in range(5):
            written.append(file.tell())
            yield [Patch(0, 0, np.full((9, 9, 3), 50 * shade, np.uint8))]

    write(Reel((9, 9), [100] * 5, 0, language_sheet(), shades()), file)
    assert written == sorted(set(written))


@pytest.mark.parametrize(("name", "step"), [("expression", 16), ("inplace", 16), ("mlp", 51), ("rnn", 4500)])
def test_a_piece_reaches_as_far_as_it_has_ink(name: str, step: int) -> None:
    stills = example(name).stills
    assert stills is not None
    for label, piece in stills.pieces(step).items():
        assert_held(piece, reach(piece, stills.style), stills.style, label)


COURSES = (
    "M10 20C30 80 50 0 60 40h5v-30z", "m40 40h10v8h-10zm0 4h10m-5 -4v8", "M40 40q0 20 20 20h9q20 0 20 -20z",
    "M40 40m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0m3 3v5", "M20 90V30H1e2L120 50 60.5 70", "M40 40l-7 8l7 8 9 9Q90 0 99 60",
)  # fmt: skip


@pytest.mark.parametrize("course", COURSES)
def test_a_path_reaches_as_far_as_it_has_ink(course: str) -> None:
    for scale in (0.5, 1, 1.3):
        path = f'<path d="{course}" stroke="#000000" stroke-width="9" stroke-linejoin="round"/>'
        piece = f'<g transform="translate(12.5 20) scale({scale})">{path}</g>'
        assert_held(piece, reach(piece, ""), "", course)


def assert_held(piece: str, area: Area | None, style: str, label: str) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1280" height="720" xml:space="preserve">'
    ink = (
        painted(f'{svg}<style>{style}</style><rect width="100%" height="100%" fill="#fff"/>{piece}</svg>', 1.0) < 255
    ).any(-1)
    if area is None:
        assert not ink.any(), label
        return
    ink[
        max(0, math.floor(area.top)) : math.ceil(area.bottom), max(0, math.floor(area.left)) : math.ceil(area.right)
    ] = False
    assert not ink.any(), label


def test_reach_refuses_what_it_does_not_know() -> None:
    assert reach("", "") is None and reach('<g class="card"></g>', language_sheet()) is None
    for piece, sentence in (
        ("<image/>", "far does <image> reach"),
        ('<g transform="rotate(3)"/>', "does rotate.* move"),
    ):
        with pytest.raises(ValueError, match=sentence):
            reach(piece, language_sheet())


def test_rules_that_a_drawing_cannot_need_are_left_out() -> None:
    root, card, words = "svg { fill: red; }", ".card > .shape { fill: red; }", ".name, .value { font-size: 20px; }"
    style = root + card + words
    assert needed(style, '<g class="card"><text class="value">shape</text></g>') == style
    assert needed(style, '<text class="name">card</text>') == root + words
    assert needed(style, "<rect/>") == root


def test_text_of_a_program_does_no_harm(tmp_path: Path) -> None:
    hostile = "</text><script>]]>&\x00\ud800 猫 <!--"
    with record(**{hostile: (x := torch.tensor(2.0, requires_grad=True))}) as trace:
        (x * 2).backward()
    movie = movie_of(make_scene(trace), side=500, fps=0)
    for (frame, _), shot in zip(saved(movie, tmp_path, ".apng"), movie.shots, strict=True):
        assert np.array_equal(frame, picture(movie.scene, shot.step, movie.scale()))


def test_a_trace_is_saved_as_a_movie_by_its_suffix_with_options_of_both(tmp_path: Path) -> None:
    trace = example("expression").trace
    assert {".html", *SUFFIXES} <= set(WRITERS)
    for suffix in SUFFIXES:
        trace.save(tmp_path / f"movie{suffix}", start=3, stop=5, speed=10, pause=0, side=200, view="maths")
        assert len(shown(tmp_path / f"movie{suffix}")) == 3
    with pytest.raises(TypeError, match="sped"):
        trace.save(tmp_path / "other.gif", sped=1)
    with pytest.raises(ValueError, match="view should be one of"):
        trace.save(tmp_path / "other.gif", view="side")
    assert len(list(tmp_path.iterdir())) == len(SUFFIXES)


@pytest.mark.parametrize(("package", "suffix", "needs"), [("PIL", ".gif", "pillow"), ("av", ".mp4", "av")])
def test_without_its_package_a_movie_says_what_to_install(
    package: str, suffix: str, needs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MovieUnavailable, match=rf"needs {needs}: pip install 'autograd-lab\[export\]'"):
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
        write_video(Reel((121, 80), [500, 2500], 0, language_sheet(), frames), file, ".mp4", "mpeg4")
    (first, _), (second, length) = shown(tmp_path / "movie.mp4")
    assert length == 2500
    assert abs(first - 255).max() < 6 and abs(second[25:55, 25:55] - 127).max() < 6


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path) -> None:
    words = [
        sys.executable,
        "-m",
        "autograd_lab",
        "play",
        "transformer",
        "-o",
        "x.gif",
        "--from",
        "1",
        "--grain",
        "event",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs have it ignored
    running = subprocess.Popen(words, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    signal.signal(signal.SIGINT, before)
    while not list(tmp_path.iterdir()) and running.poll() is None:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    said = running.communicate()[1].decode()
    assert re.search(r"x\.gif will have 3,\d{3} steps, 1 h 12 min", said)
    assert running.returncode != 0
    assert list(tmp_path.iterdir()) == []


def test_a_duration_is_said_in_its_own_units() -> None:
    assert [clock(each) for each in (0.5, 59.9, 3599, 7260)] == ["0.5 s", "59.9 s", "59 min 59 s", "2 h 1 min"]
