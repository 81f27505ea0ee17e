"""What stands around the graph: the headline, the caption, and the lines of the program, with the running one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from autograd_lab.events import Event, Where
from autograd_lab.view.graph.facts.in_place import writes_elements
from autograd_lab.view.graph.facts.state import GraphState
from autograd_lab.view.graph.look import UNKNOWN
from autograd_lab.view.kit.font import clean, fit, text_width
from autograd_lab.view.kit.headline import Headline
from autograd_lab.view.kit.part import Look, Part
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.subject import Words

TITLE, CAPTION, CODE = 22.0, 17.0, 14.0
"""Font sizes, px."""
MARGIN, ROW = 24.0, 21.0
HEAD = 104.0
"""Height of what stands above the graph: the headline and two lines of caption, px."""
GAP = 20.0
"""Distance between the graph and what stands below it, px."""
ROWS = 16
"""Lines of the program that are shown at most."""

Line = tuple[str, int, str]
"""File, number and text; number 0 has the name of the file above its lines."""


Culprits = tuple[Where | None, Where | None, Where | None]
"""Where a stale slot was saved, where it was overwritten, and where what backward asks for was freed."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Headline, caption and program lines for a picture `width` px wide whose code begins `below` px from the top.

    `suspects` are the nodes with a slot that is stale at any step.
    """

    captions: Words
    headline: Callable[[Any], Headline]
    lines: tuple[Line, ...]
    steps: int
    width: float
    below: float
    suspects: tuple[str, ...] = ()
    _culprits: list[tuple[GraphState, Culprits]] = field(default_factory=list)

    @property
    def parts(self) -> list[Part]:
        rows = min(len(self.lines), ROWS)
        code = [
            Part(f"code{row}", "code", "code", MARGIN, self.below + ROW * row, self.code_width, ROW, row)
            for row in range(rows)
        ]
        inner = self.width - 2 * MARGIN
        title = Part("title", "title", "title", MARGIN, 12, inner, 34)
        return [title, Part("caption", "caption", "caption", MARGIN, 50, inner, 46), *code]

    @property
    def code_width(self) -> float:
        """Wide enough for the longest line and its note, at most three fifths of the picture."""
        longest = max((text_width(text, CODE, mono=True) for _, _, text in self.lines), default=0.0)
        return int(min(longest + 130, 0.6 * (self.width - 2 * MARGIN)))

    @property
    def height(self) -> float:
        return min(len(self.lines), ROWS) * ROW

    @or_else(UNKNOWN)
    def at(self, part: Part, state: GraphState) -> Look:
        """How a part of the frame looks in `state`."""
        if part.kind == "title":
            return self._title(part, state)
        if part.kind == "caption":
            lines = wrap(clean(self.captions.at(state)), part.width, CAPTION, 2)  # as wide as it will be drawn
            return Look((), tuple((f"line{number}", line) for number, line in enumerate(lines)))
        return self._code(part, state)

    def _title(self, part: Part, state: GraphState) -> Look:
        """The headline, as far as there is room beside the moment and the step."""
        headline, moment = self.headline(state), self.captions.moment(state)
        told = (self.captions.iteration(state.step), moment if moment.lower() != headline.text.lower() else "")
        count = " · ".join(filter(None, (*told, f"step {state.step} of {self.steps}")))
        room = part.width - text_width(count, CODE) - GAP
        return Look((), (("headline", headline.fitting(room, TITLE)), ("count", count)))

    def _code(self, part: Part, state: GraphState) -> Look:
        here = state.event.where if state.event is not None else None
        if not self._culprits or self._culprits[0][0] is not state:
            self._culprits[:] = [(state, culprits_at(state, self.suspects))]  # all lines of a picture ask for the same
        saved, wrote, freed = self._culprits[0][1]
        first = self._first_row(here)
        file, number, text = self.lines[first + part.index]
        place = (file, number)
        notes = []
        places = ((here, "now"), (saved, "saved here"), (wrote, "overwritten here"), (freed, "freed here"))
        for where, note in places:
            if where is not None and (where.file, where.line) == place:
                notes.append(note)
        room = part.width - 52 - (text_width(" · ".join(notes), 12, bold=True) + 12 if notes else 0)
        shown = fit(text, room, CODE, mono=True)
        classes = tuple(note.split()[0] for note in notes)
        return Look(classes, (("number", str(number or "")), ("code", shown), ("note", " · ".join(notes))))

    def _first_row(self, here: Where | None) -> int:
        """Scroll so that the running line is in the middle, as far as there are lines."""
        if len(self.lines) <= ROWS or here is None:
            return 0
        places = [(file, number) for file, number, _ in self.lines]
        row = places.index((here.file, here.line)) if (here.file, here.line) in places else 0
        return max(0, min(row - ROWS // 2, len(self.lines) - ROWS))


def lines_of(trace: Iterable[Event], files: dict[str, str]) -> tuple[Line, ...]:
    """The lines of the program to show: all of a short file, else those that brought something about."""
    texts: dict[tuple[str, int], str] = {}
    for event in trace:
        if event.where is not None:
            texts.setdefault((event.where.file, event.where.line), event.where.text)
    found: list[Line] = []
    names = dict.fromkeys(file for file, _ in texts)
    for file in names:
        if len(names) > 1:
            found.append((file, 0, f"{file}:"))
        source = files.get(file, "").splitlines()
        touched = sorted(line for name, line in texts if name == file)
        whole = range(touched[0], touched[-1] + 1)
        numbers = list(whole) if len(whole) <= ROWS and len(source) >= touched[-1] else touched
        for number in numbers:
            text = source[number - 1] if number <= len(source) else texts.get((file, number), "")
            found.append((file, number, text.expandtabs(4).rstrip()))
    return tuple(found)


@or_else((None, None, None))
def culprits_at(state: GraphState, suspects: Iterable[str] | None = None) -> Culprits:
    """The lines that saved and overwrote a stale slot, or that freed what an error asked for: where backward stopped,
    or else the first of the graph; of the nodes `suspects`, if it is known which can have a stale slot."""
    at_fault = None if state.error is None else state.error.node
    stopped = [] if at_fault is None else [state.nodes[at_fault]]
    asked = state.nodes.values() if suspects is None else (state.nodes[n] for n in suspects if n in state.nodes)
    for node in (*stopped, *asked):
        for slot in node.slots:
            if slot.tensor is not None and state.is_stale(slot):
                version = state.version(slot.tensor)
                return slot.where, version.where if writes_elements(version.op or "") else None, None
            if slot.freed is not None and node in stopped:
                return slot.where, None, slot.freed
    return None, None, None


def wrap(text: str, width: float, size: float, most: int) -> list[str]:
    """The text in at most `most` lines of `width` px, the last one shortened if need be."""
    lines: list[str] = []
    words = text.split()
    while words and len(lines) < most - 1:
        count = len(words)
        while count > 1 and text_width(" ".join(words[:count]), size) > width:
            count -= 1
        lines.append(fit(" ".join(words[:count]), width, size))
        words = words[count:]
    return [*lines, fit(" ".join(words), width, size)] if words else lines
