"""What an event does with the ids in it is said by the types of its fields, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given

from autograd_lab import events as e
from autograd_lab.display.script import find_script, run_script
from autograd_lab.trace import Trace, introduces, mentions, touches
from tests.traces import programs, run

TEXTS = (
    "attributes", "device", "dtype", "error", "expression", "file", "function", "half", "hook", "how", "later",
    "lost", "message", "module", "name", "of", "op", "purpose", "reason", "root", "slot", "text", "title", "type",
)  # fmt: skip
"""Fields that hold text, and no ids. `OperationFacts.node` has a node's name."""
FACTS = sorted(name for name, each in vars(e).items() if is_dataclass(each))


def roleless(cls: type) -> list[str]:
    """The fields that could hold ids, and do not say what is done with them."""
    hints = get_type_hints(cls, include_extras=True)
    return [name for name in hints if name not in (*TEXTS, "kind") and _has_bare_text(hints[name])]


def _has_bare_text(hint: Any) -> bool:
    return hint is str or (get_origin(hint) is not Annotated and any(map(_has_bare_text, get_args(hint))))


@pytest.mark.parametrize("name", FACTS)
def test_each_id_in_an_event_has_a_role(name: str) -> None:
    bare = set(roleless(getattr(e, name))) - ({"node"} if name == "OperationFacts" else set())
    assert not bare, f"{name}: say in the type what is done with {bare} (Makes, Touches, …), or call it one of TEXTS"


def test_a_new_kind_of_event_whose_ids_have_no_roles_is_noticed() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class NodesJoined(e.Event):
        kind: ClassVar[str] = "nodes_joined"
        node: str
        others: tuple[str, ...]
        into: e.Makes[str]
        reason: str

    assert roleless(NodesJoined) == ["node", "others"]


def strings(item: Any) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif isinstance(item, tuple):
        for each in item:
            yield from strings(each)
    elif is_dataclass(item) and not isinstance(item, e.Where):
        for field in fields(item):
            yield from strings(getattr(item, field.name)) if field.name not in TEXTS else ()


def check(trace: Trace) -> None:
    """Nothing is mentioned before it is there, and each id is told, but for those that no event makes."""
    known: set[str] = set()
    for event in trace:
        known.update(introduces(event))
        assert known.issuperset(mentions(event))
        assert set(introduces(event)) <= set(touches(event)) <= {*introduces(event), *mentions(event)}
        ids = {each for each in strings(event) if re.fullmatch(r"[tnakm]\d+", each)}
        leaves = {edge.leaf for edge in (*getattr(event, "edges", ()), *getattr(event, "roots", ())) if edge}
        assert ids - leaves <= {*introduces(event), *mentions(event)}


@given(programs)
def test_ids_of_any_recording_are_told_by_their_roles(program: Any) -> None:
    check(run(program))


def test_ids_of_a_compilation_are_told_by_their_roles() -> None:
    check(run_script(find_script("fused")).trace)


def test_of_facts_that_are_told_again_nothing_is_made() -> None:
    made = e.ArrayFacts(id="a2", name="y", shape=(), dtype="float32", nbytes=4)
    facts = e.OperationFacts(id="k0", title="· + ·", operands=("a0", "a1"), results=(made,))
    captured, rewritten = e.OperationCaptured(operation=facts), e.OperationRewritten(operation=facts, reason="")
    assert (introduces(captured), mentions(captured)) == (["k0", "a2"], ["a0", "a1"])
    assert (introduces(rewritten), mentions(rewritten)) == ([], ["k0", "a2", "a0", "a1"])
