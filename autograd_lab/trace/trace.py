"""A trace: the ordered list of facts, which is also the file.

The first line of a `.jsonl` trace is a header (`format`, `schema`, the `engine` that ran, the source `files` that the
events point into), then comes one event a line. Reading checks all of it: a trace that loads can be drawn.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sized
from pathlib import Path
from typing import Any

from autograd_lab.events import SCHEMA, Event, RecordingStopped, to_json
from autograd_lab.trace import SHOWN_AS, WRITERS, course
from autograd_lab.trace.course import Course
from autograd_lab.trace.trace_file import FORMAT, SUFFIXES, is_trace, read_trace
from autograd_lab.trace.whole import write_whole


class Trace:
    """What one run stated, in order. `files` maps the name of each source file to its text.

    Of a run of which only some iterations are shown, `course` has what is known of the others, and `beginning` is a
    trace of the first ones, by which one finds what is wrong; it is not saved. `notes` are sentences about the
    recording as a whole, such as what a version of PyTorch does not let be seen.
    """

    def __init__(
        self, events: Iterable[Event] = (), files: dict[str, str] | None = None, engine: str = "autograd_lab"
    ) -> None:
        self._events = list(events)
        self._more: Callable[[], Iterable[Event]] | None = None
        self._waiting: Sized = ()
        self.files = files if files is not None else {}
        self.engine = engine
        self.course: Course | None = None
        self.beginning: Trace | None = None
        self.notes: list[str] = []

    def note(self, sentence: str) -> None:
        """Say something of the recording as a whole, once."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def become(self, other: Trace) -> None:
        """Tell what another trace tells, in its place."""
        self._events, self._more, self._waiting = list(other.events), None, ()
        self.files, self.engine, self.course = dict(other.files), other.engine, other.course
        self.notes = list(other.notes)

    def follow(self, more: Callable[[], Iterable[Event]], waiting: Sized = ()) -> None:
        """Ask `more` for the events that have come since whenever somebody reads; a recorder feeds its trace so.

        `waiting` has as many entries as there are events that have come.
        """
        self._more, self._waiting = more, waiting

    @property
    def told(self) -> int:
        """How many events there are so far; other than `len`, this reads none, and so settles no name."""
        return len(self._events) + len(self._waiting)

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        if self._more is not None:
            self._events.extend(self._more())
        return self._events

    @property
    def is_torn(self) -> bool:
        """Whether the recording broke off before the program ended."""
        return bool(self.events) and isinstance(self.events[-1], RecordingStopped)

    def iterations(self) -> list[Trace]:
        """A trace of each iteration that this one shows; of a whole run, this one alone."""
        if self.course is None:
            return [self]
        found, events = [], iter(self.events)
        for number, count in zip(self.course.shown, self.course.events, strict=True):
            part = Trace([next(events) for _ in range(count)], self.files, self.engine)
            part.notes, part.beginning = self.notes, self.beginning
            part.course = dataclasses.replace(self.course, shown=(number,), events=(count,))
            found.append(part)
        return found

    def __len__(self) -> int:
        return len(self.events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __getitem__(self, step: int) -> Event:
        return self.events[step]

    def __repr__(self) -> str:
        return f"<Trace of {len(self)} event{'s' * (len(self) != 1)} by {self.engine}>"

    def _repr_html_(self) -> str | None:
        """What notebooks, and what is made of them, show: the player, in a frame of its own."""
        show = SHOWN_AS.get("text/html")
        return None if show is None else show(self)

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write the trace to `path`; the file appears whole or not at all. The suffix says as what:

        * `.jsonl`, `.jsonl.gz`: the trace itself, which `load` reads;
        * `.html`: a page that plays it; `options` are those of `make_scene`, such as `depth` or `view`;
        * `.gif`, `.apng`, `.webp`, `.mp4`, `.webm`: a movie; `options` are also `start`, `stop`, `speed`, `pause`,
          `side`, `loops`, `fps` and `grain`, which `autograd_lab.view.movie.movie.movie_of` explains.

        * `.perfetto.json`: passes, modules and bytes for Perfetto; `.model-explorer.json` and `.node-data.json`: the
          graph, and the norms of gradients on it, for Model Explorer.

        Raises OSError, ValueError for another suffix or an option that cannot be, and RuntimeError where a package is
        missing, which it names.
        """
        target = Path(path)
        if write := next((WRITERS[each] for each in WRITERS if target.name.lower().endswith(each)), None):
            write(self, target, **options)
            return
        if not is_trace(target):
            others = " or ".join((*SUFFIXES[1:], *WRITERS))
            raise ValueError(f"{target}: a trace is saved as {SUFFIXES[0]} or {others}; draw makes pictures of it")
        if options:
            raise TypeError(f"a .jsonl takes no options, such as {next(iter(options))}")
        header: dict[str, Any] = {"format": FORMAT, "schema": SCHEMA, "engine": self.engine, "files": self.files}
        if self.notes:
            header["notes"] = self.notes
        if self.course is not None:
            header["course"] = course.to_json(self.course)
        lines = [header, *map(to_json, self.events)]
        text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
        content = text.encode("utf-8", "replace")
        write_whole(target, gzip.compress(content, mtime=0) if target.suffix.lower() == ".gz" else content)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Trace:
        """Read a trace that `save` wrote. Raises TraceError, which names the damaged line, and OSError."""
        header, course_, events = read_trace(path)
        trace = Trace(events, files=dict(header.get("files", {})), engine=str(header.get("engine", "unknown")))
        trace.notes, trace.course = list(header.get("notes", ())), course_
        return trace
