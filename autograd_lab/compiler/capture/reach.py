"""What a function can reach by names: the tensors there, and all else that its result may depend on.

Whatever is found has a *path*, a Python expression that finds it again before each run, such as `G0['w']` or `a0[1]`,
and a *test* that it still is what it was. What can be changed there is remembered, so that a capture leaves no trace.
"""

from __future__ import annotations

import dis
import functools
import types
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograd_lab.compiler.capture.symbol import Filled, Unsupported
from autograd_lab.engine.core.variable import Variable
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import device
from autograd_lab.nn.module import Module

ATOMS = (bool, int, float, complex, str, bytes, range, slice, dtypes.Size, np.generic)
"""What is the same if it is equal."""
LONE = (type(None), dtypes.dtype, device, type, types.BuiltinFunctionType, types.ModuleType, np.ufunc, np.dtype)
"""What is looked at no further once it is known to be the very same thing."""
GLOBAL_READS = {"LOAD_GLOBAL", "LOAD_NAME"}
MOST = 5000
"""Elements of a list or dict that are looked at before each run."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where a tensor was found."""

    tensor: Any
    path: str
    name: str


@dataclass
class Reach:
    """Follows names; `found` is told of each tensor at first sight.

    `scope` gives what the paths begin with; `tests` are Python expressions that must all be true. `names` are those
    that occur in the user's code that ran, `attributes` those in all code that did.
    """

    found: Callable[[Place], None]
    scope: dict[str, Any] = field(default_factory=dict)
    tests: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    _paths: dict[int, tuple[str, Any]] = field(default_factory=dict)
    _codes: set[types.CodeType] = field(default_factory=set)
    _instances: list[Any] = field(default_factory=list)
    _kept: list[tuple[Any, Any, str, bool]] = field(default_factory=list)
    _owners: dict[int, str] = field(default_factory=dict)

    def begin(self, function: Any) -> None:
        """Look at a function, or at what else is called in its place, and at what can be reached from there."""
        self.scope["function"] = function
        self._paths[id(function)] = "function", function
        if isinstance(function, types.MethodType):
            self.walk(function.__self__, "function.__self__", "self")
        else:
            self._inside(function, "function", "function")

    def walk(self, thing: Any, path: str, name: str) -> None:
        """Look at a thing that `path` leads to, and at what can be reached from there."""
        if isinstance(thing, np.ndarray):
            raise Unsupported(f"it reads the numpy array `{name}`, whose elements a graph would keep as they are now")
        if isinstance(thing, ATOMS):
            self._atom(thing, path)
        elif id(thing) in self._paths and not isinstance(thing, LONE):
            self.tests.append(f"{path} is {self._paths[id(thing)][0]}")
        elif isinstance(thing, Variable):
            self._paths[id(thing)] = path, thing
            self.found(Place(thing, path, name))
        elif isinstance(thing, list | tuple | deque | dict):
            self._paths[id(thing)] = path, thing
            self._container(thing, path, name)
        elif isinstance(thing, types.MethodType):
            self.walk(thing.__func__, f"{path}.__func__", name)
            self.walk(thing.__self__, f"{path}.__self__", name)
        else:
            own = self._same(thing, path)
            if not isinstance(thing, LONE):
                self._paths[id(thing)] = own, thing
                self._inside(thing, own, name)

    def _atom(self, thing: Any, path: str) -> None:
        if thing is True or thing is False:
            self.tests.append(f"{path} is {thing}")
            return
        shown = repr(thing) if type(thing) in (int, float, str, bytes) and thing == thing else self.bound(thing)
        self.tests.append(f"type({path}) is {self.bound(type(thing), type(thing).__name__)} and {path} == {shown}")

    def _same(self, thing: Any, path: str) -> str:
        if thing is None:
            self.tests.append(f"{path} is None")
            return "None"
        own = self.bound(thing)
        self.tests.append(f"{path} is {own}")
        return own

    def bound(self, thing: Any, wanted: str = "") -> str:
        """A name for a thing that paths and tests may use."""
        known = next((name for name, one in self.scope.items() if one is thing), None)
        if known is not None:
            return known
        name = wanted if wanted and wanted not in self.scope else f"o{len(self.scope)}"
        self.scope[name] = thing
        return name

    def _container(self, thing: Any, path: str, name: str) -> None:
        if len(thing) > MOST:
            raise Unsupported(f"`{name}` has {len(thing)} elements, each of which would be looked at before each run")
        if not isinstance(thing, tuple):
            owner = self._owners.get(id(thing))
            says = f"`{name}` of {owner}" if owner else f"`{name}`"
            self._kept.append((thing, thing.copy(), says, isinstance(thing, dict)))
        self.tests.append(f"type({path}) is {self.bound(type(thing))} and len({path}) == {len(thing)}")
        if not isinstance(thing, dict):
            for at, one in enumerate(thing):
                self.walk(one, f"{path}[{at}]", f"{name}_{at}")
            return
        for key, one in thing.items():
            shown = repr(key) if type(key) in (int, str) else self.bound(key)
            self.walk(one, f"{path}[{shown}]", str(key) if type(key) is str else name)

    def _inside(self, thing: Any, own: str, name: str) -> None:
        if isinstance(thing, types.FunctionType):
            cells = zip(thing.__closure__ or (), thing.__code__.co_freevars, strict=True)
            for at, (cell, variable) in enumerate(cells):
                if _is_filled(cell):
                    self._kept.append((cell, cell.cell_contents, f"`{variable}`", False))
                    self.walk(cell.cell_contents, f"{own}.__closure__[{at}].cell_contents", variable)
            for part in ("__defaults__", "__kwdefaults__"):
                if getattr(thing, part):
                    self.walk(getattr(thing, part), f"{own}.{part}", name)
        elif isinstance(thing, functools.partial):
            for part in ("func", "args", "keywords"):
                self.walk(getattr(thing, part), f"{own}.{part}", name)
        elif isinstance(thing, Module):
            self.walk(vars(thing), self._dict(thing), name)
        else:
            self._instances.append(thing)
            if isinstance(getattr(thing, "__dict__", None), dict):
                self._kept.append(
                    (vars(thing), vars(thing).copy(), f"an attribute of {_described(thing, name)}", False)
                )
                self._owners |= {id(held): _described(thing, name) for held in vars(thing).values()}
            self._look(thing, self.attributes)

    def _dict(self, thing: Any) -> str:
        return self.bound(vars(thing))

    def _look(self, thing: Any, names: set[str]) -> None:
        """Follow some attributes of an object that is no tensor, module or container, and of its class."""
        variables = getattr(thing, "__dict__", None)
        if not isinstance(variables, dict):
            return
        for name in sorted(names & variables.keys()):
            self.walk(variables[name], f"{self._dict(thing)}[{name!r}]", name)
        for name in sorted(names - variables.keys()):
            held = next((vars(one)[name] for one in type(thing).__mro__ if name in vars(one)), None)
            if isinstance(held, (*ATOMS, Variable, list, dict)):
                self.walk(held, f"{self.bound(thing)}.{name}", name)

    def enter(self, frame: types.FrameType, users: bool) -> None:
        """Look at what a function that begins to run can reach; of a function that is not the user's, by attributes."""
        code = frame.f_code
        if code in self._codes:
            return
        self._codes.add(code)
        if users:
            self.names |= set(code.co_names)
            self._globals(code, frame.f_globals)
            for name in code.co_freevars:
                _refuse_draws(code, frame.f_locals.get(name))
            if "numpy" in _imported(code):
                _refuse_draws(code, np)
        new = set(code.co_names) - self.attributes
        self.attributes |= new
        for thing in list(self._instances) if new else ():
            self._look(thing, new)

    def _globals(self, code: types.CodeType, variables: dict[str, Any]) -> None:
        place = self.bound(variables, f"G{len(self._codes)}")
        for each in dis.get_instructions(code):
            if each.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                raise Unsupported(f"it sets the global variable `{each.argval}`")
            if each.opname in GLOBAL_READS and each.argval in variables:
                _refuse_draws(code, variables[each.argval])
                self.walk(variables[each.argval], f"{place}[{each.argval!r}]", each.argval)

    def restore(self) -> Unsupported | None:
        """Put back what has been changed since it was found, and say what that was, if there is anything."""
        changed = filled = ""
        for place, before, says, may_fill in reversed(self._kept):
            if _is_as(place, before):
                continue
            if may_fill and place.keys() > before.keys() and _is_as({key: place[key] for key in before}, before):
                filled = says
            else:
                changed = says
            _put_back(place, before)
        if changed:
            return Unsupported(f"it changes {changed}, which is no tensor")
        return Filled(f"it makes something new in {filled}, and can be captured once that is there") if filled else None


def _refuse_draws(code: types.CodeType, thing: Any) -> None:
    """Raise Unsupported if a function that can reach this may draw numpy's random numbers."""
    if thing is np.random or (thing is np and "random" in code.co_names):
        raise Unsupported("it draws numpy's random numbers, which would be the same in each run")


def _imported(code: types.CodeType) -> set[str]:
    """The packages that a function imports itself."""
    found = (each.argval for each in dis.get_instructions(code) if each.opname == "IMPORT_NAME")
    return {name.partition(".")[0] for name in found}


def _described(thing: Any, name: str) -> str:
    kind = type(thing).__name__
    return f"`{name}`, an object of class {kind}"


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _is_as(place: Any, before: Any) -> bool:
    """Whether a cell, list or dict has the very same things in it."""
    if isinstance(place, types.CellType):
        return place.cell_contents is before
    if isinstance(place, dict):
        return place.keys() == before.keys() and all(place[key] is one for key, one in before.items())
    return len(place) == len(before) and all(one is other for one, other in zip(place, before, strict=True))


def _put_back(place: Any, before: Any) -> None:
    if isinstance(place, types.CellType):
        place.cell_contents = before
        return
    place.clear()
    (place.update if isinstance(place, dict) else place.extend)(before)
