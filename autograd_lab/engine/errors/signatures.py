"""What is wrong with the arguments of a call that has failed: told in PyTorch's words, by PyTorch's signatures.

PyTorch looks at arguments before anything else, which takes longer than most ops take here. So a call is tried, and
only one that fails is looked at. The signatures in `signatures.txt` are what PyTorch says of itself
(`python -m tests.signatures` prints them): `!` stands after a list in whose place a number is not taken, and
`...` after a signature beside which there are older ones, which PyTorch does not show.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

from autograd_lab.engine.errors import is_tensor
from autograd_lab.engine.errors.operands import type_name

TABLE = Path(__file__).with_name("signatures.txt")
_ARITHMETIC = "add div divide mul multiply sub subtract true_divide floor_divide copy"
TAKE_NUMBERS = {"to", *_ARITHMETIC.split(), *(f"{name}_" for name in _ARITHMETIC.split())}
"""Functions to which numbers are tensors."""


NUMPYS = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
"""By which other names arguments may be given."""


class Parameter(NamedTuple):
    """One of a signature: whether it may be left out, may be None, and is given by its name alone."""

    kind: str
    name: str
    may_lack: bool
    may_be_none: bool
    by_name: bool

    def given_in(self, named: Mapping[str, Any]) -> str | None:
        """The first of its names under which it is given."""
        return next((name for name in (self.name, *NUMPYS.get(self.name, ())) if name in named), None)


class Signature(NamedTuple):
    """One way to call a function."""

    name: str
    text: str
    parameters: tuple[Parameter, ...]
    has_older: bool

    @property
    def least(self) -> int:
        """How many arguments it takes at least."""
        return sum(not one.may_lack for one in self.parameters)

    @property
    def positional(self) -> int:
        """How many it takes at most by position."""
        return sum(not one.by_name for one in self.parameters)

    def wrong(self, args: Sequence[Any], named: Mapping[str, Any]) -> str | None:
        """Why PyTorch does not take these arguments; None if it takes them."""
        one_by_one = self._one_by_one(args)
        if len(args) > self.positional and not one_by_one:
            return self._too_many(len(args))
        taken = 0
        for at, one in enumerate(self.parameters):
            by_name = at >= len(args) or (one_by_one and at > 0)
            name = one.given_in(named) if by_name else None
            if by_name and name is None:
                if one.may_lack:
                    continue
                return self._missing(at)
            taken += by_name
            given = named[name] if name is not None else args if one_by_one else args[at]
            if not (given is None and one.may_be_none) and (wanted := self._misfit(one, given, at, by_name)):
                return f"{self.name}(): argument '{one.name}'{wanted}"
        return None if taken == len(named) else self._unexpected(len(args), named)

    def _one_by_one(self, args: Sequence[Any]) -> bool:
        """Whether a single list of ints is given one by one: only the first is looked at."""
        first = self.parameters[0].kind if self.parameters else ""
        return self.positional == 1 and bool(args) and first == "tuple of ints!" and is_index(args[0])

    def _misfit(self, one: Parameter, given: Any, at: int, by_name: bool) -> str | None:
        if fits(one.kind, given, self.name):
            return None
        place = "" if by_name else f" (position {at + 1})"
        kind = one.kind.rstrip("!")
        if kind == "tuple of ints" and isinstance(given, list | tuple) and not by_name:
            return f"{place} must be {kind}, but found element of type {type_name(given[0])} at pos 0"
        return f"{place} must be {kind}, not {type_name(given)}"

    def spoiled(self, args: Sequence[Any], named: Mapping[str, Any]) -> str | None:
        """What is wrong further on in a list: of those that it takes only the first element was looked at."""
        for at, one in enumerate(self.parameters):
            given = args[at] if at < len(args) else named.get(one.given_in(named) or "")
            given = args if not at and self._one_by_one(args) else given
            if not isinstance(given, list | tuple):
                continue
            if one.kind == "tuple of Tensors" and (bad := _no_tensor(given)):
                return f"expected Tensor as element {bad[0]} in argument {at}, but got {bad[1]}"
            if one.kind.startswith("tuple of ints") and (bad := _no_int(given)):
                told = f'pos {bad[0] + 1} with error "type must be {one.kind.rstrip("!")},but got {bad[1]}"'
                return f"{self.name}(): argument '{one.name}' failed to unpack the object at {told}"
        return None

    def _too_many(self, count: int) -> str:
        least, most = self.least, self.positional
        takes = f"from {least} to {most}" if least != most else str(most)
        plural = "s" if least != most or most != 1 else ""
        were = "was" if count == 1 and least == most else "were"
        return f"{self.name}() takes {takes} positional argument{plural} but {count} {were} given"

    def _missing(self, first: int) -> str:
        names = [f'"{one.name}"' for one in self.parameters[first:] if not one.may_lack]
        plural = "s" if len(names) == 1 else ""  # as PyTorch has it
        return f"{self.name}() missing {len(names)} required positional argument{plural}: {', '.join(names)}"

    def _unexpected(self, count: int, named: Mapping[str, Any]) -> str:
        names = [one.name for one in self.parameters]
        for name in named:
            if name not in names:
                return f"{self.name}() got an unexpected keyword argument '{name}'"
            if names.index(name) < count:
                return f"{self.name}() got multiple values for argument '{name}'"
        return "invalid keyword arguments"

    @property
    def printed(self) -> list[tuple[str, str]]:
        """Kinds and names, as PyTorch reads them out of its text again: of what has a default it gets neither."""
        pairs = (part.rpartition(" ") for part in self.text[1:-1].split(", "))
        return [(kind, name) for kind, _, name in pairs]

    def mismatch(self, args: Sequence[Any], named: Mapping[str, Any]) -> str:
        """Why it was none of several signatures, as far as PyTorch says why."""
        if len(args) + len(named) != len(self.printed):
            return ""
        known = [name for _, name in self.printed[len(args) :]]
        if unknown := [name for name in reversed([*named]) if name not in known]:
            return f"\n      didn't match because some of the keywords were incorrect: {', '.join(unknown)}"
        return f"\n      didn't match because some of the arguments have invalid types: {self._marked(args, named)}"

    def expected(self, args: Sequence[Any], named: Mapping[str, Any]) -> str:
        """The same of a signature beside which nothing is shown."""
        known = [name for _, name in self.printed[max(len(self.printed) - len(named), 0) :]]
        if unknown := [name for name in reversed([*named]) if name not in known]:
            return f"got unrecognized keyword arguments: {', '.join(unknown)}"
        complete = len(args) + len(named) == len(self.printed)
        return f"got {self._marked(args, named) if complete else _types(args, named)}, but expected {self.text}"

    def _marked(self, args: Sequence[Any], named: Mapping[str, Any]) -> str:
        told = []
        for at, (kind, name) in enumerate(self.printed):
            given = args[at] if at < len(args) else named[name]
            before = "" if at < len(args) else f"{name}="
            mark = "" if type_name(given) in ALIKE.get(kind, (kind,)) else "!"
            told.append(f"{mark}{before}{_inside(given)}{mark}")
        return f"({', '.join(told)}{', ' * (not args and bool(named))})"


ALIKE = {"float": ("float", "int"), "int": ("int",)}


def _inside(given: Any) -> str:
    """A type, and what is in a list or a tuple."""
    if isinstance(given, list):
        return f"list of [{', '.join(map(type_name, given))}]"
    if isinstance(given, tuple):
        return f"tuple of ({', '.join(map(type_name, given))}{',' * (len(given) == 1)})"
    return type_name(given)


def _no_tensor(given: Any) -> tuple[int, str] | None:
    """Where the first is in a list that is no tensor, and what it is."""
    wrong = ((at, type_name(one)) for at, one in enumerate(given) if one is not None and not is_tensor(one))
    return next(wrong, None)


def _no_int(given: Sequence[Any]) -> tuple[int, str] | None:
    """Where the first is in a list that is no int, and what it is: True and False count but at the first place."""
    wrong = (
        (at, type_name(one)) for at, one in enumerate(given) if at and not (is_index(one) or isinstance(one, bool))
    )
    return next(wrong, None)


def _types(args: Sequence[Any], named: Mapping[str, Any]) -> str:
    told = [type_name(one) for one in args] + [f"{name}={type_name(named[name])}" for name in reversed([*named])]
    return f"({', '.join(told)}{', ' * (not args and bool(named))})"


def refusal(name: str, args: Sequence[Any], named: Mapping[str, Any]) -> TypeError | None:
    """PyTorch's error for arguments that a function or method (`Tensor.name`, without its tensor) does not take.

    None if they fit, and if nothing is known of that function.
    """
    signatures = signatures_of(name)
    told = [one.wrong(args, named) for one in signatures]
    if not signatures or (signatures[0].has_older and len(args) > signatures[0].positional):
        return None
    if None in told:
        spoiled = signatures[told.index(None)].spoiled(args, named)
        return TypeError(spoiled) if spoiled else None
    count = len(args) + len(named)
    near = [text for one, text in zip(signatures, told, strict=True) if one.least <= count <= len(one.parameters)]
    first = signatures[0]
    if len(near) == 1 or (len(signatures) == 1 and not first.has_older):
        return TypeError((near or told)[0])
    before = f"{first.name}() received an invalid combination of arguments - "
    if first.has_older:
        return TypeError(before + first.expected(args, named))
    listed = "".join(f"\n * {one.text}{one.mismatch(args, named)}" for one in signatures)
    return TypeError(f"{before}got {_types(args, named)}, but expected one of:{listed}\n")


@cache
def signatures_of(name: str) -> tuple[Signature, ...]:
    """The signatures of a function, or of a method: these are its function's, without the first argument."""
    if name in _texts():
        return tuple(_read(name.removeprefix("Tensor."), text) for text in _texts()[name])
    bare = name.removeprefix("Tensor.")
    texts = () if bare == name else _texts().get(bare, ())
    return tuple(_read(bare, without_input(text)) for text in texts)


