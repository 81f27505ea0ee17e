"""What is said of an in-place op by its name: some write no element, but have a tensor show its memory in another way,
or other memory.

>>> writes_elements("add_"), writes_elements("t_"), writes_elements("TBackward1"), writes_elements("data =")
(True, False, False, False)
>>> done_by("MulBackward0"), done_by("squeeze_"), done_by("AsStridedBackward1")
('written', 'squeezed', 'laid out anew')
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from autograd_lab.events import TensorFacts, TensorModified
from autograd_lab.view.kit.signs import base_of

DATA = "data ="
"""The op of `x.data = y`."""
OTHER_MEMORY = "given other memory"
OVERWRITTEN, OUTDATED = "overwritten", "outdated"
"""What becomes of saved values: what they were is gone, or it is still there and looks otherwise."""
DONE = {
    "t": "transposed", "transpose": "transposed", "swapaxes": "transposed", "swapdims": "transposed",
    "squeeze": "squeezed", "unsqueeze": "unsqueezed", "asstrided": "laid out anew", "resize": "resized",
    "resizeas": "resized", "set": OTHER_MEMORY, DATA: OTHER_MEMORY,
}  # fmt: skip
"""What the ops do to a tensor that write none of its elements."""


@cache
def done_by(op: str) -> str:
    """What an in-place op does to its tensor, as a participle; `op` is its name, or that of its node.

    A node of somebody's Function is called as that is, without a number at its end: it writes.
    """
    known = DONE.get(base_of(op).replace("_", ""), "") if op[-1:] in "_=" or op[-1:].isdigit() else ""
    return known or "written"


def done_to_saved(op: str) -> str:
    """What an in-place op does to what a node has saved of its tensor."""
    return {"written": OVERWRITTEN, OTHER_MEMORY: "moved"}.get(done_by(op), done_by(op))


def state_of_saved(op: str) -> str:
    """What an in-place op makes of saved values.

    >>> state_of_saved("add_"), state_of_saved("t_")
    ('overwritten', 'outdated')
    """
    return OVERWRITTEN if writes_elements(op) else OUTDATED


def done_to(name: str, op: str, now: str, memory: str) -> str:
    """The sentence of what an in-place op did to what goes by a name, which is what it is now, in this memory.

    >>> done_to("w.grad", "t_", "[[1.0]]", "other memory")
    'w.grad is transposed in place (t_), and no element of it is written: now [[1.0]].'
    """
    if done_by(op) == OTHER_MEMORY:
        return f"{name} is given {memory} ({'.data =' if op == DATA else op}): now {now}."
    if not writes_elements(op):
        return f"{name} is {done_by(op)} in place ({op}), and no element of it is written: now {now}."
    return f"{name} is written in place ({op}): {now}."


def writes_elements(op: str) -> bool:
    """Whether an in-place op writes elements, so that other tensors in the same memory hold other ones, too."""
    return done_by(op) == "written"


def facts_after(facts: TensorFacts, event: TensorModified) -> TensorFacts:
    """The facts of a tensor after an in-place op, which may have changed its shape, its dtype or its memory."""
    told = {name: getattr(event, name) for name in ("shape", "dtype", "nbytes", "storage", "device")}
    told = {name: new for name, new in told.items() if new is not None}
    return replace(facts, **told) if told else facts
