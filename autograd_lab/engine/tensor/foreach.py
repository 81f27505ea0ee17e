"""`torch._foreach_mul_` and its kin: an op on each tensor of a list, which many optimizers are written with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from autograd_lab.engine.core import variable
from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.ops.reduction.norms import vector_norm

POINTWISE = """
abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min cos cosh div erf erfc exp expm1 floor frac lerp lgamma
log log10 log1p log2 maximum minimum mul neg pow reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan tanh trunc
""".split()  # noqa: SIM905
OTHERWISE = {"maximum": "clamp_min", "minimum": "clamp_max"}
"""Methods that do the same, and take numbers, too, and have a form in place."""
KINDS = "addcmul", "addcdiv", "addcmul_", "addcdiv_"
"""Which take two lists of tensors, and behind them how much of each product or quotient."""


def _each(given: Any, count: int) -> Sequence[Any]:
    """What is given for each tensor: from a list its own, else the same. Raises RuntimeError for a list too short."""
    if not isinstance(given, list | tuple):
        return [given] * count
    if len(given) != count and given and is_tensor(given[0]):
        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(given)}")
    if len(given) != count:
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    return given


def _rows(tensors: Any, others: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """For each tensor itself and what goes with it. Raises RuntimeError for an empty list."""
    if not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return list(zip(tensors, *(_each(other, len(tensors)) for other in others), strict=True))


def _scaled(op: str, others: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The operands without, and with what each product or quotient counts: `value`, `scalars`, or the last operand."""
    tail = [named.pop(name) for name in ("value", "scalars") if name in named] or [*others[2:]] or [1]
    values = tail[0].tolist() if is_tensor(tail[0]) else tail[0]
    return others[:2], (values,)


def _on_each(op: str, tensors: Any, others: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """The results of a method of tensors, one after another."""
    for name in ("other", "scalar", "scalars", "exponent", "weight"):
        if name in named and op not in KINDS:
            others = (*others, named.pop(name))
    if op not in KINDS:
        return [getattr(first, op)(*rest, **named) for first, *rest in _rows(tensors, others)]
    others, values = _scaled(op, others, named)
    return [getattr(first, op)(*rest, value=value) for first, *rest, value in _rows(tensors, others + values)]


def _new(name: str) -> Callable[..., tuple[Any, ...]]:
    def foreach(self: Any, *others: Any, **named: Any) -> tuple[Any, ...]:
        """The op on each tensor: new ones."""
        if name == "pow" and not isinstance(self, list | tuple):  # a number to the power of each
            return tuple(self**each for each in others[0])
        return tuple(_on_each(OTHERWISE.get(name, name), self, others, named))

    return foreach


def _in_place(name: str) -> Callable[..., list[Any]]:
    def foreach(self: Any, *others: Any, **named: Any) -> list[Any]:
        """The op on each tensor, in place."""
        return _on_each(f"{OTHERWISE.get(name, name)}_", self, others, named)

    return foreach


def _norm(self: Any, ord: float = 2, dtype: Any = None) -> tuple[Any, ...]:
    """The length of each."""
    return tuple(vector_norm(each, ord, dtype=dtype) for (each,) in _rows(self, ()))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _new(name) for name in (*POINTWISE, "clone", "mm", "max")},
    **{f"{name}_": _in_place(name) for name in (*POINTWISE, "copy", "zero")},
    "norm": _norm,
}


@cache
def called(name: str) -> Any:
    """The function that PyTorch has by that name, if it is one of these."""
    found = FUNCTIONS.get(name.removeprefix("_foreach_")) if name.startswith("_foreach_") else None
    if found is not None:
        found.__name__ = name
    return found


# --- which tensors may be taken together: what optimizers of others' own ask of `torch.utils._foreach_utils` ----------

Indices: TypeAlias = list[int]
TensorListList: TypeAlias = list[list[Any]]

EXPECTED = (
    "Expected {} to be true, but got false.  (Could this error message be improved?  If so, please report an "
    "enhancement request to PyTorch.)"
)
AS_LONG = (
    "std::all_of( nested_tensorlist.cbegin(), nested_tensorlist.cend(), [&](const auto& tensorlist) -> bool { return "
    "tensorlist.size() == num_tensors || tensorlist.size() == 0; })"
)


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Where PyTorch has kernels for many tensors at once."""
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Where PyTorch has kernels for whole steps of an optimizer."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _group_tensors_by_device_and_dtype(tensorlistlist: TensorListList, with_indices: bool = False) -> dict[Any, Any]:
    """The lists, cut into those of one device and dtype; which these are, the tensors of the first list say."""
    first = tensorlistlist[0]
    if not first:
        raise RuntimeError(EXPECTED.format("!nested_tensorlist[0].empty()"))
    if any(len(each) not in (0, len(first)) for each in tensorlistlist):
        raise RuntimeError(EXPECTED.format(AS_LONG))
    groups: dict[Any, Any] = {}
    for place, tensor in enumerate(first):
        if not is_tensor(tensor):
            told = "Tensors of the first list of nested Tensor lists are supposed to be defined but the "
            raise RuntimeError(f"{told}{place}-th Tensor is not.")
        kind = (tensor.device, tensor.dtype)
        parts, indices = groups.setdefault(kind, ([[] for _ in tensorlistlist], []))
        for part, whole in zip(parts, tensorlistlist, strict=True):
            part += whole[place : place + 1]
        if with_indices:
            indices.append(place)
    return dict(reversed(groups.items()))  # what comes last is found first there


def _device_has_foreach_support(device: Any) -> bool:
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: list[Any], device: Any) -> bool:
    return _device_has_foreach_support(device) and all(one is None or type(one) is variable.Tensor for one in tensors)