def without_input(text: str) -> str:
    """The signature of a method, of that of a function."""
    bare = re.sub(r",? ?(\*, )?Tensor out = None", "", re.sub(r"\((Tensor|Number) (input|self)(, )?", "(", text))
    return bare.replace(", *)", ")").replace("(*)", "()")


@cache
def _texts() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        name, _, rest = line.partition("(")
        found.setdefault(name, []).append(f"({rest}")
    return found


def _read(name: str, text: str) -> Signature:
    parameters, by_name, has_older = [], False, text.endswith(" ...")
    text = text.removesuffix(" ...")
    for part in filter(None, re.split(r", (?![^\[]*\])", text[1:-1])):
        if part == "*":
            by_name = True
            continue
        left, _, default = part.partition(" = ")
        kind, _, called = left.rpartition(" ")
        may_be_none = default in ("None", "[]") or kind.endswith("?")
        parameters.append(Parameter(kind.rstrip("?"), called, bool(default), may_be_none, by_name))
    return Signature(name, text.replace("!", "").replace("? ", " "), tuple(parameters), has_older)


def is_int(one: Any) -> bool:
    """Whether something is an int to PyTorch."""
    if is_tensor(one):
        return one._array.ndim == 0 and one._array.dtype.kind in "ui" and not one.requires_grad
    return isinstance(one, Integral) and not isinstance(one, bool)


