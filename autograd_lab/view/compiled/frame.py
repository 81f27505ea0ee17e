"""What stands around the cards of a compilation: the headline, the caption, and the lines of the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograd_lab.events import Where
from autograd_lab.view.kit.font import clean, fit, text_width, wrap
from autograd_lab.view.kit.headline import Headline
from autograd_lab.view.kit.part import UNKNOWN, Look, Part
from autograd_lab.view.kit.program_lines import ROWS, Line
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.subject import Words

TITLE, CAPTION, CODE = 22.0, 17.0, 14.0
"""Font sizes, px."""
MARGIN, ROW = 24.0, 21.0
HEAD = 104.0
"""Height of what stands above the graph: the headline and two lines of caption, px."""
GAP = 20.0
"""Distance between the graph and what stands below it, px."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Headline, caption and program lines for a picture `width` px wide whose code begins `below` px from the top."""

    captions: Words
    headline: Callable[[Any], Headline]
    lines: tuple[Line, ...]
    steps: int
    width: float
    below: float

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
    def at(self, part: Part, state: Any) -> Look:
        """How a part of the frame looks in `state`."""
        if part.kind == "title":
            return self._title(part, state)
        if part.kind == "caption":
            lines = wrap(clean(self.captions.at(state)), part.width, CAPTION, 2)  # as wide as it will be drawn
            return Look((), tuple((f"line{number}", line) for number, line in enumerate(lines)))
        return self._code(part, state)

    def _title(self, part: Part, state: Any) -> Look:
        """The headline, as far as there is room beside the moment and the step."""
        headline, moment = self.headline(state), self.captions.moment(state)
        told = (self.captions.iteration(state.step), moment if moment.lower() != headline.text.lower() else "")
        count = " · ".join(filter(None, (*told, translated(f"step {state.step} of {self.steps}"))))
        room = part.width - text_width(count, CODE) - GAP
        return Look((), (("headline", headline.fitting(room, TITLE)), ("count", count)))

    def _code(self, part: Part, state: Any) -> Look:
        here = state.event.where if state.event is not None else None
        file, number, text = self.lines[self._first_row(here) + part.index]
        is_now = here is not None and (here.file, here.line) == (file, number)
        room = part.width - 52 - (text_width("now", 12, bold=True) + 12 if is_now else 0)
        shown = fit(text, room, CODE, mono=True)
        note = "now" if is_now else ""
        return Look(("now",) * is_now, (("number", str(number or "")), ("code", shown), ("note", note)))

    def _first_row(self, here: Where | None) -> int:
        """Scroll so that the running line is in the middle, as far as there are lines."""
        if len(self.lines) <= ROWS or here is None:
            return 0
        places = [(file, number) for file, number, _ in self.lines]
        row = places.index((here.file, here.line)) if (here.file, here.line) in places else 0
        return max(0, min(row - ROWS // 2, len(self.lines) - ROWS))
