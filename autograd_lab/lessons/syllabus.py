"""The lessons in order: what each is called, how long it takes, which items and defects of the articles it carries.

Items are numbered within an article, `003-16`; defects, which are places where an article differs from what PyTorch
does, likewise, `003-E5`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

ARTICLES = {"000": 39, "001": 36, "002": 15, "003": 28}
"""How many items each article has."""
DEFECTS = {"000": 13, "001": 6, "002": 9, "003": 12}
"""How many defects each article has."""
TITLES = {
    "000": "Understanding PyTorch Computational Graphs and Autograd",
    "001": "The essay on dynamic graphs",
    "002": "Computation Graphs and Automatic Differentiation",
    "003": "Computational Graphs",
}
"""What each article is called here; the index has a table for each."""


@dataclass(frozen=True)
class Lesson:
    """One lesson. It may carry more items than its own."""

    number: int
    slug: str
    title: str
    minutes: int
    concept: str
    items: tuple[str, ...]
    defects: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What its files are called, without a suffix."""
        return f"{self.number:02}_{self.slug}"


def spread(text: str) -> tuple[str, ...]:
    """
    >>> spread("000-1..3 003-E5")
    ('000-1', '000-2', '000-3', '003-E5')
    """
    found: list[str] = []
    for word in text.split():
        match = re.fullmatch(r"(\d{3}-)(E?)(\d+)(?:\.\.(\d+))?", word)
        assert match is not None, f"{word!r} is no span of items"
        first, last = int(match[3]), int(match[4] or match[3])
        found += [f"{match[1]}{match[2]}{number}" for number in range(first, last + 1)]
    return tuple(found)


def _lesson(number: int, slug: str, title: str, minutes: int, concept: str, items: str, defects: str = "") -> Lesson:
    return Lesson(number, slug, title, minutes, concept, spread(items), spread(defects))


LESSONS = (
    _lesson(
        0,
        "reading_the_picture",
        "Reading the picture",
        50,
        "what a graph is made of",
        "000-1..4 003-1..5",
        "000-E1 003-E1",
    ),
    _lesson(
        1,
        "building_forward",
        "Building forward",
        55,
        "how forward builds it",
        "000-5..7 001-4..10 002-3..4",
        "001-E1 002-E2",
    ),
    _lesson(
        2,
        "tracing_grad_fn",
        "Tracing grad_fn",
        70,
        "from node to node",
        "000-8..11 001-13 003-6..8 003-14 003-21",
        "001-E2 003-E2..3",
    ),
    _lesson(
        3,
        "backward",
        "Backward, one node at a time",
        65,
        "the chain rule, node by node",
        "000-15..18 000-21 000-29..30 001-14..15 003-15..16",
        "003-E5",
    ),
    _lesson(4, "fan_out", "Fan-out", 85, "several paths to one tensor", "001-5 003-23..24"),
    _lesson(5, "leaves_and_grad", "Leaves and .grad", 65, "leaves and .grad", "001-17..19 003-11 003-13", "001-E3"),
    _lesson(6, "tensors", "Tensors", 90, "shapes and seeds", "000-22 001-16 001-30..31 002-8", "001-E6 002-E6"),
    _lesson(
        7,
        "lifetime_and_memory",
        "Lifetime and memory",
        75,
        "saved values and lifetime",
        "000-27..28 001-25 003-9..12",
        "000-E6 001-E4 003-E4",
    ),
    _lesson(
        8,
        "stopping_gradients",
        "Stopping gradients",
        90,
        "stopping gradients",
        "000-25..26 000-38 001-26..28",
        "000-E5 000-E13",
    ),
    _lesson(9, "in_place", "In-place and versions", 90, "writes in place", "001-29 003-17..20", "001-E5 003-E6..9"),
    _lesson(
        10,
        "dynamic_graphs",
        "Dynamic graphs",
        85,
        "graphs that depend on data",
        "000-23..24 001-1..3 001-6 001-20..24 001-33 001-35 002-1..2",
        "002-E1",
    ),
    _lesson(
        11,
        "network_and_loop",
        "Network and loop",
        90,
        "networks and training",
        "000-12..14 000-19..20 000-31..37 001-11..12 001-31 003-25",
        "000-E11..12",
    ),
    _lesson(
        12, "your_own_operator", "Your own operator", 70, "operators of your own", "002-5..13", "002-E3..5 002-E8..9"
    ),
    _lesson(13, "higher_order", "Higher order", 70, "derivatives of derivatives", "002-10 003-12", "002-E7"),
    _lesson(14, "clinic", "Clinic", 120, "finding faults", "003-27"),
    _lesson(
        15,
        "errata_hunt",
        "Errata hunt",
        130,
        "judging claims",
        "000-33..34 000-39 001-36 002-14..15 003-22 003-26 003-28",
        "000-E2..4 000-E8..10 003-E10 003-E12",
    ),
    _lesson(16, "your_own_autograd", "Your own autograd", 130, "an engine of your own", ""),
    _lesson(17, "saving_memory", "Saving memory", 55, "memory and its prices", "001-32"),
    _lesson(18, "gates_and_rates", "Gates and rates", 55, "gates and rates", ""),
    _lesson(19, "leaks", "Leaks", 45, "who keeps a graph alive", "000-27 003-25", "000-E7 003-E11"),
    _lesson(20, "compiling", "Compiling", 55, "plans and guards", "001-34"),
)
INDEX = "index"
"""What the notebook is called that leads to all others."""
