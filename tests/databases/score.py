"""The score: what of PyTorch's own databases of tests is the same on the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from types import ModuleType
from typing import Annotated, Any

import typer

from tests.databases import modules, ops, optimizers
from tests.databases.known import reason
from tests.databases.ops import Compared

PARTS: dict[str, ModuleType] = {"ops": ops, "modules": modules, "optimizers": optimizers}
HELP = """Call every op, module and optimizer of PyTorch that exists here with the samples of PyTorch's own databases.

Values, dtypes, shapes, layouts, names of nodes, views, first and second gradients, `out=`, printed modules and states
are compared. What differs is shown, unless it stands in tests/databases/known.py with its reason.
"""


def main(
    samples: Annotated[int | None, typer.Option(help="At most so many samples of each thing and dtype.")] = None,
    only: Annotated[str, typer.Option(help="The thing of this name alone.")] = "",
) -> None:
    """Compare, and print the score."""
    for title, part in PARTS.items():
        found = Compared()
        entries = [each for each in part.present() if only in ("", name_of(each))]
        for entry in entries:
            one = part.compare(entry, samples)
            found.agree += one.agree
            found.differ += one.differ
        report(title, len(entries), found)


def name_of(entry: Any) -> str:
    """The name of an op, a module or an optimizer."""
    return str(getattr(entry, "name", "") if not hasattr(entry, "optim_cls") else entry.optim_cls.__name__)


def report(title: str, count: int, found: Compared) -> None:
    """Print how many facts agree, what differs for a reason, and what differs without one."""
    open_ones, meant = Counter[tuple[str, str]](), Counter[str]()
    words: dict[tuple[str, str], str] = {}
    for name, kind, told in found.differ:
        why = reason(name, kind)
        if why is None:
            open_ones[name, kind] += 1
            words.setdefault((name, kind), told)
        else:
            meant[why] += 1
    all_facts = found.agree + len(found.differ)
    share, meant_ones, rest = found.agree / max(all_facts, 1), sum(meant.values()), sum(open_ones.values())
    print(f"{title}: {count} exist here; of {all_facts:,} facts {found.agree:,} are PyTorch's ({share:.2%}),", end=" ")
    print(f"{meant_ones:,} differ for a reason, {rest:,} without one")
    for line in _lines(meant, open_ones, words):
        print(f"  {line}")


def _lines(
    meant: Counter[str], open_ones: Counter[tuple[str, str]], words: dict[tuple[str, str], str]
) -> Iterator[str]:
    for why, times in meant.most_common():
        yield f"{times:5} x meant: {why}"
    for (name, kind), times in open_ones.most_common():
        yield f"{times:5} x {name}, {kind}: {words[name, kind]}"
