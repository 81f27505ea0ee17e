"""A saved value that was overwritten past autograd, by `.data` or numpy, so that no version tells: wrong gradients."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autograd_lab import events as e
from autograd_lab.events import Where
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
    back = after.event.where if after is not None else None
    is_unseen = write.event.op == e.UNSEEN
    alias, line = _by_numpy(case, name, saved.where, back) if is_unseen else (None, write.event.where)
    if line is None:
        words = f"{name} was saved here, and held something else when it was needed"
        cause = [Place(words=words, where=saved.where)]
    else:
        by = f"{alias}, which shares the memory of {name}, is " if alias else ""
        cause = [
            Place(words=f"{by}written here, past autograd", where=line),
            Place(words=f"{name} was saved here", where=saved.where),
        ]
    remedy = "Write before the forward pass or after backward(), `with torch.no_grad():`; or to a copy: "
    remedy += f"`{name}.detach().clone()`."
    if alias:
        remedy = f"Give {alias} memory of its own: `{alias} = {name}.detach().numpy().copy()`."
    return Finding(
        kind=KIND, severity=WARNING,
        sentence=f"The gradient is wrong: {name} was overwritten past autograd before backward() needed it.",
        cause=(*cause, Place(words="backward() used the new numbers here", where=back)), remedy=remedy,
        steps=(write.step, at, used), parts=(tensor, saved.node),
    )  # fmt: skip


def _by_numpy(case: Case, name: str, saved: Where | None, back: Where | None) -> tuple[str | None, Where | None]:
    """The array that was made of a tensor's memory, and the only line that writes to it between two lines."""
    if saved is None or back is None or saved.file != back.file:
        return None, None
    lines = case.files.get(saved.file, "").splitlines()
    made = re.compile(rf"\s*(\w+)\s*=\s*{re.escape(name)}(?:\.detach\(\)|\.data)?\.numpy\(\)\s*(?:#|$)")
    alias = next((match[1] for line in lines[: back.line] if (match := made.match(line))), None)
    writes = re.compile(rf"\s*{alias}\s*(?:\[[^\]]*\]\s*[-+*/]?=(?!=)|[-+*/]=|\.fill\()")
    between_them = enumerate(lines[saved.line : back.line], saved.line + 1)
    found = [Where(file=saved.file, line=k, text=line.strip()) for k, line in between_them if writes.match(line)]
    return (alias, found[0]) if alias and len(found) == 1 else (None, None)
