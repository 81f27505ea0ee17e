"""What a recording tells, whoever ran: ids by their first mention, sequence numbers by rank."""

from __future__ import annotations

import linecache
import math
import re
from collections.abc import Callable
from types import CodeType
from typing import Any

from autograd_lab import record
from autograd_lab.events import to_json
from autograd_lab.trace import Trace

Told = dict[str, Any]
TOLERANCE = 2e-5
"""Relative to the number: each engine rounds in its own way."""


def code_of(text: str, name: str) -> CodeType:
    """A text as code whose lines can be found."""
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    return compile(text, name, "exec")


def recorded(program: Callable[[Any], Any], torch: Any) -> Trace:
    """The trace of a program in one world; an error that it leaves with is told in the trace.

    Weights and noise are the same whatever ran before, so that a picture is, too.
    """
    if seed := getattr(torch, "manual_seed", None):
        seed(0)
    try:
        with record() as trace:
            kept = program(torch)
    except Exception:
        kept = None
    del kept  # the graph is let go after the recording, as at the end of a script
    return trace


def story(trace: Trace) -> list[Told]:
    """The events as plain data with ids by their first mention, in the order told."""
    ids: dict[str, str] = {}
    events = _without_what_only_we_know([to_json(event) for event in trace])
    for event in events:  # PyTorch gives these none, and we do
        if str(event.get("name")).endswith("NotImplemented"):
            event.pop("sequence", None)
    sequences = sorted({event["sequence"] for event in events if event.get("sequence") is not None})
    ranks = {number: rank for rank, number in enumerate(sequences)}
    for event in events:
        if event.get("sequence") is not None:
            event["sequence"] = ranks[event["sequence"]]
    told = [_renamed(event, ids) for event in events]
    for event in told:
        if event["kind"] == "grad_mode_changed":
            event.pop("where", None)  # nothing can be seen of `inference_mode()` until something happens in it
        if event["kind"] == "tensor_created" and "Parameter" in (event["tensor"].get("expression") or ""):
            event["tensor"].pop("value")  # random weights
        if event["kind"] == "tensor_created" and "where" not in event:
            event["tensor"].pop("version", None)  # those that differ are gradients: a known deviation
        if event["kind"] == "graph_released":
            event["nodes"].sort()  # who of those that go together goes first has no meaning
            event.pop("where", None)
    return told


def _without_what_only_we_know(events: list[Told]) -> list[Told]:
    """Without what PyTorch's `CopySlices` keeps from being seen, and the versions of `.grad`, a known deviation."""
    slices = {event["node"] for event in events if event.get("name", "").endswith("CopySlices")}
    grads = {
        event["grad"] for event in events if event["kind"] in ("grad_accumulated", "grad_assigned") if "grad" in event
    }
    for event in events:
        if event["kind"] == "tensor_modified" and event["tensor"] in grads:
            event.pop("version")
        for facts in (*event.get("outputs", ()), event.get("tensor")):
            if isinstance(facts, dict) and facts["id"] in grads:
                facts.pop("version")
    saving = ("tensor_saved", "saved_freed", "saved_retained")
    return [event for event in events if event["kind"] not in saving or event["node"] not in slices]


def _renamed(thing: Any, ids: dict[str, str]) -> Any:
    if isinstance(thing, dict):
        return {key: _renamed(value, ids) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_renamed(one, ids) for one in thing]
    if isinstance(thing, str) and re.fullmatch(r"[tncs]\d+", thing):
        kind = thing[0]
        return ids.setdefault(thing, f"{kind}{sum(known[0] == kind for known in ids)}")
    return thing


def first_difference(ours: list[Told], theirs: list[Told]) -> str | None:
    """Where two stories part, in words; None if they do not."""
    for step, (one, other) in enumerate(zip(ours, theirs, strict=False)):
        path = _difference(one, other, "")
        if path is not None:
            return f"step {step} {one['kind']}{path}\n  here:    {one}\n  PyTorch: {other}"
    if len(ours) != len(theirs):
        longer, whose = (ours, "here") if len(ours) > len(theirs) else (theirs, "PyTorch")
        return f"only {whose} goes on, after step {min(len(ours), len(theirs))}: {longer[min(len(ours), len(theirs))]}"
    return None


def _difference(one: Any, other: Any, path: str) -> str | None:
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [*one, *(key for key in other if key not in one)]
        return next((at for key in keys if (at := _difference(one.get(key), other.get(key), f"{path}.{key}"))), None)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next((at for k, (a, b) in pairs if (at := _difference(a, b, f"{path}[{k}]"))), None)
    if path.endswith(".expression") and "(…)" in (str(one)[-3:], str(other)[-3:]):
        return None  # a step inside of a call, seen as one in one world alone
    if path.endswith(".histogram") and one is not None and other is not None:
        one, other = sum(one), sum(other)  # what lies between two bars may be counted in either
    if isinstance(one, float | int) and isinstance(other, float | int) and type(one) is type(other):
        same = math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE / 10)
        return None if same else path
    return None if one == other and type(one) is type(other) else path or "."
