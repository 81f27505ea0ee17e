"""What a line of a trace may be, as a JSON schema, made of the classes of `events`: for programs that write traces."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from autograd_lab.events import KINDS, LARGEST_COUNT, LONGEST, SCHEMA, Numbers
from autograd_lab.trace.trace_file import FORMAT

PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string", "maxLength": LONGEST},
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": 0, "maximum": LARGEST_COUNT},
    float: {"$ref": "#/$defs/number"},
}
NUMBER = {"anyOf": [{"type": "number"}, {"enum": ["nan", "inf", "-inf"]}]}
NUMBERS = {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "array", "items": {"$ref": "#/$defs/numbers"}}]}


def line_schema() -> dict[str, Any]:
    """A JSON schema (draft 2020-12) of one line: the header, which is the first, or an event.

    >>> line_schema()["$defs"]["Edge"]["required"]
    ['node', 'index']
    """
    defs: dict[str, Any] = {"number": NUMBER, "numbers": NUMBERS}
    events = [_object(cls, defs, kind) for kind, cls in KINDS.items()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a trace of autograd_lab, schema {SCHEMA}",
        "anyOf": [_header(), *events],
        "$defs": defs,
    }


def _header() -> dict[str, Any]:
    facts = {"format": {"const": FORMAT}, "schema": {"type": "integer", "minimum": 1, "maximum": SCHEMA}}
    files = {"type": "object", "additionalProperties": {"type": "string"}}
    notes = {"type": "array", "items": {"type": "string"}}
    return {"type": "object", "properties": {**facts, "files": files, "notes": notes}, "required": list(facts)}


def _object(cls: Any, defs: dict[str, Any], kind: str = "") -> dict[str, Any]:
    hints = get_type_hints(cls, include_extras=True)
    fields = dataclasses.fields(cls)
    said = {"description": " ".join(cls.__doc__.split())} if cls.__doc__ else {}
    properties = {"kind": {"const": kind}} if kind else {}
    properties |= {field.name: _type(hints[field.name], defs) for field in fields}
    needed = [field.name for field in fields if field.default is field.default_factory is dataclasses.MISSING]
    required = [*(["kind"] if kind else []), *needed]
    return {**said, "type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _type(hint: Any, defs: dict[str, Any]) -> dict[str, Any]:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        letters = [each for each in args[1:] if isinstance(each, str)]
        return {"type": "string", "pattern": f"^{letters[0]}[0-9]{{1,7}}$"} if letters else _type(args[0], defs)
    if hint is Numbers:
        return {"$ref": "#/$defs/numbers"}
    if origin in (Union, types.UnionType):
        return {"anyOf": [{"type": "null"} if each is type(None) else _type(each, defs) for each in args]}
    if origin is tuple:
        fixed = {} if args[-1] is ... else {"minItems": len(args), "maxItems": len(args)}
        return {"type": "array", "items": _type(args[0], defs), **fixed}
    if origin is Mapping:
        return {"type": "object"}
    if dataclasses.is_dataclass(hint):
        name = hint.__name__  # type: ignore[union-attr]  # a class
        if name not in defs:
            defs[name] = {}
            defs[name] = _object(hint, defs)
        return {"$ref": f"#/$defs/{name}"}
    return dict(PLAIN[hint])
