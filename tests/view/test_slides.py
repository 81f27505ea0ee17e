"""Slides: whatever a program does, each step is a slide that can be read."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ElementTree
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autograd_lab
from autograd_lab import record
from autograd_lab.display.script import find_script, read_as, run_script, run_source
from autograd_lab.events import BackwardStarted, RecordingStopped
from autograd_lab.trace import Trace
from autograd_lab.view.graph.around import bands_of
from autograd_lab.view.graph.keys import MOST, keys_of
from autograd_lab.view.kit.program_lines import line_at
from autograd_lab.view.kit.shapes.key_line import APART, entry_width, in_lines
from autograd_lab.view.scene import make_scene
from autograd_lab.view.still import Stills, stills_of
from autograd_lab.view.subject import NothingToDraw
from tests.story import recorded
from tests.traces import Instruction, programs, run
from tests.view.graph.cards import programs as known
from tests.view.graph.cards.test_card_laws import told
from tests.view.graph.cards.test_cards import EXAMPLES
from tests.view.pictured import drawn, looks_of, parts_of
from tests.view.ruler import outside, overlapping, texts_of

torch = pytest.importorskip("torch")

SVG = "{http://www.w3.org/2000/svg}"


def assert_readable(stills: Stills, steps: int = 4) -> None:
    """Some of the slides, and those of all moments, keep the laws."""
    last = stills.steps
    for step in sorted({0, last, *(last * part // steps for part in range(steps)), *stills.moments.values()}):
        is_a_slide(stills, step)
    cards_stand_apart(stills)


def is_a_slide(stills: Stills, step: int) -> None:
    svg = stills.svg(step)
    root = ElementTree.fromstring(svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert (width, height) == (1280, 720) or not stills.picture.choice.fits
    assert root.attrib["viewBox"] == f"0 0 {width:g} {height:g}"
    for name in ("title", "desc"):
        (only,) = root.findall(SVG + name)
        assert only.text and only.text.strip()
    texts = texts_of(svg)
    assert not outside(texts, width, height)
    assert not overlapping([text for text in texts if text.is_of_graph]), step
    assert not overlapping([text for text in texts if not text.is_of_graph]), step
    assert [text for text in texts if text.size < 12] == []
    assert len(root.findall(f"{SVG}g[@class='key']/{SVG}g")) <= MOST


def cards_stand_apart(stills: Stills) -> None:
    choice = stills.picture.choice
    faces = choice.faces
    placed = stills.picture.choice.placed
    areas = {name: (x, y, x + faces[name].width, y + faces[name].height + faces[name].hang)
             for name, (x, y) in placed.places.items()}  # fmt: skip
    areas |= {name: (x, y, x + width, y + height) for name, (x, y, width, height) in placed.bars.items()}
    for name, (left, top, right, bottom) in areas.items():
        assert left >= 0 and top >= 0 and right <= placed.width + 0.1 and bottom <= placed.height + 0.1, name
        for other, area in areas.items():
            apart = name == other or left >= area[2] or right <= area[0] or top >= area[3] or bottom <= area[1]
            assert apart, (name, other)


@settings(deadline=None, max_examples=40)
@given(programs, st.sampled_from(["engine", "maths"]))
def test_slides_of_random_programs_can_be_read(program: list[Instruction], view: str) -> None:
    if stills := drawn(run(program), view):
        assert_readable(stills)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("world", ["autograd_lab", "torch"])
@pytest.mark.parametrize("tens", range(3))
def test_slides_of_random_stories_can_be_read(tens: int, world: str) -> None:
    from tests.stories.random_programs import random_program

    for seed in range(10 * tens, 10 * tens + 10):
        trace = told(random_program(Random(seed)), torch if world == "torch" else autograd_lab)
        if stills := drawn(trace, ("engine", "maths")[seed % 2]):
            assert_readable(stills, 2)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("view", ["engine", "maths"])
@pytest.mark.parametrize("program", known.PROGRAMS, ids=lambda program: program.__name__)
def test_slides_of_known_programs_can_be_read(program: Any, view: str) -> None:
    if stills := drawn(recorded(program, torch), view):
        assert_readable(stills)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", EXAMPLES)
def test_slides_of_the_examples_can_be_read(name: str) -> None:
    stills = drawn(run_script(find_script(name)).trace)
    assert stills is not None
    assert stills.picture.choice.fits
    assert_readable(stills, 2)


@settings(deadline=None, max_examples=15)
@given(programs)
def test_the_same_trace_gives_the_same_bytes(program: list[Instruction]) -> None:
    trace = run(program)
    first, second = drawn(trace), drawn(trace)
    assert (first is None) == (second is None)
    if first is not None and second is not None:
        backwards = [second.svg(step) for step in reversed(range(second.steps + 1))]
        assert [first.svg(step) for step in range(first.steps + 1)] == backwards[::-1]


@settings(deadline=None, max_examples=15)
@given(programs)
def test_themes_differ_in_their_colours_alone(program: list[Instruction]) -> None:
    trace = run(program)
    try:
        stills_of(trace)
    except NothingToDraw:
        return
    without = [stills_of(trace, theme=theme).svg().split("</style>")[1] for theme in ("light", "dark", "grey")]
    assert without[0] == without[1] == without[2]


def test_text_of_the_users_program_is_never_markup() -> None:
    hostile = "</text><script>alert(1)</script>&\x00\ud800"
    with record(**{hostile: (x := autograd_lab.tensor(2.0, requires_grad=True))}) as trace:  # type: ignore[arg-type]  # any name will do
        y = x * 2
        with pytest.raises(RuntimeError):
            y.backward(autograd_lab.ones(3))
        len(trace)
    stills = stills_of(trace)
    for step in range(stills.steps + 1):
        svg = stills.svg(step)
        assert "<script" not in svg
        assert "script" not in {element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()}


def test_a_recording_that_breaks_off_has_a_torn_edge_there_and_says_so() -> None:
    whole = recorded(known.fan_in, torch)
    torn = stills_of(Trace([*whole.events[:30], RecordingStopped(reason="KeyError: 3", lost="the rest")], whole.files))
    for step in range(torn.steps):
        assert "torn-edge" not in torn.svg(step).split("</style>")[1]
    assert "torn-edge" in torn.svg().split("</style>")[1]
    assert "The recording breaks off here" in [text.text for text in texts_of(torn.svg())]
    assert_readable(torn)


def test_a_model_without_a_gradient_has_no_picture() -> None:
    with pytest.raises(NothingToDraw, match="no operation was recorded"):
        stills_of(recorded(known.inference, torch))


@pytest.mark.parametrize(
    ("line", "speaker"),
    [
        ("y.backward()", "What PyTorch says"),  # for the second time
        ("assert y > 3, 'too small'", "What the error says"),
        ("raise RuntimeError('a word of my own')", "What the error says"),
        ("assert_gradients_flow(model, y.detach())", "What the error says"),
    ],
)
def test_above_an_error_it_says_whose_words_they_are(line: str, speaker: str) -> None:
    program = f"""import autograd_lab as torch
