"""Of several losses, as a GAN has them: which ran back into which network, and through which it only passed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from autograd_lab.view.graph.facts.history import History
from autograd_lab.view.graph.facts.passes import Pass, Passes
from autograd_lab.view.graph.words.called import Called
from autograd_lab.view.graph.words.plainly import Leaf
from autograd_lab.view.kit.figure import listed
from autograd_lab.view.kit.headline import Headline, said


class Reached(NamedTuple):
    """What a pass from one of several losses has reached: the models whose weights move by it, and those on its way."""

    loss: str
    into: list[str]
    through: list[str]

    def told_through(self) -> Headline | None:
        """The lesson of a pass that only came through a model, as that of a generator's loss."""
        if not self.through:
            return None
        into, through = listed(self.into), listed(self.through)
        sub = f"the step that follows moves {into}; {through} only passes the gradient on"
        return Headline(f"{self.loss} runs back through {through} into {into}", sub=said(sub))

    def told(self, models: Sequence[str]) -> Headline:
        """The lesson of any other, of a run with these models."""
        left = [model for model in models if model not in self.into]
        told = f"{self.loss} runs back into {listed(self.into)}" + " alone" * (len(self.into) == 1 and bool(left))
        return Headline(told, sub=said(f"no gradient of {self.loss} reaches {listed(left)}" if left else ""))


def reached_by(
    history: History,
    passes: Passes,
    last: Pass,
    name_of: Callable[[Pass], str | None],
    called: Called,
    leaves: Sequence[Leaf],
) -> Reached | None:
    """What a pass of a run whose passes begin at several losses has reached, if these are weights of models."""
    names, loss = {name_of(each) for each in passes.passes}, name_of(last)
    models = {tensor: called.model(tensor) for tensor, _, _ in leaves if tensor in last.reached}
    if len(names) < 2 or None in names or not loss or not models or not all(models.values()):
        return None
    moved = {tensor for tensor in _moved_after(passes, last) if tensor in models}
    aims = {models[tensor] for tensor in moved}
    rest = [tensor for tensor, model in models.items() if moved and model not in aims]
    through = {models[tensor] for tensor in rest} if leads_through(history, moved, rest) else set()
    reached = list(dict.fromkeys(models.values()))
    return Reached(loss, [each for each in reached if each not in through], sorted(through))


def _moved_after(passes: Passes, last: Pass) -> set[str]:
    """What optimizers move between a pass and the next one."""
    later = [each.start for each in passes.passes if each.start > last.start]
    updates = (each for each in passes.updates if last.end < each.start < min(later, default=each.end))
    return {tensor for each in updates for tensor in each.moved}


def leads_through(history: History, source: Iterable[str], through: Iterable[str]) -> bool:
    """Whether what is made with some leaves meets others farther on, so that their gradient comes through these."""
    ahead = {box for leaf in source for box in history.lives.get(leaf, ())}
    own = {box for leaf in through for box in history.lives.get(leaf, ())}
    for op in history.ops.values():
        used = {use.box for use in op.uses if use.box is not None and use.operand.edge is not None}
        if op.node is None or not used:
            continue
        if used & ahead and used & own:
            return True
        own.update(op.outputs if used <= own else ())
        ahead.update(op.outputs if used & ahead else ())
    return False
