"""What a browser needs for its inspector: rows on things, what they hold at each step, and why one has no gradient."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from autograd_lab.view.graph.facts.held_memory import bytes_saved
from autograd_lab.view.graph.facts.history import History, Op
from autograd_lab.view.graph.facts.in_place import OUTDATED, OVERWRITTEN
from autograd_lab.view.graph.words.about import Row, about
from autograd_lab.view.graph.words.why import STOPPED, Why, why
from autograd_lab.view.kit.font import clean
from autograd_lab.view.kit.numeral import amount, bytes_text
from autograd_lab.view.kit.part import Part
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.pages.contents import Content, Held, contents_of
from autograd_lab.view.pages.player_parts import Once, Shown
from autograd_lab.view.pages.value_sheet import sheet_of
from autograd_lab.view.recorded_scene import history_in
from autograd_lab.view.scene import Scene

Told = Mapping[str, Sequence[tuple[int, str]]]
"""By name what is said of a thing from a step on."""
MOST_NAMES = 8
"""So many ops and weights of a card are named."""

OF_THE_PROGRAM = ("line", "expression")
"""The words of rows that tell code."""

SPOILED = (OVERWRITTEN, OUTDATED)
"""The words for why what a slot saved cannot be used any more."""


def inspected(
    scene: Scene, shown: Sequence[Shown], captions: Sequence[str], workings: Mapping[str, list[Row]], told: Told
) -> dict[str, Any]:
    """All of it, JSON-able; the words are those of `widgets/src/film.ts`.

    `captions` has the sentence of each step, `workings` rows on what ops computed; of gradients it is `told` where they
    come from.
    """
    history = history_in(scene)
    asked = why(history, scene.trace.events)
    said = about(history, scene.trace.events, workings)
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
    said |= {each.name: found for each in shown if (found := folded(each.part, each.things, history))}
    rows, drawn = Once(), {name for each in shown for name in (each.name, *each.things)}
    things = {name: [rows.number(row) for row in said[name]] for name in said if name in drawn}
    return {
        "about": things,
        "reasons": {name: rows.number(row) for name, row in reasons.items() if name in drawn},
        "answers": _answers(told, drawn, rows),
        "rows": [_translated(row) for row in rows.items],
        "asks": [name for name in asked.asks if name in drawn],
        "healthy": _healthy(scene, [name for name in told if name in drawn and name not in asked.asks]),
        "legs": _legs(history, asked, said),
        **_contents(scene, shown),
    }


def _translated(row: Row) -> Row:
    """A row in the language that is spoken; a line of the program stays what it is."""
    word, text, *step = row
    return [translated(word, "row"), text if word in OF_THE_PROGRAM else translated(text), *step]


def _healthy(scene: Scene, names: Iterable[str]) -> list[str]:
    """Of things with an answer those with a gradient; first the one that the last headline tells of."""
    boxes, lesson = history_in(scene).boxes, scene.headline(scene.steps).text
    found = [name for name in names if boxes[name].has_grad]
    return sorted(found, key=lambda name: not lesson.startswith(f"{boxes[name].label}.grad "))


def _answers(told: Told, drawn: Collection[str], rows: Once) -> dict[str, list[int]]:
    """For each thing that has an answer, steps and numbers of rows, in turn: what is to be said of it from then on."""
    found: dict[str, list[int]] = {}
    for name, track in told.items():
        if name in drawn:
            found[name] = [it for step, text in track for it in (step, rows.number(["", clean(text), step]))]
    return found


def folded(part: Part, things: Sequence[str], history: History) -> list[Row]:
    """What is said of a card that hides several ops; nothing of any other part."""
    ops = [history.ops[name] for name in reversed(things) if name in history.ops]
    if part.kind != "card" or len(ops) < 2:
        return []
    boxes = [history.boxes[name] for name in things if name in history.boxes]
    params = [box for box in boxes if box.is_leaf and box.op is None]
    names = Counter(op.name for op in ops)
    called = ", ".join(f"{name} ×{count}" if count > 1 else name for name, count in names.most_common(MOST_NAMES))
    rows: list[Row] = [["card", f"{amount(len(ops))} ops, drawn as one"]]
    rows.append(["ops", called + ", …" * (len(names) > MOST_NAMES)])
    if params:
        told = ", ".join(f"{box.label} {list(box.facts.shape)}" for box in params[:MOST_NAMES])
        rows.append(["weights", told + ", …" * (len(params) > MOST_NAMES)])
    count = sum(len(op.slots) for op in ops)
    rows.append(["saves", f"{count} value{'s' * (count != 1)}, {bytes_text(bytes_saved(ops, history))}"])
    rows.append(["first", *_place(ops[0])])
    rows.append(["last", *_place(ops[-1])])
    return [[word, clean(text), *step] for word, text, *step in rows]


def _place(op: Op) -> tuple[str, int]:
    """Where an op ran, and at which step."""
    where = op.event.where
    return (op.name if where is None else f"{op.name}, line {where.number}: {where.text.strip()}"), op.born


def _legs(history: History, asked: Why, said: Mapping[str, list[Row]]) -> dict[str, list[str]]:
    """For each thing of which one may ask why: the line or slot and the op to go on to, and the tensor behind it or,
    at the end, nothing and the mark for that."""
    found = {
        box: [f"{op}.u{number}", op, *([after] if after is not None else ["", mark])]
        for box, ((op, number, after), mark) in asked.legs.items()
    }
    if asked.stopped is not None:
        stopped = history.ops[asked.stopped[0]]
        slots = (f"{stopped.id}.s{number}" for number in range(len(stopped.slots)))
        stale = next((slot for slot in slots if any(row[0] in SPOILED for row in said[slot])), None)
        writer = history.watch.stale.get(stopped.node or "")
        if stale is not None and writer is not None:
            found[stopped.id] = [stale, f"o{writer}", "", STOPPED]
    return found


def _contents(scene: Scene, shown: Sequence[Shown]) -> dict[str, Any]:
    """What parts hold: sheets, lists of titles with the numbers of sheets, and tracks of numbers of lists."""
    sheets, holdings = Once(), Once()

    def number(held: Held) -> int:
        return holdings.number(
            [[name_of(each), *([] if each.gone else [sheets.number(sheet_of(each))])] for each in held]
        )

    def name_of(content: Content) -> str:
        return translated(clean(content.name), "held")

    tracks = contents_of(scene, shown)
    contents = {name: [it for step, held in track for it in (step, number(held))] for name, track in tracks.items()}
    return {"contents": contents, "holdings": holdings.items, "sheets": sheets.items}
