"""Runs a module where only what an extra asks for can be imported, as in a user's environment.

`python -m tests.release.lean "" autograd_lab draw expression`: the bare package, without an extra. Where tests run,
what they need is installed beside, and would hide that something is missing.
"""

from __future__ import annotations

import runpy
import sys
import tomllib
from collections.abc import Iterator, Sequence
from importlib import metadata
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def asked_for(extra: str) -> set[str]:
    """The distributions that the package with an extra asks for, and those that these do."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    first = [*project["dependencies"], *project["optional-dependencies"].get(extra, [])]
    waiting, seen = list(_named(first, "")), set[tuple[str, str]]()
    while waiting:
        if (asked := waiting.pop()) not in seen:
            seen.add(asked)
            waiting += _named(_requirements(asked[0]), asked[1])
    return {name for name, _ in seen}


def _named(requirements: Sequence[str], extra: str) -> Iterator[tuple[str, str]]:
    for each in map(Requirement, requirements):
        if each.marker is None or each.marker.evaluate({"extra": extra}):
            yield from ((canonicalize_name(each.name), one) for one in ("", *each.extras))


def _requirements(name: str) -> list[str]:
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:  # what another system needs
        return []


class Lean:
    """A finder that stands before all others, and finds nothing of what nobody asked for."""

    def __init__(self, there: set[str]) -> None:
        self.hidden = {
            module
            for module, homes in metadata.packages_distributions().items()
            if there.isdisjoint(map(canonicalize_name, homes)) and module not in ("autograd_lab", "tests")
        }

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name.partition(".")[0] in self.hidden:
            raise ModuleNotFoundError(f"No module named {name!r}: nobody asked for it", name=name)
        return None


def main() -> None:
    extra, module, *sys.argv[1:] = sys.argv[1:]
    finder = Lean(asked_for(extra))
    for name in [name for name in sys.modules if name.partition(".")[0] in finder.hidden]:
        del sys.modules[name]  # what this file itself needs
    sys.meta_path.insert(0, finder)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
