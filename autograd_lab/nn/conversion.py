"""How a module's tensors are exchanged: what `Module.to` and its kin do with them, and `torch.__future__`'s wishes."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.grad_mode import no_grad_quietly
from autograd_lab.engine.numbers import dtypes
from autograd_lab.engine.numbers.device import device as Device
from autograd_lab.nn.parameter import Parameter, is_lazy, typename

POISONED = (
    "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run "
    "backward on a tensor that was swapped. For a module m with "
    "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the device or dtype of the "
    "module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To resolve this, please only change "
    "the device/dtype before running forward (or after both forward and backward)."
)
_wished = {"overwrite": False, "swap": False}


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Have conversions give a module new parameters, and not change those that it has."""
    _wished["overwrite"] = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions give a module new parameters."""
    return _wished["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Have conversions and `load_state_dict` exchange all of a parameter by `swap_tensors`, and not its data alone."""
    _wished["swap"] = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions exchange all of a parameter."""
    return _wished["swap"]


def swap_tensors(t1: Any, t2: Any) -> None:
    """Have two tensors exchange all that they are, and stay the same objects for all who hold them, weakly too."""
    slots = set(_slots(t1))
    if slots != set(_slots(t2)):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    _poison(t1, t2)
    _poison(t2, t1)
    for name in ("__class__", "__dict__", *slots):
        first, second = (getattr(tensor, name, None) for tensor in (t1, t2))
        has_first, has_second = (hasattr(tensor, name) for tensor in (t1, t2))
        _put(t1, name, second, has_second)
        _put(t2, name, first, has_first)


def _slots(tensor: Any) -> list[str]:
    found: list[str] = copyreg._slotnames(type(tensor))  # type: ignore[attr-defined]
    return found


def _put(tensor: Any, name: str, value: Any, there: bool) -> None:
    if there:
        setattr(tensor, name, value)
    elif hasattr(tensor, name):
        delattr(tensor, name)


def _poison(tensor: Any, heir: Any) -> None:
    """Refuse a backward pass into a leaf, for graphs that know it from before; its node goes with what it was."""
    extra = tensor._extra
    if extra is None or extra.accumulator is None or extra.accumulator() is None:
        return

    def refuse(_: Any) -> None:
        raise RuntimeError(POISONED)

    node = extra.accumulator()
    node._leaf = heir
    node.register_prehook(refuse)


def exchanged(module: Any, convert: Callable[[Any], Any]) -> None:
    """Convert a module's own parameters, their gradients and its buffers."""
    for name, parameter in module._parameters.items():
        if parameter is not None:
            _exchange_parameter(module, name, parameter, convert)
    for name, buffer in module._buffers.items():
        if is_lazy(buffer):
            buffer.data = convert(buffer)  # and has no shape still
        elif buffer is not None:
            module._buffers[name] = convert(buffer)


def _exchange_parameter(module: Any, name: str, parameter: Any, convert: Callable[[Any], Any]) -> None:
    with no_grad_quietly():
        new = convert(parameter)
    gradient, kept = parameter.grad, parameter
    if _wished["swap"]:
        _swap_with_gradient(module, name, parameter, new, convert)
        return
    elif _wished["overwrite"]:
        kept = module._parameters[name] = Parameter(new, parameter.requires_grad)
    elif new is not parameter:
        parameter.data = new
    if gradient is not None:
        with no_grad_quietly():
            new_gradient = convert(gradient)
        if kept.grad is not gradient:
            kept.grad = new_gradient.requires_grad_(gradient.requires_grad)
        elif new_gradient is not gradient:
            gradient.data = new_gradient


def _swap_with_gradient(module: Any, name: str, parameter: Any, new: Any, convert: Callable[[Any], Any]) -> None:
    gradient, parameter.grad = parameter.grad, None
    try:
        swap_tensors(parameter, Parameter(new, parameter.requires_grad))
        if gradient is not None:
            with no_grad_quietly():
                new_gradient = convert(gradient)
            swap_tensors(gradient, new_gradient.requires_grad_(gradient.requires_grad))
    except RuntimeError as error:
        raise RuntimeError(f"_apply(): Couldn't swap {module._get_name()}.{name}") from error
    finally:
        parameter.grad = gradient


def wanted(args: tuple[Any, ...], dtype: Any, device: Any, copy: bool) -> tuple[Any, Any]:
    """The dtype and the device that the arguments of `Module.to` ask for. Raises TypeError for others."""
    rest = list(args)
    if args and is_tensor(args[0]):
        dtype, device = args[0].dtype, args[0].device
    elif args and isinstance(args[0], dtypes.dtype):
        dtype = args[0]
    elif args:
        device = args[0]
        if rest[1:] and not isinstance(rest[1], bool):
            dtype = rest.pop(1)
        elif rest[1:]:
            raise _refused(args)
    known = device is None or isinstance(device, Device | str | int)
    if not known or not isinstance(dtype, dtypes.dtype | None) or not all(isinstance(one, bool) for one in rest[1:]):
        raise _refused(args)
    if copy or rest[2:] == [True]:
        raise RuntimeError(".to() does not accept copy argument")
    return dtype, device


def _refused(args: tuple[Any, ...]) -> TypeError:
    given = ", ".join(typename(arg) for arg in args)
    return TypeError(f"to() received an invalid combination of arguments - got ({given})")


def _parse_to(
    *args: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False, copy: bool = False,
    memory_format: Any = None,
) -> Any:  # fmt: skip
    """What the arguments of `to` ask for: a device, a dtype, whether not to wait, and an order of elements."""
    waits = [one for one in args if isinstance(one, bool)]
    dtype, where = wanted(args, dtype, device, copy)
    where = None if where is None else where if isinstance(where, Device) else Device(where)
    return where, dtype, waits[0] if waits else non_blocking, memory_format
