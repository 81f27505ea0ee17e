"""`torch.library`: operators of a program's own, made of Python functions, and how gradients go back through them."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from autograd_lab.autograd.function import Function
from autograd_lab.engine.core.variable import Variable, wrote
from autograd_lab.engine.modes.grad_mode import is_grad_enabled, no_grad
from autograd_lab.engine.numbers.dtypes import dtype
from autograd_lab.engine.tensor.tensor import Tensor

__all__ = ["CustomOpDef", "custom_op", "infer_schema", "register_autograd", "register_fake", "register_kernel"]

KINDS: dict[Any, str] = {Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", dtype: "ScalarType"}
TAKEN: dict[str, Any] = {"Tensor": Variable, "SymInt": int | Variable, "float": int | float | Variable, "str": str}
"""What is taken for an argument of a kind."""
NOT_AN_INPUT = (
    "The output of this custom operator (1) must not also be an input to this custom operator and (2) may not alias "
    "any inputs to this custom operator or other returns. The most common way to trigger this error is if we have y = "
    "custom_op(x) and y and x are the same Tensor. Please instead return a clone of the offending output tensor(s) "
    "(e.g. return x.clone()) or refactor the custom operator to not return y."
)


def _kind(annotation: Any) -> str | None:
    """An annotation in the words of a schema; None for what there is no word for."""
    if annotation in KINDS:
        return KINDS[annotation]
    origin, inside = typing.get_origin(annotation), typing.get_args(annotation)
    if type(None) in inside and len(inside) == 2:
        one = _kind(next(each for each in inside if each is not type(None)))
        return None if one is None else f"{one}?"
    if origin in (list, Sequence) and len(inside) == 1 and (one := _kind(inside[0])) is not None:
        return f"{one}[]"
    return None


def _default(value: Any) -> str:
    return f'="{value}"' if isinstance(value, str) else f"={str(value).removeprefix('torch.')}"


def infer_schema(prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None) -> str:
    """The schema of a function, by its annotations. Raises ValueError for what has none, or an unknown one."""
    signature = inspect.signature(prototype_function)
    known = typing.get_type_hints(prototype_function)
    told = _parameters(signature, known, mutates_args)
    if lost := {name for name in mutates_args if name not in signature.parameters}:
        raise _refused(
            f"{lost} in mutates_args were not found in the custom op's signature. mutates_args should contain the "
            "names of all args that the custom op mutates, or just the string 'unknown' if you don't know.",
            signature,
        )
    if signature.return_annotation is signature.empty:
        raise _refused("No return type annotation was provided. Please add one.", signature)
    given = known["return"]
    parts = typing.get_args(given) if typing.get_origin(given) is tuple else (given,)
    kinds = ["()" if part is type(None) else _kind(part) for part in parts]
    if None in kinds:
        raise _refused(f"Return has unsupported type {given}.", signature)
    made = ", ".join(map(str, kinds))
    return f"{op_name or ''}({', '.join(told)}) -> {f'({made})' if len(parts) > 1 else made}"


def _refused(text: str, signature: inspect.Signature) -> ValueError:
    return ValueError(f"infer_schema(func): {text} Got func with signature {signature})")


def _parameters(signature: inspect.Signature, known: dict[str, Any], mutated: Any) -> list[str]:
    """Each parameter in the words of a schema."""
    told: list[str] = []
    for number, (name, one) in enumerate(signature.parameters.items()):
        if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            raise _refused("We do not support positional-only args, varargs, or varkwargs.", signature)
        if one.kind is one.KEYWORD_ONLY and "*" not in told:
            told.append("*")
        if one.annotation is one.empty:
            raise _refused(f"Parameter {name} must have a type annotation.", signature)
        kind = _kind(known[name])
        if kind is None:
            raise _refused(f"Parameter {name} has unsupported type {known[name]}.", signature)
        written = f"Tensor(a{number}!)" if name in mutated else kind
        told.append(f"{written} {name}{'' if one.default is one.empty else _default(one.default)}")
    return told


class CustomOpDef:
    """An op by the name `namespace::name`, which runs a function."""

    def __init__(self, namespace: str, name: str, schema: str, fn: Callable[..., Any], mutated: Iterable[str]) -> None:
        self._namespace, self._name, self._schema = namespace, name, schema
        self._kernel, self._signature, self._mutated = fn, inspect.signature(fn), set(mutated)
        self._hints = typing.get_type_hints(fn)
        self._backward: Any = None
        self._setup: Any = None
        self._node = self._function()

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    @property
    def default(self) -> CustomOpDef:
        """The op itself: there is one way to call it."""
        return self

    def _bound(self, args: Sequence[Any], named: dict[str, Any]) -> inspect.BoundArguments:
        """The arguments by their names, all of them. Raises RuntimeError if they are not what the schema says."""
        parameters = self._signature.parameters
        declared = self._qualname + re.sub(r"(=\d+\.)0\b", r"\1", self._schema)  # as C++ writes numbers
        if len(args) > len(parameters):
            raise RuntimeError(
                f"{self._qualname}() expected at most {len(parameters)} argument(s) but received {len(args)} "
                f"argument(s). Declaration: {declared}"
            )
        for name in named:
            if name not in parameters:
                raise RuntimeError(
                    f"Unknown keyword argument '{name}' for operator '{self._qualname}'. Schema: {declared}"
                )
        bound = self._signature.bind_partial(*args, **named)
        for name, one in parameters.items():
            if name not in bound.arguments and one.default is one.empty:
                raise RuntimeError(
                    f"{self._qualname}() is missing value for argument '{name}'. Declaration: {declared}"
                )
        bound.apply_defaults()
        self._check_kinds(bound, declared)
        return bound

    def _check_kinds(self, bound: inspect.BoundArguments, declared: str) -> None:
        for number, (name, value) in enumerate(bound.arguments.items()):
            kind = _kind(self._hints.get(name))
            if value is not None and kind in TAKEN and not isinstance(value, TAKEN[kind]):
                raise RuntimeError(
                    f"{self._qualname}() Expected a value of type '{kind.replace('SymInt', 'int')}' for argument "
                    f"'{name}' but instead found type '{type(value).__name__}'.\nPosition: {number}\nValue: {value!r}\n"
                    f"Declaration: {declared}"
                )

    def __call__(self, *args: Any, **named: Any) -> Any:
        bound = self._bound(args, named)
        values = list(bound.arguments.values())
        if not self._mutated and is_grad_enabled() and any(one.requires_grad for one in _tensors(values)):
            return self._node.apply(*values)
        with no_grad():
            made = self._run(*values)
        for name in self._mutated:
            for one in _tensors([bound.arguments[name]]):
                wrote(one)
        return made

    def _run(self, *values: Any) -> Any:
        by_name = [one.name for one in self._signature.parameters.values() if one.kind is one.KEYWORD_ONLY]
        plain = len(values) - len(by_name)
        made = self._kernel(*values[:plain], **dict(zip(by_name, values[plain:], strict=True)))
        for number, one in enumerate(found := _tensors([made])):
            if any(np.may_share_memory(one._array, other._array) for other in [*_tensors(values), *found[:number]]):
                raise RuntimeError(f"{self._name} (with implementation in {self._kernel.__module__}): {NOT_AN_INPUT}")
        return made

    def _function(self) -> Any:
        """The `Function` by which gradients flow through the op."""

        def forward(ctx: Any, *values: Any) -> Any:
            made = self._run(*values)
            if self._setup is not None:
                kinds = [one.kind for one in self._signature.parameters.values()]
                plain = sum(kind is not inspect.Parameter.KEYWORD_ONLY for kind in kinds)
                more = dict(zip(list(self._signature.parameters)[plain:], values[plain:], strict=True))
                extra = {"keyword_only_inputs": more} if more else {}
                self._setup(ctx=ctx, inputs=values[:plain], output=made, **extra)
            return made

        def backward(ctx: Any, *grads: Any) -> Any:
            if self._backward is None:
                raise RuntimeError(
                    f"Trying to backward through {self._namespace}.{self._name}.default but no autograd formula was "
                    "registered. Please use register_autograd to add one."
                )
            found = self._backward(ctx, *grads)
            alone = not isinstance(found, tuple)
            missing = len(self._signature.parameters) - (1 if alone else len(found))
            by_name = sum(one.kind is one.KEYWORD_ONLY for one in self._signature.parameters.values())
            return ((found,) if alone else found) + (None,) * (missing if missing == by_name else 0)

        name = f"GeneratedBackwardFor_{self._namespace}_{self._name}_default"
        both = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        return types.new_class(name, (Function,), exec_body=lambda namespace: namespace.update(both))

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Any = None) -> None:
        """Have gradients flow by `backward`; before it `setup_context` may save something."""
        if self._mutated:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self} with schema {self._qualname}"
                f"{self._schema}. Please create a functional operator and register an autograd formula for that."
            )
        self._backward, self._setup = backward, setup_context

    def register_kernel(self, device_types: Any, func: Any = None, /) -> Any:
        """Have the op run another function on a device: here there is the CPU."""

        def register(function: Any) -> Any:
            if device_types is None or "cpu" in ([device_types] if isinstance(device_types, str) else device_types):
                self._kernel = function
            return function

        return register if func is None else register(func)

    def register_fake(self, func: Any, /) -> Any:
        """Nothing: shapes come from computing."""
        return func

    def register_vmap(self, func: Any = None) -> Any:
        """Nothing: examples come one after another."""
        return func if func is not None else lambda one: one


def _tensors(things: Iterable[Any]) -> list[Any]:
    """The tensors among arguments or results, also those in lists."""
    found: list[Any] = []
    for one in things:
        found += [one] if isinstance(one, Variable) else _tensors(one) if isinstance(one, list | tuple) else []
    return found


KNOWN: dict[str, CustomOpDef] = {}
"""All such operators of the program, by their names."""


def custom_op(
    name: str, fn: Any = None, /, *, mutates_args: Any, device_types: Any = None, schema: str | None = None,
    tags: Any = None,
) -> Any:  # fmt: skip
    """The function as an operator, which is at `torch.ops`, too; without a function, a decorator.

    Arguments and results have annotations; `mutates_args` names those that it writes to.

    >>> import autograd_lab as torch
    >>> @torch.library.custom_op("mine::twice", mutates_args=())
    ... def twice(x: torch.Tensor) -> torch.Tensor:
    ...     return x * 2
    >>> twice(torch.ones(2)), torch.ops.mine.twice(torch.ones(1))
    (tensor([2., 2.]), tensor([2.]))
    """

    def made(function: Any) -> CustomOpDef:
        told = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        namespace, own = name.split("::")
        op = KNOWN[name] = CustomOpDef(namespace, own, told, function, mutates_args)
        return op

    return made if fn is None else made(fn)


def _called(op: Any) -> CustomOpDef:
    """The operator of a name. Raises RuntimeError if the program has made none of that name."""
    if isinstance(op, CustomOpDef):
        return op
    if op not in KNOWN:
        raise RuntimeError(f"operator {op} does not exist")
    return KNOWN[op]


def register_autograd(op: Any, backward: Any, /, *, setup_context: Any = None, lib: Any = None) -> None:
    """Say how gradients go back through an operator. Raises RuntimeError unless it is the program's own."""
    _called(op).register_autograd(backward, setup_context=setup_context)


def register_fake(op: Any, func: Any = None, /, **named: Any) -> Any:
    """What a compiler would ask of an operator. It is not needed here. Raises RuntimeError as `register_autograd`."""
    return _called(op).register_fake if func is None else _called(op).register_fake(func)


def register_kernel(op: Any, device_types: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """The function of an operator for some kinds of device. Raises RuntimeError as `register_autograd`."""
    return _called(op).register_kernel(device_types, func)