def is_index(one: Any) -> bool:
    """Whether something counts as an int in a list: tensors of one element do, whatever dimensions they have."""
    return is_int(one) or (is_tensor(one) and one._array.size == 1 and one._array.dtype.kind in "ui")


def _are_ints(given: Sequence[Any]) -> bool:
    """Whether a list is one of ints, as far as PyTorch looks: at the first."""
    return not given or is_index(given[0])


def _is_number(one: Any) -> bool:
    if is_tensor(one):
        return one._array.ndim == 0 and not one.requires_grad
    return isinstance(one, Real | complex) or type(one).__name__ == "bool_"


def fits(kind: str, given: Any, name: str = "") -> bool:
    """Whether something is of a kind, in the words of the signatures; in doubt it is."""
    match kind:
        case "Tensor":
            return is_tensor(given) or (name in TAKE_NUMBERS and _is_number(given))
        case "Number" | "float":
            return _is_number(given)
        case "int":
            return is_int(given)
        case "bool":
            return isinstance(given, bool)
        case "str":
            return isinstance(given, str)
        case "tuple of ints" | "tuple of ints!":
            return (kind[-1] != "!" and is_index(given)) or (isinstance(given, list | tuple) and _are_ints(given))
        case "tuple of Tensors":
            return isinstance(given, list | tuple)
        case "tuple of floats" | "tuple of bools" | "tuple of Numbers":
            return isinstance(given, list | tuple)
        case "torch.dtype":
            return any(kind.__name__ == "dtype" for kind in type(given).__mro__)
        case "torch.layout":
            return type(given).__name__ == "layout"
        case "torch.device":
            return isinstance(given, str | int) or type(given).__name__ == "device"
    return not isinstance(given, int | float | list | tuple) and not is_tensor(given)
