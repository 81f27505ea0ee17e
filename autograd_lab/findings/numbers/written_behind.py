"""A saved value that was overwritten past autograd, by `.data` or numpy, so that no version tells: wrong gradients."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab import events as e
from autograd_lab.findings.case import Case, Write, between
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND = "written-behind-autograd"


def find(case: Case) -> Iterator[Finding]:
    """The first such value of each tensor: saved, then written by what has another counter or by nobody seen, then used
    by a backward pass."""
    seen: set[str] = set()
    for node, slots in case.saved.items():
        if not (used := [step for step, _ in case.evaluated.get(node, ())]):
            continue
        for at, saved in slots:
            write = _write(case, saved, at, used)
            if write is not None and saved.tensor is not None and saved.tensor not in seen:
                seen.add(saved.tensor)
                yield _finding(case, at, saved, write, next(step for step in used if step > write.step))


def _write(case: Case, saved: e.TensorSaved, at: int, used: list[int]) -> Write | None:
    tensor = case.tensors.get(saved.tensor or "")
    if tensor is None:
        return None
    for write in between(case.writes[tensor.facts.storage], at, used[-1]):
        is_hidden = write.event.op == e.UNSEEN or write.counter != tensor.facts.counter
        if is_hidden and write.update is None:
            return write
    return None


def _finding(case: Case, at: int, saved: e.TensorSaved, write: Write, used: int) -> Finding:
    tensor = saved.tensor or ""
    name = case.name(tensor)
    after = case.pass_at(used)
    if write.event.op == e.UNSEEN:
        first = Place(words=f"{name} was saved here, and held something else when it was needed", where=saved.where)
    else:
        first = Place(words="written here, past autograd", where=write.event.where)
    back = Place(words="backward() used the new numbers here", where=after.event.where if after is not None else None)
    kept = () if write.event.op == e.UNSEEN else (Place(words=f"{name} was saved here", where=saved.where),)
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"The gradient is wrong: {name} was overwritten past autograd before backward() needed it.",
        cause=(first, *kept, back),
        remedy=f"Write to a copy: `{name}.detach().clone()`; or in place under `torch.no_grad()`, which autograd sees.",
        steps=(write.step, at, used), parts=(tensor, saved.node),
    )  # fmt: skip