from autograd_lab.testing import assert_gradients_flow
model = torch.nn.Linear(2, 1)
y = (model(torch.ones(1, 2)) * 0).exp().sum()
y.backward()
{line}
"""
    with read_as("/my/program.py", program):
        stills = stills_of(run_source(program, "/my/program.py", ["program.py"]).trace)
    said = {each.text for each in texts_of(stills.svg(stills.steps)) if each.text.startswith("What ")}
    assert said == {speaker}


@pytest.mark.parametrize("step", [-1, 10_000])
def test_a_step_that_there_is_not_is_refused(step: int) -> None:
    with pytest.raises(IndexError, match="its steps are 0 to"):
        stills_of(recorded(known.fan_in, torch)).svg(step)


@pytest.mark.parametrize("program", [known.fan_in, known.mlp, known.overwritten], ids=lambda it: it.__name__)
def test_the_running_line_is_always_among_those_shown(program: Any) -> None:
    trace = recorded(program, torch)
    stills = stills_of(trace)
    for step, event in enumerate(trace, 1):
        if event.where is not None:
            shown = [text.text for text in texts_of(stills.svg(step)) if "code-line" in text.path]
            assert str(event.where.line) in shown, step


@settings(deadline=None, max_examples=30)
@given(programs)
def test_bands_of_the_timeline_cover_all_steps(program: list[Instruction]) -> None:
    events = list(run(program))
    bands = bands_of(events)
    ends = [(band.start, band.end) for band in bands]
    assert all(start < end for start, end in ends)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(ends))
    if len(bands) <= 10 and any(band.kind == "forward" for band in bands):
        assert sum(end - start for start, end in ends) == len(events)


def test_backward_that_has_not_come_to_its_end_is_backward_all_the_same() -> None:
    events = list(recorded(known.rnn, torch))
    begun = next(step for step, event in enumerate(events, 1) if isinstance(event, BackwardStarted))
    assert [band.word for band in bands_of(events[: begun + 2])] == ["forward", "backward"]


@settings(deadline=None, max_examples=30)
@given(programs)
def test_places_never_change_and_the_state_alone_makes_the_looks(program: list[Instruction]) -> None:
    stills = drawn(run(program))
    if stills is None:
        return
    events = stills.trace.events
    picture = stills.picture
    once = [looks_of(picture, picture.after(events[:step])) for step in range(len(events) + 1)]
    for step in reversed(range(len(events) + 1)):
        assert looks_of(picture, picture.after(events[:step])) == once[step]
    assert {part.of for part in parts_of(picture, "card")} == set(picture.choice.cards.cards)


def test_the_legend_has_keys_only_of_what_is_shown() -> None:
    stills = stills_of(recorded(known.mlp, torch))
    for step in range(stills.steps + 1):
        svg = stills.svg(step)
        legend, graph = svg.split('<g class="key">', 1)[1].split('<g class="graph"')
        assert ("tile grads" in legend) == ("tile grads" in graph), step
        assert ("tile values" in legend) == ("tile values" in graph), step
        assert ("width = " in legend) == ("wire sent" in graph), step


def test_where_a_run_ends_with_grad_mode_on_again_headline_caption_and_lit_line_tell_what_was_done() -> None:
    trace = run_script(find_script("mlp")).trace
    stills, scene = stills_of(trace), make_scene(trace)
    end = stills.steps
    lesson = "Each weight has moved against its gradient, which is cleared"
    assert (stills.headline(end), stills.caption(end)) == (lesson, f"{lesson}. Grad mode is on again.")
    assert scene.caption(end) == stills.caption(end)
    assert "weight.grad = <" in stills.svg(end).split('class="code-line now"')[1]
    assert line_at(trace.events, end) == trace.events[-2].where


def test_several_numbers_are_told_by_their_norm_between_bars_on_lines_and_lanes() -> None:
    for name in ("mlp", "rnn"):
        stills = stills_of(run_script(find_script(name)).trace)
        told = {text.text for text in texts_of(stills.svg()) if {"capsule", "over-line", "lane"} & set(text.path)}
        several = {text for text in told if any(sign.isdigit() for sign in text) and not text.startswith("∂")}
        assert several and all("‖" in text for text in several)


@pytest.mark.parametrize(
    ("name", "moment", "words"),
    [
        ("inplace", "end", "version"),
        ("mlp", "backward", "runs now"),
        ("expression", "backward", "width = log |∂|"),
        ("mlp", "backward", "no gradient"),
    ],
)
def test_the_legend_explains_signs_that_no_word_explains(name: str, moment: str, words: str) -> None:
    stills = stills_of(run_script(find_script(name)).trace)
    legend = stills.svg(stills.moments[moment]).split('<g class="key">', 1)[1].split('<g class="graph"')[0]
    assert words.replace("log ", "") in legend.replace("log ", "")


def test_the_legend_explains_the_letter_of_a_shared_module() -> None:
    def program(torch: Any) -> None:
        layer, other = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        layer(other(layer(torch.ones(1, 2)).tanh()).tanh()).sum().backward()

    stills = stills_of(recorded(program, torch))
    assert "same module" in stills.svg()


def adversaries(torch: Any) -> None:
    models = [torch.nn.Sequential(torch.nn.Linear(2, 2)) for _ in range(2)]
    G, D = models
    steps = [torch.optim.SGD(each.parameters(), lr=0.1) for each in models]
    fake = G(torch.ones(1, 2))
    d_loss = D(fake.detach()).sum() - D(torch.ones(1, 2)).sum()
    d_loss.backward()
    g_loss = D(fake).sum()
    steps[1].zero_grad()
    g_loss.backward()
    steps[0].step()


def test_of_several_losses_the_slide_says_whose_gradient_stands_on_its_lines() -> None:
    stills = stills_of(recorded(adversaries, torch))
    ends = [step for step, event in enumerate(stills.trace, 1) if event.kind == "backward_finished"]
    for end, loss in zip(ends, ("d_loss", "g_loss"), strict=True):
        svg = stills.svg(end - 1)
        assert f"∂ = gradient of {loss}<" in svg and f">backward of {loss} · line" in svg
    assert [stills.headline(end) for end in ends] == [
        "d_loss runs back into D alone",
        "g_loss runs back through D into G",
    ]
    assert "∂ = gradient of d_loss or g_loss<" in stills.svg() and " by ‖Δ‖<" in stills.svg()
    assert "after SGD&#x27;s step · line" in stills.svg()


@pytest.mark.parametrize(
    ("name", "moment", "words"),
    [("inplace", "end", "outdated"), ("inplace", "end", "stopped here"), ("mlp", "backward", "to come")],
)
def test_signs_of_errors_and_of_what_is_to_come_are_explained_where_they_are_drawn(
    name: str, moment: str, words: str
) -> None:
    stills = stills_of(run_script(find_script(name)).trace)
    state = stills.picture.after(stills.trace.events[: stills.moments[moment]])
    keys = keys_of(stills.picture, looks(stills, state), most=99)
    assert words in {key.brief for key in keys}


def test_where_the_line_is_too_short_keys_say_less_and_then_the_last_ones_are_missing() -> None:
    stills = stills_of(run_script(find_script("mlp")).trace)
    shown = looks(stills, stills.picture.after(stills.trace.events))
    every = keys_of(stills.picture, shown)
    rooms = [sum(entry_width(key.entry) + APART for key in every) - gone for gone in (0.0, 60.0, 700.0)]
    roomy, brief, few = ([(key.sign, key.words) for key in keys_of(stills.picture, shown, room=it)] for it in rooms)
    assert [sign for sign, _ in few] == [sign for sign, _ in roomy][: len(few)]
    assert len(few) < len(roomy) and brief != roomy
    assert (
        len(in_lines([key.entry for key in keys_of(stills.picture, shown, room=rooms[0] / 2, lines=2)], rooms[0] / 2))
        == 2
    )


def looks(stills: Any, state: Any) -> list[tuple[Any, Any]]:
    return [(part, stills.picture.look(part, state)) for part in stills.picture.drawing.parts]


def test_two_lines_to_one_sign_have_each_its_number() -> None:
    def program(torch: Any) -> None:
        x = torch.ones(4, 6, requires_grad=True)
        out = (x @ x.T).softmax(1) @ (x + 1) + x
        (out * out).mean().backward()

    stills = stills_of(recorded(program, torch))
    numbers = [text for text in texts_of(stills.svg()) if "capsule" in text.path]
    assert overlapping(numbers, least=-9.0) == []
