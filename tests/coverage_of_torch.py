"""`python -m tests.coverage_of_torch`: how much of PyTorch's public API there is here, and what is not."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from tests.installed import leave_without

MODULES = (
    "", "Tensor", "nn", "nn.functional", "nn.init", "nn.utils", "optim", "optim.lr_scheduler", "autograd",
    "autograd.functional", "autograd.graph", "autograd.forward_ad", "func", "linalg", "utils.data", "utils.checkpoint",
    "amp", "distributions", "random", "testing",
)  # fmt: skip
"""What is counted: everything public in these; what PyTorch has elsewhere is in the table of what stays away."""


def place(world: Any, path: str) -> Any:
    """A module of a world, or its class of tensors; None if there is none."""
    if path in ("", "Tensor"):
        return getattr(world, path) if path else world
    try:
        return importlib.import_module(f"{world.__name__}.{path}")
    except ImportError:
        return None


def public(thing: Any) -> Iterator[str]:
    """The names that are for users: those in `__all__`, if it has one, that are no modules."""
    for name in getattr(thing, "__all__", None) or dir(thing):
        if not name.startswith("_") and not _is_module(getattr(thing, name, None)):
            yield name


def _is_module(thing: Any) -> bool:
    return type(thing).__name__ == "module" or getattr(thing, "__module__", "") in ("typing", "collections.abc")


def counted() -> dict[str, tuple[list[str], list[str]]]:
    """Of each module the names that are here, and those that are not."""
    import torch

    import autograd_lab
    from autograd_lab.elsewhere.absent import UNMADE
    from autograd_lab.engine.numbers.unheld import ALIASES, KNOWN, MAKERS
    from autograd_lab.nn.three_dimensions import REFUSED

    found = {}
    for path in MODULES:
        theirs, ours = place(torch, path), place(autograd_lab, path)
        names = sorted(set(public(theirs)))
        refused = {*REFUSED, *KNOWN, *ALIASES, *MAKERS, *UNMADE, "Future", "ScriptFunction", "ScriptModule"}
        here = [name for name in names if ours is not None and name not in refused and hasattr(ours, name)]
        found[path or "torch"] = here, [name for name in names if name not in here]
    return found


def main(tell: bool) -> None:
    """Print the share of each module; with a word behind the command, also what is missing."""
    total = [0, 0]
    for path, (here, missing) in counted().items():
        count = len(here) + len(missing)
        total = [total[0] + len(here), total[1] + count]
        print(f"{len(here):5} of {count:5}  {path}")
        if tell:
            print("      not here:", " ".join(missing))
    print(f"{total[0]:5} of {total[1]:5}  public names, {total[0] / total[1]:.0%}")


if __name__ == "__main__":
    leave_without("tests.coverage_of_torch", "torch", "ml_dtypes", "numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main(len(sys.argv) > 1)
