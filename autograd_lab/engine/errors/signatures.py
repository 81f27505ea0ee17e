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


class Parameter(NamedTuple):
    """One of a signature: whether it may be left out, may be None, and is given by its name alone."""

    kind: str
    name: str
    may_lack: bool
    may_be_none: bool
    by_name: bool


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
        """What PyTorch says of these arguments; None if they fit."""
        if len(args) > self.positional and not self._one_by_one(args):
            return self._too_many(len(args))
        for at, one in enumerate(self.parameters):
            if at < len(args) and not one.by_name:
                given, place = args[at], f" (position {at + 1})"
            elif one.name in named:
                given, place = named[one.name], ""
            elif one.may_lack:
                continue
            else:
                return self._missing(at)
            if given is None and one.may_be_none:
                continue
            if wanted := self._misfit(one, given, place, at, args):
                return f"{self.name}(): argument '{one.name}'{wanted}"
            if one.kind == "tuple of Tensors" and (bad := _no_tensor(given)):
                return f"expected Tensor as element {bad[0]} in argument {at}, but got {bad[1]}"
        return self._unexpected(len(args), named)

    def _one_by_one(self, args: Sequence[Any]) -> bool:
        """Whether a single list of ints is given one by one: only the first is looked at."""
        first = self.parameters[0].kind if self.parameters else ""
        return self.positional == 1 and bool(args) and first.startswith("tuple of ints") and _is_int(args[0])

    def _misfit(self, one: Parameter, given: Any, place: str, at: int, args: Sequence[Any]) -> str | None:
        if at == 0 and self._one_by_one(args):
            given = args
        if fits(one.kind, given, self.name):
            return None
        kind = one.kind.rstrip("!")
        if kind == "tuple of ints" and isinstance(given, list | tuple):
            bad = next(at for at in range(len(given)) if not _are_ints(given[: at + 1]))
            if bad:  # the first one counts, when PyTorch looks what it is
                got = type_name(given[bad])
                return f' failed to unpack the object at pos {bad + 1} with error "type must be {kind},but got {got}"'
            return f"{place} must be {kind}, but found element of type {type_name(given[0])} at pos 0"
        return f"{place} must be {kind}, not {type_name(given)}"

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

    def _unexpected(self, count: int, named: Mapping[str, Any]) -> str | None:
        names = [one.name for one in self.parameters]
        for name in named:
            if name not in names:
                return f"{self.name}() got an unexpected keyword argument '{name}'"
            if names.index(name) < count:
                return f"{self.name}() got multiple values for argument '{name}'"
        return None

    def mismatch(self, args: Sequence[Any], named: Mapping[str, Any]) -> str:
        """Why it was none of several signatures, as far as PyTorch says why."""
        if not self._is_complete(args, named):
            return ""
        known = [one.name for one in self.parameters if not one.may_lack]
        if unknown := [name for name in named if name not in known]:
            return f"\n      didn't match because some of the keywords were incorrect: {', '.join(unknown)}"
        return f"\n      didn't match because some of the arguments have invalid types: {self._marked(args, named)}"

    def expected(self, args: Sequence[Any], named: Mapping[str, Any]) -> str:
        """The same of a signature beside which nothing is shown."""
        given = self._marked(args, named) if self._is_complete(args, named) else _types(args, named)
        return f"got {given}, but expected {self.text}"

    def _is_complete(self, args: Sequence[Any], named: Mapping[str, Any]) -> bool:
        """Whether as many arguments are given as there are, the star being counted as one."""
        return len(args) + len(named) == len(self.parameters) + ("*" in self.text)

    def _marked(self, args: Sequence[Any], named: Mapping[str, Any]) -> str:
        kinds = {one.name: one for one in self.parameters}
        names = [*kinds][: len(args)]
        pairs = [(kinds[name], given, "") for name, given in zip(names, args, strict=False)]
        pairs += [(kinds[name], given, f"{name}=") for name, given in named.items() if name in kinds]
        told = [f"{before}{self._marked_one(one, given)}" for one, given, before in pairs]
        beyond = [f"!{_inside(given)}!" for given in args[len(pairs) :]]
        return f"({', '.join(told + beyond)})"

    def _marked_one(self, one: Parameter, given: Any) -> str:
        good = fits(one.kind, given, self.name) or (given is None and one.may_be_none)
        return _inside(given) if good else f"!{_inside(given)}!"


def _inside(given: Any) -> str:
    """A type, and what is in a list or a tuple."""
    if isinstance(given, list) and given:
        return f"list of [{', '.join(map(type_name, given))}]"
    if isinstance(given, tuple) and given:
        return f"tuple of ({', '.join(map(type_name, given))}{',' * (len(given) == 1)})"
    return type_name(given)


def _no_tensor(given: Any) -> tuple[int, str] | None:
    """Where the first is in a list that is no tensor, and what it is."""
    wrong = ((at, type_name(one)) for at, one in enumerate(given) if one is not None and not is_tensor(one))
    return next(wrong, None)


def _types(args: Sequence[Any], named: Mapping[str, Any]) -> str:
    told = [type_name(one) for one in args] + [f"{name}={type_name(one)}" for name, one in named.items()]
    return f"({', '.join(told)}{', ' * (not args and bool(named))})"


def refusal(name: str, args: Sequence[Any], named: Mapping[str, Any]) -> TypeError | None:
    """PyTorch's error for arguments that a function or method (`Tensor.name`, without its tensor) does not take.

    None if they fit, and if nothing is known of that function.
    """
    signatures = signatures_of(name)
    told = [one.wrong(args, named) for one in signatures]
    if not signatures or None in told or (signatures[0].has_older and len(args) > signatures[0].positional):
        return None
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
        may_be_none = default == "None" or kind.endswith("?")
        parameters.append(Parameter(kind.rstrip("?"), called, bool(default), may_be_none, by_name))
    return Signature(name, text.replace("!", "").replace("? ", " "), tuple(parameters), has_older)


def _is_int(one: Any) -> bool:
    if is_tensor(one):
        return one._array.ndim == 0 and one._array.dtype.kind in "ui" and not one.requires_grad
    return isinstance(one, Integral) and not isinstance(one, bool)


def _are_ints(given: Sequence[Any]) -> bool:
    """Whether these are ints: True and False are none at the first place."""
    return all(_is_int(one) or (bool(at) and isinstance(one, bool)) for at, one in enumerate(given))


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
            return _is_int(given)
        case "bool":
            return isinstance(given, bool) or type(given).__name__ in ("bool_", "bool")
        case "str":
            return isinstance(given, str)
        case "tuple of ints" | "tuple of ints!":
            return (kind[-1] != "!" and _is_int(given)) or (isinstance(given, list | tuple) and _are_ints(given))
        case "tuple of Tensors":
            return isinstance(given, list | tuple)
        case "tuple of floats" | "tuple of bools" | "tuple of Numbers":
            return isinstance(given, list | tuple)
        case "torch.dtype":
            return any(kind.__name__ == "dtype" for kind in type(given).__mro__)
        case "torch.device":
            return isinstance(given, str | int) or type(given).__name__ == "device"
    return not isinstance(given, int | float | list | tuple) and not is_tensor(given)
