"""Before a number leaves its node, the line that it will take says why it is what it is."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from hypothesis import given, settings

from autograd_lab.events import GradientSent, NodeEvaluated
from autograd_lab.trace import Trace
from autograd_lab.view.motion.manner import value_at
from autograd_lab.view.motion.patterns import YIELDS
from autograd_lab.view.motion.score import Score
from autograd_lab.view.pages.page_text import packed_text, unpacked_text
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.recorded_scene import RecordedScene
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from tests.browser.test_light_in_chromium import example
from tests.traces import programs, run


def reasons(trace: Trace) -> tuple[dict[str, Any], dict[str, list[tuple[int, str]]]]:
    """The film, and for each line of its first graph what it says from which step on."""
    film = film_of(make_scene(trace))
    found = {}
    for name, kind, *_, track in film["graphs"][0]["parts"]:
        if kind == "reason":
            steps, looks = film["tracks"][track][::2], film["tracks"][track][1::2]
            found[name] = [(step, _text(film, look)) for step, look in zip(steps, looks, strict=True)]
    return film, found


def _text(film: dict[str, Any], look: int) -> str:
    inside = [film["elements"][number] for number in film["looks"][look][1]]
    return "".join(child for _, *children in inside for child in children if isinstance(child, str))


def test_each_line_says_the_product_that_it_will_bring_until_that_is_on_its_way() -> None:
    _, told = reasons(example("expression"))
    assert told == {
        "o0-o2?": [(0, ""), (10, "1 × d = 4"), (12, "")],
        "o1-o2?": [(0, ""), (10, "1 × c = 5"), (13, "")],
        "b1-o1?": [(0, ""), (15, "5 × 1 = 5"), (16, "")],
        "b0-o0?": [(0, ""), (18, "4 × 1 = 4"), (19, "")],
        "b1-o0?": [(0, ""), (18, "4 × 1 = 4"), (20, "")],
    }


def test_a_product_is_gone_before_its_number_is_there() -> None:
    trace = example("expression")
    scene = make_scene(trace)
    assert isinstance(scene, RecordedScene)
    number = next(part for part in scene.parts if part.id == "o0-o2#")
    manners = Score.of(scene.stills.picture, trace.events).manners(number, scene.tracks[number.id])
    [sent] = [it for (step, _), it in zip(scene.tracks[number.id][1:], manners, strict=True) if step == 12]
    [fades] = YIELDS.frames
    assert value_at(fades, 0.3) == 0
    assert value_at(sent.frames[0], 0.3, home=0.5) > 0.9, "it has hardly left"


def test_one_halts_where_a_node_has_worked_out_what_it_will_send() -> None:
    trace = example("expression")
    film, _ = reasons(trace)
    evaluated = {step for step, event in enumerate(trace, 1) if isinstance(event, NodeEvaluated)}
    assert evaluated <= set(accumulate(film["stops"][film["graphs"][0]["stops"][0]]))


@settings(max_examples=25, deadline=None)
@given(programs)
def test_a_reason_is_told_only_while_its_node_has_run_and_nothing_has_left(program: list[Any]) -> None:
    trace = run(program)
    try:
        _, told = reasons(trace)
    except NothingToDraw:
        return
    for name, track in told.items():
        for (step, text), (end, _) in zip(track[1::2], track[2::2], strict=True):
            assert text and isinstance(trace.events[step - 1], NodeEvaluated), name
            node, between = trace.events[step - 1].node, trace.events[step : end - 1]
            assert all(event.node == node for event in between if isinstance(event, GradientSent))


def test_what_a_page_brings_along_comes_back_byte_for_byte_and_is_no_markup() -> None:
    for content in (b"", b"a", bytes(range(256)) * 7, b"</script><!--" * 3):
        text = packed_text(content)
        assert unpacked_text(text) == content
        assert not set(text) & set("<>&\"'\\ \n")
