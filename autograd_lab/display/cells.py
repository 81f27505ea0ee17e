"""Which widgets the cells of a notebook show. When a cell runs again, those that it no longer shows are released: their
models in the browser and their comms go, so that working on a cell piles up nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from IPython import get_ipython
from ipywidgets import Widget


class Cells:
    """Hears of the cells of a shell that run, by the ids that front ends give them; without these nothing goes."""

    def __init__(self) -> None:
        self._shell: Any = None
        self._shown: dict[str, list[Widget]] = {}
        self._fresh: list[Widget] = []

    def show(self, widget: Widget) -> None:
        """Take down that the cell that runs shows a widget. One that was released before is there again."""
        for each in family(widget):
            if each.comm is None:
                each.__dict__.pop("_repr_mimebundle_", None)  # which `close` has put there
                each.open()
        self._listen()
        self._fresh.append(widget)

    def _listen(self) -> None:
        shell = get_ipython()
        if shell is not None and shell is not self._shell:
            self._shell = shell
            shell.events.register("pre_run_cell", self._begin)
            shell.events.register("post_run_cell", self._end)

    def _begin(self, info: Any) -> None:
        if _id_of(info) is not None:  # none: a magic runs the rest of its cell
            self._fresh = []

    def _end(self, result: Any) -> None:
        cell = _id_of(result.info)
        if cell is None:
            return
        before = self._shown.pop(cell, [])
        if self._fresh:
            self._shown[cell] = self._fresh
        kept = [widget for widgets in self._shown.values() for widget in widgets]
        for widget in before:
            if not any(widget is each for each in kept):
                release(widget)


def _id_of(info: Any) -> str | None:
    return getattr(info, "cell_id", None)


CELLS = Cells()


def release(widget: Widget) -> None:
    """Close a widget with all that it consists of."""
    for each in reversed(list(family(widget))):
        each.close()


def family(widget: Widget, borrowed: Sequence[Widget] = ()) -> Iterator[Widget]:
    """The widgets that a widget consists of, itself last; not those that it has `borrowed` from the user."""
    borrowed = (*borrowed, *getattr(widget, "borrowed", ()))
    for key in widget.keys:
        value = getattr(widget, key)
        for each in value if isinstance(value, tuple | list) else (value,):
            if isinstance(each, Widget) and not any(each is one for one in borrowed):
                yield from family(each, borrowed)
    yield widget
