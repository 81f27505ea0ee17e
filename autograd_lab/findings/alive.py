"""Who holds it: the graphs that are alive at the end of a run, by the tensors they end in, and the bytes they keep."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from autograd_lab.events import Where
from autograd_lab.findings.case import Call, Case
from autograd_lab.trace import Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Alive:
    """Graphs that were made on one line and are alive: what they end in is called `name`, in all they have so many
    `operations`, and keep so many bytes for backward, each storage counted once, parameters and inputs not at all.
    """

    name: str
    where: Where | None
    graphs: int
    operations: int
    nbytes: int

    @property
    def remedy(self) -> str:
        """What lets go of them."""
        if self.graphs > 1:
            return f"keep `{self.name}.item()` or `{self.name}.detach()` of each"
        return f"`del {self.name}`, or keep `{self.name}.detach()`" if self.name.isidentifier() else "`.detach()` it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What is alive at the end; and how many bytes each module had saved when the last pass began, the most first."""

    alive: tuple[Alive, ...]
    modules: tuple[tuple[str, int], ...]

    def to_json(self) -> dict[str, Any]:
        """The same as plain JSON data."""
        rows = [asdict(each) | {"where": None if each.where is None else str(each.where)} for each in self.alive]
        return {"alive": rows, "saved_by_module": [{"module": name, "bytes": size} for name, size in self.modules]}


def holding(trace: Trace) -> Holding:
    """What holds memory for backward in a recorded run.

    >>> import autograd_lab as torch
    >>> with torch.record() as trace:
    ...     w = torch.ones(3, requires_grad=True)
    ...     total = (w * 2).exp().sum()
    >>> [(each.name, each.operations, each.nbytes) for each in holding(trace).alive]
    [('total', 3, 12)]
    """
    case = Case(trace)
    return Holding(alive=tuple(_alive(case)), modules=tuple(_by_module(case)))


@dataclass(slots=True)
class _Group:
    graphs: int = 0
    operations: int = 0
    kept: dict[str, int] = field(default_factory=dict)


def _alive(case: Case) -> Iterable[Alive]:
    """Lines with the graphs that end there, the most bytes first; what two graphs share counts for the earlier."""
    living = {call.number for node, call in case.call_of.items() if node not in case.released}
    roots = [case.calls[n] for n in sorted(living) if not any(user in living for user in case.calls[n].users)]
    groups: dict[tuple[str, Where | None], _Group] = {}
    counted: set[int] = set()
    for root in roots:
        name = root.outputs[0].name or root.what if root.outputs else root.name
        group = groups.setdefault((name, root.where), _Group())
        group.graphs += 1
        for call in case.ancestors(root):
            if call.number in living and call.number not in counted:
                counted.add(call.number)
                group.operations += 1
                group.kept |= _kept(case, call)
    found = [
        Alive(name=name, where=where, graphs=g.graphs, operations=g.operations, nbytes=sum(g.kept.values()))
        for (name, where), g in groups.items()
    ]
    return sorted(found, key=lambda each: -each.nbytes)


def _kept(case: Case, call: Call, until: int | None = None) -> dict[str, int]:
    """What the node of a call keeps for its backward: bytes by storages."""
    node = call.node or ""
    freed = case.freed.get(node)
    if freed is not None and (until is None or freed[0] <= until):
        return {}
    found: dict[str, int] = {}
    for _, event in case.saved.get(node, ()):
        tensor = case.tensors.get(event.tensor or "")
        if tensor is not None and tensor.facts.storage not in case.given_storages:
            found[tensor.facts.storage] = max(event.nbytes, found.get(tensor.facts.storage, 0))
    return found


def _by_module(case: Case) -> list[tuple[str, int]]:
    """What the innermost modules had saved when the last pass began."""
    if not case.passes:
        return []
    last, kept = case.passes[-1].step, dict[str, dict[str, int]]()
    for call, module in _in_modules(case):
        if call.step < last and case.released.get(call.node or "", last) >= last:
            kept.setdefault(module, {}).update(_kept(case, call, last))
    sizes = [(module, sum(each.values())) for module, each in kept.items()]
    return sorted([each for each in sizes if each[1]], key=lambda each: -each[1])


def _in_modules(case: Case) -> Iterable[tuple[Call, str]]:
    """The calls of ops that modules made, with the whole path of the innermost one."""
    module_of: dict[int, str] = {}
    for each in case.modules:  # what is called inside comes later
        module_of |= dict.fromkeys(range(each.first, each.last), each.path)
    return [(case.calls[number], path) for number, path in sorted(module_of.items())]
