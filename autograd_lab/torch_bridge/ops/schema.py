"""What is known of torch's ops: by their schemas, which arguments are operands; by their names, what they are for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

UNTOLD = {
    "detach", "detach_", "lift_fresh", "is_same_size", "_local_scalar_dense", "equal", "set_", "resize_",
    "item", "record_stream", "size", "stride", "numel", "dim", "is_contiguous", "sym_size", "sym_stride", "sym_numel",
    "sym_storage_offset", "sym_is_contiguous", "is_strides_like_format", "is_non_overlapping_and_dense",
    "_assert_async", "_assert_scalar",
}  # fmt: skip
"""What is no op of the program's own: bookkeeping, and reading."""
NUMBERS = {"other", "exponent", "self", "weight"}
"""Arguments that are operands of an op also when they are plain numbers."""
ORDER = {"where.self": (1, 2, 0)}
"""Where operands come in another order than in the schema: what gradients go to is first."""
PUTS = {
    "index_put", "_index_put_impl", "_unsafe_index_put", "scatter", "scatter_add", "scatter_reduce", "masked_scatter",
    "masked_fill", "index_add", "index_copy", "index_fill", "put",
}  # fmt: skip
"""Where the values, to which gradients go too, come before the positions; those that write in place as well."""
CREATES = ("new_",), ("_like",)
"""How the names of ops begin or end that take no more of a tensor than its shape and dtype."""
KEEPS_STATISTICS = {"native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update", "batch_norm"}

HIDES = {
    "native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update", "native_layer_norm",
    "native_group_norm", "nll_loss_forward", "nll_loss2d_forward", "native_dropout",
    "_scaled_dot_product_flash_attention_for_cpu", "_fused_rms_norm", "max_pool2d_with_indices",
}  # fmt: skip
"""Ops that make, beside their result, what mostly only they themselves need again."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of an op, as its schema has it."""

    name: str
    position: int
    takes_tensors: bool
    takes_numbers: bool
    writes: bool
    is_output: bool

    def value(self, args: Any, kwargs: Any) -> Any:
        """What is given for it."""
        return args[self.position] if self.position < len(args) else kwargs.get(self.name)


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """An op's name, what becomes of it, and its arguments; `operands` are those that may be or have operands."""

    name: str
    is_each: bool
    is_told: bool
    creates: bool
    order: tuple[int, ...]
    parameters: tuple[Parameter, ...]
    operands: tuple[Parameter, ...]

    def split(self, args: Any, kwargs: Any) -> tuple[list[Any], Any]:
        """The operands in the order that they are told in, and the tensor that is written to."""
        values: list[Any] = []
        written = None
        for one in self.operands:
            value = one.value(args, kwargs)
            if isinstance(value, torch.Tensor):
                if one.writes and written is None:
                    written = value
                if not one.is_output:
                    values.append(value)
            elif isinstance(value, list | tuple):
                values += [] if one.is_output else [each for each in value if isinstance(each, torch.Tensor)]
            elif one.takes_numbers and isinstance(value, int | float):
                values.append(value)
        return [] if self.creates else self._in_order(values), written

    def _in_order(self, values: list[Any]) -> list[Any]:
        if self.order:
            values = [values[at] for at in self.order]
        elif self.name.removesuffix("_") in PUTS:
            values.insert(1, values.pop())
        if len(values) == 2 and not isinstance(values[0], torch.Tensor):
            values.reverse()  # a number on the left
        return values

    def statistics(self, args: Any, kwargs: Any) -> tuple[Any, ...]:
        """The running statistics that a normalisation keeps while it trains."""
        if self.name not in KEEPS_STATISTICS:
            return ()
        given = {one.name: one.value(args, kwargs) for one in self.parameters}
        if True not in (given.get("train"), given.get("training")):
            return ()
        return tuple(value for name, value in given.items() if name.startswith("running_") and value is not None)

    def written_first(self, args: Any) -> list[Any]:
        """The tensors in the first argument, if it is written to."""
        return list(tensors_in(args[0])) if args and self.parameters and self.parameters[0].writes else []


@cache
def plan_of(op: Any) -> Plan:
    """What is known of an op."""
    schema = op._schema
    space, _, name = schema.name.rpartition("::")
    parameters = tuple(_parameter(one, at, space) for at, one in enumerate(schema.arguments))
    return Plan(
        name=name,
        is_each=schema.name.startswith("aten::_foreach_"),
        is_told=name not in UNTOLD,
        creates=name.startswith(CREATES[0]) or name.endswith(CREATES[1]),
        order=ORDER.get(f"{name}.{schema.overload_name}", ()),
        parameters=parameters,
        operands=tuple(one for one in parameters if one.takes_tensors or one.takes_numbers),
    )


def _parameter(one: Any, at: int, space: str) -> Parameter:
    takes_tensors = "Tensor" in str(one.type)
    return Parameter(
        name=one.name,
        position=at,
        takes_tensors=takes_tensors,
        takes_numbers=takes_tensors or one.name in NUMBERS,
        writes=(one.alias_info is not None and one.alias_info.is_write) or (space == "c10d" and at == 0),
        is_output=one.is_out,
    )


def tensors_in(result: Any) -> Iterator[Any]:
    """The tensors in what an op gives or takes."""
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, list | tuple):
        for one in result:
            yield from tensors_in(one)


def tensor_tuple(result: Any) -> tuple[Any, ...]:
    """The tensors in a result, which mostly is one."""
    return (result,) if isinstance(result, torch.Tensor) else tuple(tensors_in(result))
