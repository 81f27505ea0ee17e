"""A trace: the ordered list of facts, which is also the file.

The first line of a `.jsonl` trace is a header (`format`, `schema`, the `engine` that ran, the source `files` that the
events point into), then comes one event a line. Reading checks all of it: a trace that loads can be drawn.
"""

from __future__ import annotations

import dataclasses
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from autograd_lab.events import SCHEMA, Event, RecordingStopped, from_json, to_json
from autograd_lab.trace import SHOWN_AS, WRITERS, course
from autograd_lab.trace.course import Course
from autograd_lab.trace.roles import introduces, mentions

FORMAT = "autograd-lab-trace"


class TraceError(ValueError):
    """A trace file that cannot be read; the message names the line and what is wrong with it."""


class Trace:
    """What one run stated, in order. `files` maps the name of each source file to its text.

    Of a run of which only some iterations are shown, `course` has what is known of the others. `notes` are sentences
    about the recording as a whole, such as what a version of PyTorch does not let be seen.
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
            part.notes = self.notes
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
        return f"<Trace of {len(self)} events by {self.engine}>"

    def _repr_html_(self) -> str | None:
        """What notebooks, and what is made of them, show: the player, in a frame of its own."""
        show = SHOWN_AS.get("text/html")
        return None if show is None else show(self)

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write the trace to `path`; the file appears whole or not at all. The suffix says as what:

        * `.jsonl`: the trace itself, which `load` reads;
        * `.html`: a page that plays it; `options` are those of `make_scene`, such as `depth` or `view`;
        * `.gif`, `.apng`, `.webp`, `.mp4`, `.webm`: a movie; `options` are also `start`, `stop`, `speed`, `pause`,
          `side`, `loops` and `fps`, which `autograd_lab.view.movie.movie.movie_of` explains.

        Raises OSError, ValueError for another suffix or an option that cannot be, and RuntimeError where a package is
        missing, which it names.
        """
        target = Path(path)
        if write := WRITERS.get(target.suffix.lower()):
            write(self, target, **options)
            return
        if target.suffix.lower() != ".jsonl":
            raise ValueError(
                f"{target}: a trace is saved as .jsonl or {' or '.join(WRITERS)}; draw makes pictures of it"
            )
        if options:
            raise TypeError(f"a .jsonl takes no options, such as {next(iter(options))}")
        header: dict[str, Any] = {"format": FORMAT, "schema": SCHEMA, "engine": self.engine, "files": self.files}
        if self.notes:
            header["notes"] = self.notes
        if self.course is not None:
            header["course"] = course.to_json(self.course)
        lines = [header, *map(to_json, self.events)]
        text = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)
        write_whole(target, text.encode())

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Trace:
        """Read a trace that `save` wrote. Raises TraceError, which names the damaged line, and OSError."""
        try:
            text = Path(path).read_bytes().decode()
        except UnicodeDecodeError as error:
            raise TraceError(f"{path}: not a text file ({error.reason} at byte {error.start})") from None
        lines = text.removesuffix("\n").split("\n")  # splitlines() would also cut at U+2028 inside a string
        header = _header(lines, path)
        known: set[str] = set()
        events = [_event(line, known, f"{path}, line {number}") for number, line in enumerate(lines[1:], 2)]
        trace = Trace(events, files=dict(header.get("files", {})), engine=str(header.get("engine", "unknown")))
        trace.notes = [str(note) for note in header.get("notes", ())]
        if "course" in header:
            try:
                trace.course = course.from_json(header["course"])
            except ValueError as error:
                raise TraceError(f"{path}, line 1: {error}") from None
        return trace


def write_whole(path: Path, content: bytes) -> None:
    """Write `content` to `path`; no half-written file is ever seen."""
    with whole_file(path) as file:
        file.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A temporary neighbour of `path`, open for writing, that takes its place when all has been written."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _header(lines: list[str], path: str | os.PathLike[str]) -> dict[str, Any]:
    header = _json(lines[0], f"{path}, line 1") if lines[0] else None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise TraceError(f'{path}: not a trace; its first line should be a header with "format": "{FORMAT}"')
    schema = header.get("schema")
    if not isinstance(schema, int) or schema < 1:
        raise TraceError(f"{path}, line 1: the header's schema should be a whole number, not {schema!r}")
    if schema > SCHEMA:
        raise TraceError(
            f"{path}: written in schema {schema}, and this version reads up to {SCHEMA}; "
            "upgrade with: pip install --upgrade autograd-lab"
        )
    files = header.get("files", {})
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise TraceError(f"{path}, line 1: the header's files should map names to texts")
    return header


def _json(line: str, at: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise TraceError(f"{at}: not complete JSON ({error.msg}, column {error.colno}); is it cut off?") from None


def _event(line: str, known: set[str], at: str) -> Event:
    data = _json(line, at)
    try:
        event = from_json(data)
    except ValueError as error:
        raise TraceError(f"{at}: {error}") from None
    known.update(introduces(event))
    if missing := [name for name in mentions(event) if name not in known]:
        raise TraceError(f"{at}: a {event.kind} event mentions {missing[0]!r}, which no line before it introduces")
    return event
