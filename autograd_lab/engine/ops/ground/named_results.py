"""Several results that have names, as `values` and `indices`."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, ClassVar


class ReturnType(tuple[Any, ...]):
    """Several results with names: values, and where they were found."""

    fields: ClassVar[tuple[str, ...]] = ("values", "indices")
    values = property(lambda self: self[0])
    indices = property(lambda self: self[1])

    def __repr__(self) -> str:
        parts = ",\n".join(f"{field}={value!r}" for field, value in zip(self.fields, self, strict=True))
        return f"torch.return_types.{type(self).__name__}(\n{parts})"


def named(name: str, *fields: str) -> type[ReturnType]:
    """The type of such results, for one op."""
    body: dict[str, Any] = {"__module__": "torch.return_types"}
    if fields:
        body |= {field: property(itemgetter(at)) for at, field in enumerate(fields)}
        body["fields"] = fields
    return type(name, (ReturnType,), body)
