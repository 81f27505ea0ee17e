"""The lines of a program that are shown beside a picture: those that brought something about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from autograd_lab.events import Event, GradModeChanged, Where

ROWS = 16
"""A file of so few lines is shown as a whole."""

Line = tuple[str, int, str]
"""File, number and text; number 0 has the name of the file above its lines."""


def line_at(events: Sequence[Event], step: int) -> Where | None:
    """The line that a step is about; where a run ends with grad mode on again, the last one that did anything."""
    event = events[step - 1] if step else None
    if step == len(events) and isinstance(event, GradModeChanged):
        done = (each for each in reversed(events) if not isinstance(each, GradModeChanged))
        event = next((each for each in done if each.where is not None), event)
    return event.where if event is not None else None


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
            text = source[number - 1] if 0 < number <= len(source) else texts.get((file, number), "")
            found.append((file, number, text.expandtabs(4).rstrip()))
    return tuple(found)
