"""Parameters that get gradients and that no optimizer updates: left out, replaced after it was made, or in a list that
their module knows nothing of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from autograd_lab.events import Where
from autograd_lab.findings.case import Case, Tensor, Update
from autograd_lab.findings.enumeration import together
from autograd_lab.findings.finding import NOTE, WARNING, Finding, Place
from autograd_lab.findings.training import computed_parameter
from autograd_lab.findings.training.made_in_text import is_after_optimizer, made_by
from autograd_lab.findings.training.never_stepped import waits_in_vain

REPLACED, UNREGISTERED, LEFT_OUT = "parameter-replaced", "layer-not-registered", "parameter-not-optimized"


def find(case: Case) -> Iterator[Finding]:
    """What gets gradients in passes and is updated by nobody, if optimizers step and tell what they were given."""
    given = {name for update in case.updates for name in update.event.parameters}
    if not given or case.is_stopped_early:
        return
    received = set().union(*(each.received for each in case.passes)) - set(waits_in_vain(case))
    left = {name: each for name, each in case.tensors.items() if _is_left(case, name, each, given, received)}
    known = [name for name in given if name in case.tensors]
    if not any(case.tensors[name].uses or _is_handed_gradients(case, name) for name in known):
        yield from _of_another(case, received - given, given)
        return
    strangers = _in_unregistered(case, left)
    late = {name for name, each in left.items() if _is_late(case, name, each, given)} - strangers
    yield from _told(case, REPLACED, [name for name in left if name in late], WARNING, replaced(case, given))
    yield from _of_unregistered(case, [name for name in left if name in strangers])
    rest = [name for name in left if name not in late | strangers]
    beside = {case.name(name).rpartition(".")[0] for name in given}
    partly = [name for name in rest if case.name(name).rpartition(".")[0] in beside - {""}]
    yield from _told(case, LEFT_OUT, partly, WARNING)
    severity = NOTE if _given_twice(case) is None else WARNING
    yield from _told(case, LEFT_OUT, [name for name in rest if name not in partly], severity)


def _is_handed_gradients(case: Case, name: str) -> bool:
    """Whether the program sets a gradient itself, as of weights of which others hold copies that are used."""
    return any(change.how in ("set", "found") for change in case.grads.get(name, ()))


def _of_another(case: Case, received: set[str], given: set[str]) -> Iterator[Finding]:
    """What learns nothing since the optimizer holds nothing that is used: another model, or what it was copied from."""
    leaves = case.leaves()
    names = [name for name in case.tensors if name in received and name in leaves]
    stale = next((name for name in given if name in case.tensors), None)
    if not names or any(case.writes[case.tensors[name].facts.storage] for name in names):
        return
    update, first = case.updates[0], case.tensors[names[0]]
    made = made_by(case, update)
    where = first.where or _copied_at(case, names[0])
    held = case.tensors[stale].where if stale is not None else None
    yield Finding(
        kind=REPLACED, severity=WARNING,
        sentence=f"{together(map(case.name, names))} will never learn: nothing uses what the optimizer holds.",
        cause=(
            Place(words="the optimizer was given others", where=made.where if made is not None else update.where),
            *([Place(words="which were made here", where=held)] if held not in (None, where) else []),
            *([Place(words="what is trained was made here", where=where)] if where is not None else []),
        ),
        remedy=f"Make the optimizer of the model that is trained, when it is complete: "
        f"`{update.event.type}(model.parameters(), ...)`.",
        steps=(update.step, first.step), parts=tuple(names),
    )  # fmt: skip


def _copied_at(case: Case, name: str) -> Where | None:
    """The line that makes a model by copying another one, of which nobody else tells."""
    made = re.compile(rf"\s*{re.escape(case.name(name).partition('.')[0])}\s*=(?!=).*\bdeepcopy\(")
    for file, text in case.files.items():
        for number, line in enumerate(text.splitlines(), 1):
            if made.match(line):
                return Where(file=file, line=number, text=line.strip())
    return None


PLAIN = re.compile(r"self\.\w+\s*=(?!=).*\brequires_grad(?:=True|_\(\))")
"""A tensor that asks for a gradient and is made an attribute, with which a module does nothing."""


def _is_plain(tensor: Tensor) -> bool:
    return not tensor.is_parameter and tensor.where is not None and bool(PLAIN.match(tensor.where.text))


def _is_left(case: Case, name: str, tensor: Tensor, given: set[str], received: set[str]) -> bool:
    """Whether a parameter gets gradients and is given to no optimizer, nor written to by the program."""
    return (
        name in received and name not in given and (tensor.is_parameter or _is_plain(tensor)) and tensor.asks
        and not computed_parameter.is_of(case, name)
        and not any(write.step > tensor.uses[0] for write in case.writes[tensor.facts.storage] if tensor.uses)
    )  # fmt: skip


def replaced(case: Case, given: Iterable[str]) -> list[str]:
    """What an optimizer holds and nothing uses, while a model has something newer that it does not hold."""
    stale = [n for n in given if n in case.tensors and not case.tensors[n].uses and not _is_handed_gradients(case, n)]
    return sorted(stale, key=lambda name: case.tensors[name].step)


def has_replaced(case: Case) -> bool:
    """Whether parameters were made after their optimizer, of which is told in one with those that nothing uses."""
    return any(each.kind == REPLACED for each in find(case))


def _is_late(case: Case, name: str, tensor: Tensor, given: set[str]) -> bool:
    """Whether a parameter was made after the optimizer of its model, as lines tell, or else after what it replaces."""
    root = case.name(name).partition(".")[0]
    if any(case.name(each).partition(".")[0] == root for each in given) and is_after_optimizer(case, tensor.where):
        return True
    stale = replaced(case, given)
    return bool(stale) and tensor.step > case.tensors[stale[-1]].step


def _in_unregistered(case: Case, left: dict[str, Tensor]) -> set[str]:
    """Those that are used in modules, or are theirs, which have no place in the module that is being called."""
    found: set[str] = set()
    for each in case.modules:
        if not each.depth or each.event.module == each.event.type:
            used = {name for call in case.calls[each.first : each.last] for name in call.operands if name in left}
            used -= case.copied_parameters
            found |= {
                name
                for name in used
                if each.depth or _is_plain(left[name]) or "." not in (left[name].facts.name or ".")
            }
    return found


LISTED = re.compile(r"(?:self\.)?(\w+)(?:\[\w+\])?\s*(?:=(?!=)|\.append\(|\.insert\()")


def _of_unregistered(case: Case, names: list[str]) -> Iterator[Finding]:
    """By the lines on which they are put into a list."""
    by_line: dict[Where | None, list[str]] = defaultdict(list)
    for name in names:
        by_line[case.tensors[name].where].append(name)
    for where, found in by_line.items():
        if where is not None and any(_is_made_in_a_call(case, case.tensors[name]) for name in found):
            yield _anew(case, where, found)
            continue
        if where is not None and all(_is_plain(case.tensors[name]) for name in found):
            yield _of_plain(case, where, found)
            continue
        what = "parameter" if where is not None and "Parameter(" in where.text else "layer"
        put = LISTED.match(where.text) if where is not None else None
        called = f"The {what}s in {put[1]}" if put is not None else together(map(case.name, found))
        kind = "Parameter" if what == "parameter" else "Module"
        sentence, words, remedy = TEXTS[UNREGISTERED]
        yield Finding(
            kind=UNREGISTERED, severity=WARNING, sentence=sentence.format(called),
            cause=(
                Place(words=words.format(what), where=where),
                Place(words="the optimizer steps here", where=case.updates[0].where),
            ),
            remedy=remedy.format(what, kind, kind), steps=(case.updates[0].step, case.tensors[found[0]].step),
            parts=tuple(found),
        )  # fmt: skip


def _of_plain(case: Case, where: Where, names: list[str]) -> Finding:
    attribute = where.text.partition("=")[0].strip()
    return Finding(
        kind=UNREGISTERED, severity=WARNING,
        sentence=f"{attribute} will never learn: a plain tensor is no parameter of its module.",
        cause=(
            Place(words="requires_grad=True makes no parameter of it", where=where),
            Place(words="the optimizer steps here", where=case.updates[0].where),
        ),
        remedy=f"Make it a parameter: `{attribute} = nn.Parameter(...)`.",
        steps=(case.updates[0].step, case.tensors[names[0]].step), parts=tuple(names),
    )  # fmt: skip


def _is_made_in_a_call(case: Case, tensor: Tensor) -> bool:
    """Whether a parameter was made while a module was being called, that is by its forward()."""
    calls = case.calls
    outer = (each for each in case.modules if not each.depth and each.first < each.last <= len(calls))
    return any(each.step < tensor.step <= calls[each.last - 1].step for each in outer)


def _anew(case: Case, where: Where, names: list[str]) -> Finding:
    what = "parameter" if "Parameter(" in where.text else "layer"
    return Finding(
        kind=UNREGISTERED, severity=WARNING,
        sentence=f"A {what} is made anew in each forward pass: it is random each time, and will never learn.",
        cause=(
            Place(words=f"forward() makes the {what} here", where=where),
            Place(words="the optimizer does not know of it", where=case.updates[0].where),
        ),
        remedy=f"Make it once, in `__init__`, as an attribute of the module, and use that {what} in forward().",
        steps=(case.updates[0].step, case.tensors[names[0]].step), parts=tuple(names),
    )  # fmt: skip


TEXTS = {
    REPLACED: (
        "{} will never learn: the optimizer was made before, and holds what the model had then.",
        "made after the optimizer was told of the parameters",
        "Make the optimizer after all layers are in place: `{}(model.parameters(), ...)`.",
    ),
    UNREGISTERED: (
        "{} will never learn: model.parameters() does not find them.",
        "a {} in a plain list or dict is no part of the module",
        "Keep {}s in `nn.{}List([...])` or `nn.{}Dict({{...}})`.",
    ),
    LEFT_OUT: (
        "{} will never learn: gradients come, and no optimizer was given {them}.",
        "this is made here",
        "Give {them} to the optimizer as well, as `{}(model.parameters(), ...)`; or freeze {them}, which saves work: "
        "`requires_grad_(False)`.",
    ),
}
"""By kind: the sentence, words for the line, what to do."""


def _optimizer(case: Case, words: str = "the optimizer is made here") -> Place:
    """Where the optimizer is made, or else where it steps."""
    made = made_by(case, case.updates[0])
    if made is None:
        return Place(words="the optimizer steps here", where=case.updates[0].where)
    return Place(words=words, where=made.where)


def _told(case: Case, kind: str, names: list[str], severity: str, stale: Sequence[str] = ()) -> Iterator[Finding]:
    if not names:
        return
    sentence, words, remedy = TEXTS[kind]
    first, called = case.tensors[names[0]], together(map(case.name, names))
    called = called[:1].upper() + called[1:] if called.startswith("the ") else called
    them = "it" if len(names) == 1 else "them"
    old = "the optimizer still holds what was made here, and nothing uses that any more"
    cause = [
        Place(words=words, where=first.where),
        *([Place(words=old, where=case.tensors[stale[0]].where)] if stale else []),
    ]
    if kind == LEFT_OUT:
        twin = _given_twice(case)
        cause.insert(0, _optimizer(case, f"the optimizer is made here, without {them}") if twin is None else twin)
    else:
        cause.append(_optimizer(case))
    yield Finding(
        kind=kind, severity=severity, sentence=sentence.format(called, them=them), cause=tuple(cause),
        remedy=remedy.format(case.updates[0].event.type, them=them), steps=(case.updates[0].step, first.step),
        parts=tuple(names),
    )  # fmt: skip


def _given_twice(case: Case) -> Place | None:
    """Of two optimizers that take turns and hold the same the one that is made later: it was to hold other things."""
    by_line: dict[Where | None, Update] = {}
    for update in case.updates:
        by_line.setdefault(update.where, update)
    made = [(each, update) for update in by_line.values() if (each := made_by(case, update)) is not None]
    for (one, first), (two, second) in combinations(sorted(made, key=lambda each: each[0].where.line), 2):
        again = any(u.where == first.where for u in case.updates if u.step > second.step)
        back = any(u.where == second.where for u in case.updates if u.step > first.step)
        if one.name != two.name and again and back and set(first.event.parameters) & set(second.event.parameters):
            return Place(words=f"{two.name} is given what {one.name} has, and not this", where=two.where)
    return None
