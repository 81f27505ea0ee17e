"""All that one does with a trace from elsewhere: read it, draw it, play and compare it, search it for mistakes, save it
again, for other viewers, too.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from autograd_lab.events import CompilingEvent, to_json
from autograd_lab.findings.alive import holding
from autograd_lab.findings.diagnosis import aside, diagnose
from autograd_lab.trace import Trace, TraceError
from autograd_lab.trace.flow_table import flow_of
from autograd_lab.view.charts.flow_slide import flow_slide
from autograd_lab.view.compare.both import both_of
from autograd_lab.view.page import page_of_both, to_page
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import make_scene
from autograd_lab.view.subject import NothingToDraw
from autograd_lab.view.torchviz.gv import to_gv
from autograd_lab.view.viewers.model_explorer import to_graph, to_numbers
from autograd_lab.view.viewers.perfetto import to_perfetto

SAID = 300
"""The longest message of a trace that cannot be read, in characters, besides the name of its file."""


def use(path: Path, rng: random.Random) -> str:
    """What became of a trace: "refused", or "used". Raises whatever it should not."""
    try:
        trace = Trace.load(path)
    except TraceError as error:
        said = str(error)
        assert len(said) <= SAID and said.isprintable(), said[: 2 * SAID]
        return "refused"
    trace.save(path)
    assert list(map(to_json, Trace.load(path))) == list(map(to_json, trace))  # as JSON, where NaN is equal to itself
    diagnose(trace)
    holding(trace)
    flow_slide(flow_of(trace))
    for for_other_viewers in (to_perfetto, to_graph, to_numbers):
        for_other_viewers(trace)
    try:
        scene = make_scene(trace) if _is_compilation(trace) else make_scene(trace, **_options(rng))
        for step in {0, rng.randint(0, len(trace)), rng.randint(0, len(trace)), len(trace)}:
            scene.svg(step)
            scene.caption(step)
        to_gv(scene)
        if rng.random() < 0.25:
            film_of(scene)
        if rng.random() < 0.02:
            to_page(scene, findings=aside(trace))
            page_of_both(both_of(trace, trace, ("one", "other")))
    except NothingToDraw:
        return "nothing to draw"
    return "used"


def _is_compilation(trace: Trace) -> bool:
    return bool(len(trace)) and isinstance(trace[0], CompilingEvent)


def _options(rng: random.Random) -> dict[str, Any]:
    return {"view": rng.choice(("engine", "maths")), "fold": rng.random() < 0.8}
