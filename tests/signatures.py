"""The signatures of PyTorch's functions and methods, as it tells them itself: `python -m tests.signatures`.

It prints `autograd_lab/engine/errors/signatures.txt` anew. Of what has several, PyTorch's errors list them; what has
one is read from its schema, in the words of those errors. Methods that take what their function takes are left out.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import torch

import autograd_lab
from autograd_lab.engine.errors.functionals import TABLE as FUNCTIONALS

BUILT_IN = ("builtin_function_or_method", "method_descriptor")
KINDS = {
    "Tensor": "Tensor", "Scalar": "Number", "number": "Number", "int": "int", "SymInt": "int", "float": "float",
    "bool": "bool", "ScalarType": "torch.dtype", "Generator": "torch.Generator", "str": "str",
    "Layout": "torch.layout", "Device": "torch.device", "MemoryFormat": "torch.memory_format",
}  # fmt: skip
LISTS = {"int": "ints", "SymInt": "ints", "Tensor": "Tensors", "float": "floats", "bool": "bools", "Scalar": "Numbers"}


MODULES: list[tuple[str, Any, Any]] = [
    ("", torch, autograd_lab),
    ("Tensor.", torch.Tensor, autograd_lab.Tensor),
    ("linalg_", torch.linalg, autograd_lab.linalg),
    ("special_", torch.special, autograd_lab.special),
    ("", torch.nn.functional, autograd_lab.nn.functional),
]
"""What the names of a module's functions begin with in errors; the module in PyTorch, and here."""
OLDER = " ..."
"""After a signature: there are older ones, which PyTorch does not show."""
SPECIAL = [
    "gradient",
    "as_tensor",
    "asarray",
    "autocast_increment_nesting",
    "autocast_decrement_nesting",
    "clear_autocast_cache",
]
"""What is called in a way of its own."""
WITHOUT_TENSORS = ("can_cast", "promote_types", "range", "tril_indices", "triu_indices")
"""What takes no tensors: of the signatures of these, Python knows the longest."""


class Odd:
    """Fits nothing."""


def listed(call: Any, operands: tuple[Any, ...]) -> list[str]:
    """The signatures that an error lists."""
    for count in range(9):
        try:
            call(*operands, *[Odd() for _ in range(count)])
        except TypeError as error:
            if "expected one of" in str(error):
                return re.findall(r"^ \* (.*)$", str(error), re.MULTILINE)
            if alone := re.search(r", but expected (\(.*\))$", str(error)):
                return [alone[1] + OLDER]
        except Exception:
            continue
    return []


def from_schema(name: str, is_method: bool) -> list[str]:
    """The signature of what has only one, from its schema."""
    schemas = torch._C._jit_get_schemas_for_operator(f"aten::{name}")
    outs = max((sum(argument.is_out for argument in schema.arguments) for schema in schemas), default=0)
    out = "tuple of Tensors out = None" if outs > 1 else "Tensor out = None"
    known = [one for one in schemas if is_called_from_python(one, is_method) and not is_hidden(one)]
    if name in WITHOUT_TENSORS:
        known = sorted(known, key=lambda schema: len(schema.arguments))[-1:]
    if len(known) != 1:
        return []
    parts = [part for part in split(str(known[0])) if not (is_method and part.endswith(" self"))]
    told = [part if part == "*" else in_words(part) for part in parts]
    if None in told:
        return []
    if outs and not is_method:
        told += [out] if "*" in told else ["*", out]
    if any(
        part and part.startswith("bool pin_memory") for part in told
    ):  # what Python adds to the options of new tensors
        told.append("bool requires_grad = False")
    return [f"({', '.join(filter(None, told))})"]


