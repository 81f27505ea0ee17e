"""backward() from a leaf, as `loss = torch.tensor(loss.item(), requires_grad=True)` makes one: it leads to nothing."""

from __future__ import annotations

from collections.abc import Iterator

from autograd_lab.findings.case import Case, Pass
from autograd_lab.findings.finding import WARNING, Finding, Place

KIND = "loss-is-a-leaf"


def find(case: Case) -> Iterator[Finding]:
    """The first such pass of a program that trains."""
    first = next(iter(begins_at_leaves(case)), None)
    if first is None or not case.updates:
        return
    leaf = first.event.roots[0].leaf or ""
    tensor, name = case.tensors.get(leaf), case.name(leaf)
    words, remedy = f"{name} was made anew here, without a history", "Leave this line out."
    if first not in begins_at_new_leaves(case):
        words, remedy = f"{name} was computed here, of what carries no gradient", "Leave requires_grad_() out."
    yield Finding(
        kind=KIND, severity=WARNING, sentence=f"backward() begins at {name}, which is a leaf and leads to nothing.",
        cause=(
            Place(words=words, where=tensor.where if tensor else None),
            Place(words="backward() begins here", where=first.event.where),
        ),
        remedy=f"Begin at what has a history: requires_grad=True gives none back. {remedy}",
        steps=(first.step,), parts=(leaf,),
    )  # fmt: skip


def begins_at_leaves(case: Case) -> list[Pass]:
    """The passes that begin at nothing but leaves."""
    return [each for each in case.passes if each.event.roots and all(root.leaf for root in each.event.roots)]


def begins_at_new_leaves(case: Case) -> list[Pass]:
    """Those that begin at leaves that no call made, such as `torch.tensor(loss.item(), requires_grad=True)`."""
    return [
        each
        for each in begins_at_leaves(case)
        if all((made := case.tensors.get(root.leaf or "")) is None or made.maker is None for root in each.event.roots)
    ]
