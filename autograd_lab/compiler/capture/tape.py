"""`Tape`: takes down each numpy call that a stand-in takes part in, and does it for once with real arrays."""

from __future__ import annotations

import keyword
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import Any

import numpy as np

from autograd_lab.compiler.capture.symbol import Symbol, Unsupported
from autograd_lab.compiler.graph import Constant, Operation, Origin, Value, exchanged
from autograd_lab.compiler.kernel import CHECK, Kernel
from autograd_lab.engine.core.backward import _run, _run_watched
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.numbers.dtypes import Array
from autograd_lab.recording.program.source import Sites
from autograd_lab.recording.program.variables import locals_of
from autograd_lab.whose import PACKAGE, is_users

MOST_READ = 64
"""How many elements of a tensor Python may see at once; each other outcome is a capture of its own."""
NUMPY = os.path.dirname(np.__file__) + os.sep
OURS = ("t", "c")
"""What values are called that have no name in the program: t0, t1, ..., and constants c0, c1, ..."""
TAKEN = re.compile(r"check|part|scalar_power|\w+_(?:part|spread|at)|tiles\d+|draw_\w+|forward|backward|__\w+__")
"""What else a listing has names for."""
SUMS = {"_fitted", "_send"}
"""Functions of the engine's loop in which gradients are added up on their way from a node: part of no formula."""
WHOSE = {"forward": "self", "backward": "self", "_reach": "node"} | dict.fromkeys(SUMS, "node")
"""Functions of the engine that work for one node, and which of their variables that is."""
CAPTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "capture.py"), "run"
PASSES = _run.__code__, _run_watched.__code__
"""The loops of a backward pass."""


def _spelled(name: str) -> str:
    """The name as one that a listing can use: an identifier that means nothing else there."""
    name = re.sub(r"\W", "_", name)
    if not name.isidentifier():
        return f"_{name}"
    known = name in OURS or keyword.iskeyword(name) or hasattr(np, name) or TAKEN.fullmatch(name)
    return f"{name}_" if known else name


