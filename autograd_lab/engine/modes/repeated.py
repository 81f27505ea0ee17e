"""A function that runs once for each example, as in `vmap`: what an example frees, the next one may need."""

from __future__ import annotations

from collections.abc import Generator

again = False
"""Whether the function that runs will run again: until then graphs are kept."""


def each(count: int, chunk: int | None = None) -> Generator[int]:
    """The numbers of the examples, of which all but the last, and the last of each chunk, keep graphs."""
    global again
    outer = again
    try:
        for number in range(count):
            again = outer or ((number + 1) % (chunk or count) != 0 and number < count - 1)
            yield number
    finally:
        again = outer
