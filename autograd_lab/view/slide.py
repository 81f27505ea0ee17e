"""A slide: the headline above, the graph in the middle, below it code, the timeline and a legend of one line or two.

It knows nothing of autograd: it is told what to write where.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from autograd_lab.view.kit.font import ELLIPSIS, clean, fit, text_width
from autograd_lab.view.kit.headline import ALARM, MINUS, NAME, PLAIN, PLUS, SAVED, Headline, Run
from autograd_lab.view.kit.shapes import axis
from autograd_lab.view.kit.shapes.axis import Band, Tick
from autograd_lab.view.kit.shapes.capsule import chip_width, quiet_chip
from autograd_lab.view.kit.shapes.key_line import Entry, in_lines, legend
from autograd_lab.view.kit.shapes.panel import PAD, ROW, CodeLine, code, code_height, code_rows, headline, runs
from autograd_lab.view.kit.shapes.spark import Spark, spark
from autograd_lab.view.kit.shapes.stroke import say
from autograd_lab.view.kit.shorter import fit_words

WIDTH, HEIGHT = 1280.0, 720.0
MARGIN = 48.0
HEAD = 112.0
"""Above the graph, px."""
TALL, LOW = 248.0, 116.0
"""Below the graph with lines of code and the timeline, and with the running line alone; px."""
LEGEND = 62.0
"""Below the panels, px."""
KEY_LINES = 2
ABOVE_END = {0: (), 1: (24.0,), 2: (42.0, 18.0)}
"""How far above the lower end of the slide each line of the legend is, of so many; px."""
PANEL, BETWEEN = 560.0, 32.0
"""Width of the panel of code, and to what stands beside it; px."""
LINES = int((TALL - LEGEND - 2 * PAD) // ROW)
"""Lines of code that there is room for."""
APART = "   "
"""Between runs in a row."""
WIDEST_PANEL = 720.0
"""Width of the panel where lines of code are long, px."""
SIZES = (32.0, 28.0, 25.0, 22.0)
SUB = 18.0
"""Size of the text below a headline, px."""
ROLES = {PLAIN: "", NAME: "strong", PLUS: "plus", MINUS: "minus", SAVED: "saved", ALARM: "alarm"}
COLUMNS = 2
"""Sparklines beside each other."""
NARROW = 160.0
"""The least width of a sparkline beside the running line, px."""
CLEAR = 4.0
"""Between the graph and sparklines beside the running line, px."""
MESSAGE, MESSAGE_LINE = 13.0, 19.0


@dataclass(frozen=True, slots=True)
class Slide:
    """What is written around the graph at a step."""

    title: Headline
    count: str
    step: int
    steps: int
    lines: Sequence[CodeLine] = ()
    bands: Sequence[Band] = ()
    ticks: Sequence[Tick] = ()
    aside: tuple[str, str] = ("", "")
    keys: Sequence[Entry] = ()
    sparks: Sequence[Spark] = ()
    message: Sequence[tuple[str, str]] = field(default_factory=tuple)
    """Whose words an error has, and its lines, each with the class it is set in."""
    width: float = WIDTH
    height: float = HEIGHT
    columns: int = 1
    """Panels of code beside each other."""
    panel: float = PANEL
    """Width of each, px."""

    def pieces(self, *, tall: bool) -> dict[str, str]:
        """All of it but the graph, by name, in the order in which it is painted."""
        drawn = {**self._head(), "legend": "".join(self._legend())}
        if not tall:
            return drawn | self._line() | {"sparks": self._few_sparks()}
        drawn |= {f"code.{number}": row for number, row in enumerate(self._code())}
        if self.message:
            return drawn | {"message": self._message()}
        return drawn | ({"sparks": self._sparks()} if self.sparks else self._timeline())

    def _head(self) -> dict[str, str]:
        right = self.width - MARGIN
        text, size = self._title(right - MARGIN - text_width(self.count, 15) - 24)
        title = headline(MARGIN, 58, text)
        if size != SIZES[0]:
            title = title.replace("<text", f'<text style="font-size:{size:g}px"', 1)
        return {"title": title, "count": headline(MARGIN, 58, "", (), (right, self.count)), "below": self._below()}

    def _title(self, room: float) -> tuple[str, float]:
        """The headline as large as it fits, the shorter one before a small one."""
        for size in SIZES:
            for text in filter(None, (self.title.text, self.title.short if size < SIZES[0] else "")):
                if text_width(clean(text), size, bold=True) <= room:
                    return text, size
        return self.title.fitting(room, SIZES[-1]), SIZES[-1]

    def _below(self) -> str:
        parts: list[tuple[str, str]] = []
        room = self.width - 2 * MARGIN
        for run in self.title.sub:
            shown = self._run(run, room, is_first=not parts)
            room -= text_width(shown, SUB, bold=run.role != PLAIN)
            parts.append((shown, ROLES[run.role]))
            if shown != run.text or room < 24:
                break
        return runs(MARGIN, 90, parts, "sub") if parts else ""

    def _run(self, run: Run, room: float, *, is_first: bool) -> str:
        """A run in the room that is left; of those in a row that is too long, the last is left out whole."""
        text, is_bold = run.text.rstrip(), run.role != PLAIN
        if text_width(text, SUB, bold=is_bold) <= room:
            return run.text
        in_row = not is_first and run.text.endswith(APART)
        return ELLIPSIS if in_row else fit_words(text, room, SUB, bold=is_bold)

    def _legend(self) -> Iterator[str]:
        """The keys, in as many lines as there is room for."""
        lines = in_lines(self.keys, self.width - 2 * MARGIN)[:KEY_LINES]
        for line, above in zip(lines, ABOVE_END[len(lines)], strict=False):
            yield legend(MARGIN, self.height - above, line)

    def _code(self) -> Iterator[str]:
        texts = [fit_words(line.text, self.panel - 60 - _note(line), 15, mono=True) for line in self.lines]
        shown = [replace(line, text=text) for line, text in zip(self.lines, texts, strict=True)]
        high = self._rows
        for number, start in enumerate(range(0, len(shown), high)):
            yield from code_rows(
                MARGIN + (self.panel + BETWEEN) * number, self._top, self.panel, shown[start : start + high]
            )

    @property
    def _rows(self) -> int:
        """Lines of code in a column."""
        return max(3, -(-len(self.lines) // self.columns))

    @property
    def _top(self) -> float:
        return self.height - LEGEND - code_height(self._rows)

    @property
    def _left(self) -> float:
        return MARGIN + (self.panel + BETWEEN) * self.columns

    def _line(self) -> dict[str, str]:
        """The running line alone, and the chip of what is done aside."""
        drawn, top = "", self.height - LEGEND - code_height(1) + 4
        marked = sorted((line for line in self.lines if line.mark), key=lambda line: line.mark != "now")
        now = marked[0] if marked else None
        if now is not None:
            most = PANEL if self.sparks else self.width * 0.55
            width = min(most, text_width(now.text, 15, mono=True) + _note(now) + 84)
            text = fit_words(now.text, width - 60 - _note(now), 15, mono=True)
            drawn = code(MARGIN, top, width, [CodeLine(now.number, text, now.mark, now.note)])
        return {"code": drawn, "aside": self._aside(self.width - MARGIN - chip_width(*self.aside), top + 8)}

    def _aside(self, x: float, y: float) -> str:
        return quiet_chip(x, y, *self.aside) if self.aside[0] else ""

    def _timeline(self) -> dict[str, str]:
        """Phases, and where in them the step is; what stands still is apart from what moves."""
        left, top = self._left, self._top + 8
        width = self.width - MARGIN - left
        per = width / max(1, self.steps)
        y, now = top + 44, per * self.step
        bands = [
            axis.band(left + per * b.start, top, max(2.0, per * (b.end - b.start) - 3), b.word, b.kind)
            for b in self.bands
        ]
        ticks = [
            axis.tick(x, y, kind) for x, kind in axis.apart((left + per * tick.step, tick.kind) for tick in self.ticks)
        ]
        marks = [(left + per * tick.step, tick.name) for tick in self.ticks if tick.name]
        return {
            "bands": "".join(bands),
            "rail": axis.rail(left, y, width),
            "past": axis.past(left, y, now),
            "ticks": "".join(ticks),
            "names": axis.names(marks, y + 28),
            "playhead": axis.playhead(left + now, y),
            "aside": self._aside(left, self.height - LEGEND - 30),
        }

    def _sparks(self) -> str:
        """How numbers went over the iterations: two beside each other, two rows at most."""
        top, bottom = min(self._top, self.height - TALL + 24), self.height - LEGEND
        rows = 1 if len(self.sparks) <= COLUMNS else 2
        high = (bottom - top - 12 * (rows - 1)) / rows
        across = (self.width - MARGIN - self._left - 24 * (COLUMNS - 1)) / COLUMNS
        return "".join(
            spark(self._left + (across + 24) * (n % COLUMNS), top + (high + 12) * (n // COLUMNS), across, high, each)
            for n, each in enumerate(self.sparks[: rows * COLUMNS])
        )

    def _few_sparks(self) -> str:
        """As many sparklines as have room between the running line and the chip."""
        right = self.width - MARGIN - (chip_width(*self.aside) + BETWEEN if self.aside[0] else 0)
        count = min(len(self.sparks), int((right - self._left + 24) // (NARROW + 24)))
        across = (right - self._left - 24 * (count - 1)) / max(1, count)
        top, high = self.height - LOW + CLEAR, LOW - LEGEND - CLEAR
        return "".join(
            spark(self._left + (across + 24) * n, top, across, high, each) for n, each in enumerate(self.sparks[:count])
        )

    def _message(self) -> str:
        """What is said, as far as there is room."""
        left, y = self._left, self._top + 16
        (heading, look), *lines = self.message
        drawn = [say(heading, left, y, look)]
        for text, kind in lines:
            is_code = kind.startswith("source")
            y += MESSAGE_LINE + (0 if is_code else 4)
            shown = fit(text, self.width - MARGIN - left, MESSAGE if is_code else 15, bold=not is_code, mono=is_code)
            drawn.append(say(shown, left, y, f"{kind} said"))
        return "".join(drawn)


def panel_for(texts: Iterable[str], room: float) -> float:
    """Width of a panel for these lines of code, of which there is so much; the longest may have to be cut off, px."""
    longest = max((text_width(text, 15, mono=True) for text in texts), default=0.0)
    return max(PANEL, min(longest + 64, room))


def _note(line: CodeLine) -> float:
    return text_width(line.note, 13.5, bold=True) + 12 if line.note else 0.0
