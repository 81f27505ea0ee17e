"""What a browser needs for its inspector: rows on things, what they hold at each step, and why one has no gradient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autograd_lab.view.graph.words.about import OUTDATED, Row, about
from autograd_lab.view.graph.words.why import STOPPED, Why, why
from autograd_lab.view.kit.font import clean
from autograd_lab.view.pages.contents import Held, contents_of
from autograd_lab.view.pages.player_parts import Once
from autograd_lab.view.pages.value_sheet import sheet_of
from autograd_lab.view.scene import Scene

SPOILED = ("overwritten", OUTDATED)
"""The words for why what a slot saved cannot be used any more."""


def inspected(scene: Scene, captions: Sequence[str], workings: Mapping[str, list[Row]]) -> dict[str, Any]:
    """All of it, JSON-able; the words are those of `widgets/src/film.ts`.

    `captions` has the sentence of each step, `workings` rows on what ops computed.
    """
    asked = why(scene.looks.history, scene.trace.events)
    said = about(scene.looks.history, scene.trace.events, workings)
    said |= scene.subject.rows(scene.trace.events)
    reasons: dict[str, Row] = {
        box: ["no .grad", clean(reason), *([] if step is None else [step])]
        for box, (reason, step) in asked.reasons.items()
    }
    if asked.stopped is not None:
        op, at = asked.stopped
        reasons[op] = ["stopped", captions[at], at]
    for name, row in reasons.items():
        said[name].insert(1, row)
    rows, drawn = Once(), {name for part in scene.parts for name in (part.id, part.of, f"{part.of}.u{part.index}")}
    things = {name: [rows.number(row) for row in said[name]] for name in said if name in drawn}
    return {
        "about": things,
        "reasons": {name: rows.number(row) for name, row in reasons.items() if name in drawn},
        "rows": rows.items,
        "asks": [name for name in asked.asks if name in drawn],
        "legs": _legs(scene, asked, said),
        **_contents(scene),
    }


def _legs(scene: Scene, asked: Why, said: Mapping[str, list[Row]]) -> dict[str, list[str]]:
    """For each thing of which one may ask why: the line or slot and the op to go on to, and the tensor behind it or,
    at the end, nothing and the mark for that."""
    found = {
        box: [f"{op}.u{number}", op, *([after] if after is not None else ["", mark])]
        for box, ((op, number, after), mark) in asked.legs.items()
    }
    if asked.stopped is not None:
        stopped, history = scene.looks.history.ops[asked.stopped[0]], scene.looks.history
        slots = (f"{stopped.id}.s{number}" for number in range(len(stopped.slots)))
        stale = next((slot for slot in slots if any(row[0] in SPOILED for row in said[slot])), None)
        writer = history.watch.stale.get(stopped.node or "")
        if stale is not None and writer is not None:
            found[stopped.id] = [stale, f"o{writer}", "", STOPPED]
    return found


def _contents(scene: Scene) -> dict[str, Any]:
    """What parts hold: sheets, lists of titles with the numbers of sheets, and tracks of numbers of lists."""
    sheets, holdings = Once(), Once()

    def number(held: Held) -> int:
        return holdings.number([[clean(each.name), sheets.number(sheet_of(each))] for each in held])

    tracks = contents_of(scene)
    contents = {name: [it for step, held in track for it in (step, number(held))] for name, track in tracks.items()}
    return {"contents": contents, "holdings": holdings.items, "sheets": sheets.items}
