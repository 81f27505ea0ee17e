"""A trace file is read here, and nowhere else: what comes out of it has been checked as a whole.

The limits are far above what a recording writes. A file may be compressed by gzip, whatever it is called.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any

from autograd_lab.events import SCHEMA, Event, from_json
from autograd_lab.trace.consistency import Consistency
from autograd_lab.trace.course import Course
from autograd_lab.trace.course import from_json as course_of

FORMAT = "autograd-lab-trace"
SUFFIXES = (".jsonl", ".jsonl.gz")
ZIPPED = b"\x1f\x8b"
LONGEST_LINE, MOST_LINES, MOST_BYTES = 1 << 25, 5_000_000, 1 << 31
"""The longest line, in characters; how many lines there may be; and the size of them all, in bytes."""
DENSEST, ANYWAY = 100, 1 << 24
"""A compressed file unpacks to so many times its size at most, and to so many bytes in any case: a recording of a loop
is some forty times as large, and what was made to fill a memory a thousand times.
"""
LONGEST_NAME, LONGEST_REASON = 90, 180
"""What a message has of a file's name, and of what is wrong with it, in characters."""


def is_trace(name: str | os.PathLike[str]) -> bool:
    """Whether a file is a trace by its name."""
    return str(name).lower().endswith(SUFFIXES)


class TraceError(ValueError):
    """A trace file that cannot be read; the message names the line and what is wrong with it."""


def trace_error(path: str | os.PathLike[str], reason: str, line: int | None = None) -> TraceError:
    """The error of a file, in one line of at most 300 characters."""
    name, reason = _printable(str(path)), _printable(reason)
    name = name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"
    reason = reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 1]}…"
    return TraceError(f"{name}{'' if line is None else f', line {line}'}: {reason}")


def read_trace(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Course | None, list[Event]]:
    """The header, the course of iterations, if there is one, and the events. Raises TraceError, OSError."""
    lines = _lines(path)
    header, course = _header(next(lines, ""), path)
    consistency = Consistency()
    events = []
    for number, line in enumerate(lines, 2):
        try:
            events.append(from_json(_json(line)))
            consistency.add(events[-1])
        except ValueError as error:
            raise trace_error(path, str(error), number) from None
    if course is not None and sum(course.events) != len(events):
        raise trace_error(path, f"the header counts {sum(course.events):,} events, and there are {len(events):,}", 1)
    return header, course, events


def _lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of a file, without their ends. Raises TraceError for what is no text, or too much of it."""
    number = 0
    try:
        with _opened(Path(path)) as (file, rest):
            while line := file.readline(LONGEST_LINE + 1):
                number, rest = number + 1, rest - len(line)
                if len(line) > LONGEST_LINE:
                    raise trace_error(path, f"the line is longer than {LONGEST_LINE >> 20} MiB", number)
                if number > MOST_LINES or rest < 0:
                    most = f"{MOST_LINES:,} lines and {MOST_BYTES >> 30} GiB, {DENSEST} times its size if compressed,"
                    raise trace_error(path, f"the file is too large; at most {most} are read", number)
                yield line.removesuffix(b"\n").decode()
    except UnicodeDecodeError as error:
        raise trace_error(path, f"not a text file ({error.reason} at byte {error.start})", number) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise trace_error(path, f"the compressed file is damaged ({error})") from None


@contextmanager
def _opened(path: Path) -> Iterator[tuple[gzip.GzipFile | BufferedReader, int]]:
    """A file, and how many bytes of it are read at most."""
    with path.open("rb") as file:
        if not file.peek().startswith(ZIPPED):
            yield file, MOST_BYTES
            return
        with gzip.open(file) as unpacked:
            yield unpacked, min(MOST_BYTES, ANYWAY + DENSEST * os.fstat(file.fileno()).st_size)


def _json(line: str) -> Any:
    """What a line says. Raises ValueError."""
    try:
        data = json.loads(line)
        if "\\u" in line:
            json.dumps(data, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise ValueError(f"not complete JSON ({error.msg}, column {error.colno}); is it cut off?") from None
    except RecursionError:
        raise ValueError("brackets are nested too deep") from None
    except UnicodeEncodeError:
        raise ValueError("half of a character (a lone surrogate) is in a text") from None
    except ValueError:
        raise ValueError("a number has too many digits") from None
    return data


def _header(line: str, path: str | os.PathLike[str]) -> tuple[dict[str, Any], Course | None]:
    try:
        header = _json(line) if line else None
    except ValueError as error:
        raise trace_error(path, str(error), 1) from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise trace_error(path, f'not a trace; its first line should be a header with "format": "{FORMAT}"')
    schema = header.get("schema")
    if not isinstance(schema, int) or schema < 1:
        raise trace_error(path, "the header's schema should be a whole number, from 1 on", 1)
    if schema > SCHEMA:
        told = f"written in schema {schema}, and this version reads up to {SCHEMA}"
        raise trace_error(path, f"{told}; upgrade with: pip install --upgrade autograd-lab")
    files, notes = header.get("files", {}), header.get("notes", [])
    if not isinstance(files, dict) or not all(isinstance(text, str) for text in files.values()):
        raise trace_error(path, "the header's files should map names to texts", 1)
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise trace_error(path, "the header's notes should be a list of texts", 1)
    try:
        return header, course_of(header["course"]) if "course" in header else None
    except ValueError as error:
        raise trace_error(path, str(error), 1) from None


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(char if char.isprintable() else "�" for char in text)
