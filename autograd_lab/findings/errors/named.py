"""Which tensor or module an error is about, that does not name one: by the line that raised it."""

from __future__ import annotations

import ast
import re

from autograd_lab import events as e
from autograd_lab.findings.case import Case, ModuleCall
from autograd_lab.findings.text import nodes

NAMED = re.compile(r"([\w.]+)\.(?:numpy|backward)\(|deepcopy\(([\w.]+)\)|([\w.]+)\.requires_grad(?:_\(|\s*=)")
INDEX = re.compile(r"at index (\d+)")
SEEN = "a view of "


def subject_of(case: Case, event: e.ErrorRaised) -> str | None:
    """The id of the tensor that an error is about, if that can be told."""
    if "differentiated Tensor" in event.message:
        return _of_inputs(case, event)
    if "nference tensor" in event.message:
        return next((name for name in _latest(case, _names_on(event)) if _is_of_inference(case, name)), event.tensor)
    if event.tensor:
        return event.tensor
    return next(iter(_latest(case, [name] if (name := called_on(event)) else [])), None)


def called(case: Case, event: e.ErrorRaised, tensor: str | None) -> str | None:
    """What that tensor is called; of a view without a name, what the tensor is whose memory it shows."""
    known = case.tensors.get(tensor or "")
    if known is None:
        return called_on(event)
    if known.facts.name:
        return known.facts.name
    name = case.name(known.facts.id)
    return name.removeprefix(SEEN) if name.startswith(SEEN) else called_on(event)


def called_on(event: e.ErrorRaised) -> str | None:
    """What a line calls the tensor that it asks for what cannot be."""
    found = None if event.where is None else NAMED.search(event.where.text)
    return None if found is None else next(name for name in found.groups() if name)


def failed_in(case: Case, event: e.ErrorRaised, kind: str) -> ModuleCall | None:
    """The module of a kind that a line was in when it raised: the last that was entered."""
    entered = [each for each in case.modules if each.event.where == event.where and each.event.module]
    return entered[-1] if entered and entered[-1].event.type.startswith(kind) else None


def _of_inputs(case: Case, event: e.ErrorRaised) -> str | None:
    """Of what `grad(output, inputs)` is asked for, that which it cannot be asked for."""
    inputs, index = _inputs_on(event), INDEX.search(event.message)
    if index is not None and len(inputs) > int(index[1]):
        inputs = [inputs[int(index[1])]]
    does_ask = "not require" not in event.message
    return next((name for name in _latest(case, inputs) if case.tensors[name].asks == does_ask), None)


def _inputs_on(event: e.ErrorRaised) -> list[str]:
    """What a line gives to `grad()` as its second argument: names, or what is no name as nothing."""
    call = next((n for n in nodes(_line(event), ast.Call) if ast.unparse(n.func).endswith("grad")), None)
    given = [] if call is None else [*call.args[1:2], *(k.value for k in call.keywords if k.arg == "inputs")]
    parts = [part for each in given for part in (each.elts if isinstance(each, ast.List | ast.Tuple) else [each])]
    return [ast.unparse(part) for part in parts]


def _names_on(event: e.ErrorRaised) -> list[str]:
    return [ast.unparse(each) for kind in (ast.Name, ast.Attribute) for each in nodes(_line(event), kind)]


def _line(event: e.ErrorRaised) -> str:
    return "" if event.where is None else event.where.text.strip()


def _latest(case: Case, names: list[str]) -> list[str]:
    """Of each of these names the tensor that had it last."""
    ids = {tensor.facts.name: name for name, tensor in case.tensors.items() if tensor.facts.name in names}
    return [ids[name] for name in dict.fromkeys(names) if name in ids]


def _is_of_inference(case: Case, name: str) -> bool:
    tensor = case.tensors[name]
    return not tensor.with_grad and not tensor.asks
