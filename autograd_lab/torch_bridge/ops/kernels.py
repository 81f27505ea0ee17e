"""Runs an op for torch's dispatcher as it would run if no mode saw it; a mode alone makes some differences."""

from __future__ import annotations

from typing import Any

import torch

from autograd_lab.torch_bridge.internals import OpOverload, is_composite, no_dispatch, no_functions, tracking_views


def run(op: Any, args: Any, kwargs: Any) -> Any:
    """The result of an op with arguments as they reach a dispatch mode."""
    if torch.is_inference_mode_enabled() and isinstance(op, OpOverload) and is_composite(op):
        with tracking_views():  # else views of others' tensors would be no views
            return op(*args, **kwargs)
    try:
        return op(*args, **kwargs)
    except RuntimeError as error:
        if "Expected a value of type 'Tensor" not in str(error):
            raise
    result = op(*_as_given(op, args), **kwargs)
    return _tensor_for(result) if _stands_for_a_tensor(result) else result


def _as_given(op: Any, args: Any) -> list[Any]:
    """The arguments with tensors where there were: a mode gets those that stand for Python's numbers as numbers."""
    wants = [str(one.type) == "Tensor" for one in op._schema.arguments]
    return [
        _tensor_for(each) if is_tensor and _stands_for_a_tensor(each) else each
        for each, is_tensor in zip(args, wants, strict=False)
    ]


def _stands_for_a_tensor(thing: Any) -> bool:
    return isinstance(thing, bool | int | float | complex)


def _tensor_for(number: Any) -> Any:
    """The tensor that torch makes of a number among operands; its dtype gives way to theirs."""
    off = no_dispatch(), no_functions()
    with off[0], off[1], torch.inference_mode(False), torch.enable_grad():
        product: Any = torch.ones((), requires_grad=True) * number
        return product.grad_fn._saved_other