def with_marks(name: str, signatures: list[str]) -> list[str]:
    """The signatures that an error lists, with marks for what it does not say of a list of ints.

    `?` where None may stand in its place, and `!` where no number may.
    """
    schemas = torch._C._jit_get_schemas_for_operator(f"aten::{name}")
    lists = [one for schema in schemas for one in schema.arguments if "List[int]" in str(one.type)]
    for kind, mark in (
        ({one.name for one in lists if "Optional" in str(one.type)}, "?"),
        ({one.name for one in lists if one.N is None and "Optional" not in str(one.type)}, "!"),
    ):
        wanted = rf"tuple of ints ({'|'.join(kind)})(?=[,)])"
        signatures = [re.sub(wanted, rf"tuple of ints{mark} \1", one) for one in signatures]
    return signatures


def is_hidden(schema: Any) -> bool:
    """Whether Python calls it only by what takes tensors, to which numbers are tensors, too."""
    return schema.overload_name == "Scalar" and schema.name in ("aten::mul", "aten::mul_")


def is_called_from_python(schema: Any, is_method: bool) -> bool:
    arguments = schema.arguments
    if any(argument.is_out for argument in arguments) or re.search(r"Dimname|complex|hacked|\bt\[\]", str(schema)):
        return False
    if is_method:
        return bool(arguments) and arguments[0].name == "self" and str(arguments[0].type) == "Tensor"
    of_tensors = any("Tensor" in str(argument.type) for argument in arguments)
    return of_tensors or schema.name.removeprefix("aten::") in WITHOUT_TENSORS


def split(schema: str) -> list[str]:
    """The arguments in a schema's text, as they stand there."""
    inside = schema[schema.index("(") + 1 : schema.rindex(") ->")]
    return [part.strip() for part in re.split(r",(?![^(\[]*[)\]])", inside) if part.strip()]


def in_words(part: str) -> str | None:
    """`Tensor(a!)? self=None` as `Tensor input = None`; None for a type that Python has no word for."""
    found = re.match(r"(.+?) (\w+)(?:=(.*))?$", part)
    assert found is not None, part
    kind, name, default = re.sub(r"\([a-z!|>\-* ]*\)", "", found[1]), found[2], found[3]
    many = re.match(r"(\w+)\??\[\d*\]", kind)
    word = f"tuple of {LISTS[many[1]]}" if many and many[1] in LISTS else KINDS.get(kind.rstrip("?"))
    if re.match(r"(Sym)?[Ii]nt\??\[\]", kind):
        word = "tuple of ints!"  # no number in its place
    if word is None:
        return None
    name = "input" if name == "self" else name
    optional = kind.endswith("?") and default is None
    return f"{word}{'?' * optional} {name}" + (f" = {default}" if default is not None else "")


def without_input(signature: str) -> str:
    """The signature of a method that takes what a function takes."""
    bare = re.sub(r",? ?(\*, )?Tensor out = None", "", re.sub(r"\((Tensor|Number) (input|self)(, )?", "(", signature))
    return bare.replace(", *)", ")").replace("(*)", "()")


def beneath() -> list[str]:
    """The functions in C++ that functions in Python call, of which `functionals.txt` tells."""
    return sorted(set(re.findall(r"\bc\.(\w+)\(", FUNCTIONALS.read_text(encoding="utf-8"))))


def table() -> Iterator[str]:
    """The lines of the table."""
    warnings.simplefilter("ignore")
    found: dict[str, list[str]] = {}
    for before, theirs, ours in MODULES:
        for name in sorted(dir(theirs)):
            call = getattr(theirs, name, None)
            if name[0] != "_" and name not in SPECIAL and hasattr(ours, name) and type(call).__name__ in BUILT_IN:
                is_method = before == "Tensor."
                spelled = name if is_method else before + name
                known = with_marks(spelled, listed(call, (torch.ones(2, 2),) if is_method else ()))
                found.setdefault(before + name, known or from_schema(spelled, is_method))
    for name in beneath():
        if name not in found:
            found[name] = from_schema(name, False) or listed(getattr(torch._VF, name), ())
    for name, signatures in found.items():
        function = found.get(name.removeprefix("Tensor.")) if name.startswith("Tensor.") else None
        if function is None or [without_input(one) for one in function] != signatures:
            yield from (name + one for one in signatures)


if __name__ == "__main__":
    print("\n".join(table()))