class Tape:
    """The operations of one capture, in the order in which they came, and the arrays of this one run.

    Those arrays are read-only; the inputs' among them are the user's own. `has_written` is set once an input has got
    another value.
    """

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.concrete: dict[Value, Array] = {}
        self.phase = "forward"
        self._read: dict[tuple[Value, str], Any] = {}
        self._sites = Sites()
        self._constants: dict[int, tuple[Array, Constant]] = {}
        self._names: dict[str, int] = {}

    # --- values -----------------------------------------------------------------------------------------------------

    def input(self, array: Array, name: str) -> Symbol:
        """A stand-in for an array that each run is given."""
        return Symbol(
            self, self._known(Value(self.named(_spelled(name)), array.shape, array.dtype, array.strides), array)
        )

    def constant(self, array: Array) -> Symbol:
        """A stand-in for an array that is the same in each run."""
        return Symbol(self, self.value_of(array))

    def _constant(self, array: Array) -> Constant:
        _, constant = self._constants.get(id(array), (None, None))
        if constant is None or constant.array.tobytes() != array.tobytes():  # else it was written to in the meantime
            repeats = any(not step for step in array.strides)
            constant = Constant(self.named("c"), array if repeats else np.array(array))
            self._constants[id(array)] = array, constant  # keeping the array keeps its id its own
            self._known(constant, constant.array)
        return constant

    def _known(self, value: Value, array: Array) -> Value:
        kept = array.view()
        kept.flags.writeable = False
        self.concrete[value] = kept
        return value

    def named(self, wanted: str) -> str:
        """A name that no other value has: the one wanted, if it can be had."""
        number = self._names[wanted] = self._names.get(wanted, -1) + 1
        name = f"{wanted}{number}" if wanted in OURS else f"{wanted}_{number}" if number else wanted
        return self.named(f"{name}_") if wanted not in OURS and (name[:1] in OURS and name[1:].isdigit()) else name

    def value_of(self, thing: Any) -> Value:
        """What a stand-in, an array or a number holds now."""
        if type(thing) is Symbol:
            if thing.tape is not self:
                raise Unsupported("it uses what is left of another capture")
            return thing.value
        return thing if isinstance(thing, Value) else self._constant(np.asarray(thing))

    def taken(self, argument: Any) -> Any:
        """An argument as operations hold it: values in the place of stand-ins and arrays, all else as it is."""
        return exchanged(argument, self.value_of, (np.ndarray, np.generic))

    def real(self, argument: Any) -> Any:
        """An argument with the arrays of this run in the place of values."""
        return exchanged(argument, self.concrete.__getitem__)

    # --- operations -------------------------------------------------------------------------------------------------

    def apply(self, kernel: Kernel, args: tuple[Any, ...], options: dict[str, Any] | None = None) -> Any:
        """Take down a call, and give stand-ins for what it makes."""
        owner = args[0] if args and type(args[0]) is Symbol else None
        args, named = self.taken(args), self.taken(tuple((options or {}).items()))
        made = kernel.run(*self.real(args), **dict(self.real(named)))
        if owner is not None and made is owner.concrete:
            return owner
        if isinstance(made, tuple | list):
            if owner is not None and any(_lies_in(one, owner.concrete) for one in made):
                raise Unsupported(f"`{kernel.name}` gives several views")
            values = self.add(kernel, args, named, made)
            symbols = [Symbol(self, value) for value in values]
            return type(made)(*symbols) if hasattr(made, "_fields") else type(made)(symbols)
        if owner is not None and _lies_in(made, owner.concrete):
            [value] = self.add(replace(kernel, view=True), args, named, [made])
            path = (*owner.path, (kernel, args[1:], named))
            return Symbol(self, value, owner if owner.base is None else owner.base, path)
        [value] = self.add(kernel, args, named, [made])
        return Symbol(self, value)

    def add(self, kernel: Kernel, args: tuple[Any, ...], options: Any, made: Any) -> tuple[Value, ...]:
        """Take down a call that has made these arrays; the values that stand for them."""
        arrays = [np.asarray(one) for one in made]
        results = tuple(self._known(Value(self.named("t"), a.shape, a.dtype, a.strides), a) for a in arrays)
        self.operations.append(Operation(kernel, args, results, options, self._origin()))
        return results

    @property
    def files(self) -> dict[str, str]:
        """The texts of the files that operations are for, by the names in their origins."""
        return self._sites.texts

    def followed(self, base: Value, path: tuple[Any, ...]) -> Value:
        """What a path of views shows of a value."""
        for kernel, args, options in path:
            made = kernel.run(self.concrete[base], *self.real(args), **dict(self.real(options)))
            [base] = self.add(replace(kernel, view=True), (base, *args), options, [made])
        return base

    def read(self, value: Value, reader: str) -> Any:
        """What Python sees of a value: from here on, what is captured holds for this outcome."""
        if isinstance(value, Constant):
            return getattr(value.array, reader)()
        if (value, reader) not in self._read:
            if self.phase != "forward":
                raise Unsupported("in its backward pass Python looks at values")
            if value.size > MOST_READ:
                raise Unsupported(f"Python looks at {value.size} elements of a tensor one by one")
            origin = self._origin()
            if origin.node:
                raise Unsupported(f"the formula of {origin.node} looks at elements")
            found = self._read[value, reader] = getattr(self.concrete[value], reader)()
            self.operations.append(Operation(CHECK, (value, reader, found), (), (), origin))
        return self._read[value, reader]

    def _origin(self) -> Origin:
        """The line of the user's program that this is for, and the node whose formula it is part of.

        In a backward pass that is the node which the pass has come to; the user's own code there is part of none.
        """
        node: Node | None = None
        users, backward, is_sum = None, self.phase == "backward", False
        for frame in _frames(sys._getframe(2)):
            name, file = frame.f_code.co_name, frame.f_code.co_filename
            if frame.f_code in PASSES:
                return self._place(None if users else node, users or frame, True, is_sum)
            if users is None and is_program(file):
                users = frame
            elif users is None and name in WHOSE and file.startswith(PACKAGE):
                found = locals_of(frame).get(WHOSE[name])
                if isinstance(found, Node) and (name != "forward" or node is None):
                    node, is_sum, backward = found, name in SUMS, backward or name != "forward"
        return self._place(node, users, backward, is_sum)

    def _place(self, node: Node | None, frame: FrameType | None, backward: bool, is_sum: bool) -> Origin:
        name = "" if node is None or is_sum else node.name()
        frame = next((one for one in _frames(frame) if is_program(one.f_code.co_filename)), None)
        where = None if frame is None else self._sites.at(frame.f_code, frame.f_lasti).where
        if node is not None and backward and hasattr(node, "code"):
            where = self._sites.at(node.code, node.at).where
        if where is None:
            return Origin(node=name, backward=backward)
        return Origin(where.file, where.line, where.text, name, backward)


def is_program(file: str) -> bool:
    """Whether a file is part of the user's program: neither ours, nor Python's, nor numpy's."""
    return is_users(file) and not file.startswith(NUMPY)


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame and those above it, up to where the capture began."""
    while frame is not None and (frame.f_code.co_name != CAPTURE[1] or frame.f_code.co_filename != CAPTURE[0]):
        yield frame
        frame = frame.f_back


def _lies_in(made: Any, owner: Array) -> bool:
    return isinstance(made, np.ndarray) and made.size > 0 and np.may_share_memory(made, owner)
