"""A stage and a sheet in words, for whoever does not see the picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograd_lab.view.compiled.told import CHANGED, GONE, TAKES, Card, Sheet, Stage

BEFORE = {GONE: "left out, ", CHANGED: "done in another way, ", TAKES: "takes from forward "}


def stage_words(stage: Stage, cards: Mapping[str, Card]) -> Iterator[str]:
    """A line for each operation that is there: what it is, what it makes, of what, and its marks."""
    for card in cards.values():
        if card.id in stage.present:
            said = [stage.titles.get(card.id, card.title), card.detail]
            feeding = sorted(source for source, target in stage.links if target == card.id)
            said += [f"of {' and '.join(feeding)}"] * bool(feeding)
            said += [f"{BEFORE.get(mark.sort, '')}{mark.text}" for mark in stage.marks.get(card.id, ())]
            said += [stage.ends[card.id]] if card.id in stage.ends else []
            yield "; ".join(filter(None, said))


def sheet_words(sheet: Sheet) -> Iterator[str]:
    """The lines of the listing, then where each value lies."""
    yield from sheet.lines
    for bar in sheet.bars:
        where = f"buffer {bar.buffer + 1}, {sheet.buffers[bar.buffer]}"
        yield f"{bar.text}: lines {bar.first + 1} to {bar.last + 1}, in {where}"
