"""`Optimizer`: groups of parameters with their settings, a state for each parameter, and `step()`."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import partial, wraps
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.modes.grad_mode import enable_grad, no_grad_quietly, set_grad_enabled
from autograd_lab.engine.modes.handles import Hooks, RemovableHandle
from autograd_lab.engine.modes.inference import check_write
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, double, float32, get_default_dtype
from autograd_lab.engine.tensor import foreach
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn.module import clear
from autograd_lab.nn.parameter import Parameter, typename
from autograd_lab.optim.keeping import Keeping
from autograd_lab.whose import users_level

Group = dict[str, Any]
ParamsT: TypeAlias = Iterable[Tensor] | Iterable[Group] | Iterable[tuple[str, Tensor]]
"""What may be given as parameters, for annotations."""

DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
    "github.com/pytorch/pytorch/issues/40967 for more information"
)


NAMED = "all optimizer param groups should be with/without names. cannot add param group {} to the optimizer"


class _Required:
    """The default of a setting that each group has to have."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


_before_each: Hooks = {}
_after_each: Hooks = {}


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have `hook(optimizer, args, kwargs)` called before each step of each optimizer."""
    return hung(_before_each, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Have `hook(optimizer, args, kwargs)` called after each step of each optimizer."""
    return hung(_after_each, hook)


def _hooked(optimizer: Any, step: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What a step gives, with the hooks called around it: those before it may change its arguments."""
    args = (optimizer, *args)
    for hook in [*_before_each.values(), *optimizer._optimizer_step_pre_hooks.values()]:
        result = hook(optimizer, args, named)
        if result is not None:
            if not isinstance(result, tuple) or len(result) != 2:
                kind = type(optimizer)
                name = f"<function {kind.__name__}.step at {id(kind):#x}>"
                raise RuntimeError(f"{name} must return None or a tuple of (new_args, new_kwargs), but got {result}.")
            args, named = result
    found = step(*args, **named)
    for hook in [*optimizer._optimizer_step_post_hooks.values(), *_after_each.values()]:
        hook(optimizer, args, named)
    return found


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` of the user's own, with the hooks around it."""

    @wraps(step)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        return _hooked(self, step, *args, **named)

    call.hooked = True  # type: ignore[attr-defined]
    return call


class Optimizer(Keeping):
    """What all optimizers have. A subclass passes its default settings to `__init__`, and has a `step`."""

    _opt_called: bool | None = None
    """Whether `step` was called since a scheduler came; None without one, and where that cannot be known."""

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        if is_tensor(params):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{typename(params)}"
            )
        self.state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self._prepare()
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def _prepare(self) -> None:
        """Have places for hooks, and have them called around a `step` of the user's own."""
        super()._prepare()
        self._patch_step_function()

    def _patch_step_function(self) -> None:
        own: Any = type(self).step
        if not getattr(own, "hooked", False):
            type(self).step = _with_hooks(own)  # type: ignore[method-assign]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change all parameters that have a gradient."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero in place."""
        self.defaults.get("foreach")  # which PyTorch asks: an optimizer that has no `defaults` hears of it here
        clear([parameter for group in self.param_groups for parameter in group["params"]], set_to_none)

    _group_tensors_by_device_and_dtype = staticmethod(foreach._group_tensors_by_device_and_dtype)
    profile_hook_step = staticmethod(_with_hooks)

    # --- groups ----------------------------------------------------------------------------------------------------

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters with settings of their own; what is not set is as in `defaults`."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = param_group
        _list_parameters(group)
        for parameter in group["params"]:
            if not is_tensor(parameter):
                kind = typename(parameter)
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {kind}")
            if not (parameter.is_leaf or parameter.retains_grad or self.defaults.get("differentiable")):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, value in self.defaults.items():
            if value is required and name not in group:
                message = f"parameter group didn't specify a value of required optimization parameter {name}"
                raise ValueError(message)
            group.setdefault(name, value)
        if len(set(group["params"])) != len(group["params"]):
            warnings.warn(DUPLICATES, UserWarning, stacklevel=users_level())
        if any(("param_names" in group) != ("param_names" in other) for other in self.param_groups):
            named = "with names" if "param_names" in group else "without names"
            raise ValueError(NAMED.format(named))
        known = set(chain.from_iterable(other["params"] for other in self.param_groups))
        if not known.isdisjoint(group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    # --- hooks -----------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called before each step."""
        return self._hung("_optimizer_step_pre_hooks", hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called after each step."""
        return self._hung("_optimizer_step_post_hooks", hook)

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            lines = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            text += f"\nParameter Group {number}\n" + "".join(lines)
        return text + ")"


UNCAPTURED = "If capturable=True, {} must be on supported devices: {}."
DEVICES = ["cuda", "xpu", "hpu", "privateuseone", "xla"]


class Descent(Optimizer):
    """What changes one parameter after another by a rule, `update`, on arrays."""

    recorded: Any = None
    """The same rule on tensors, which is taken where steps are to be recorded: `differentiable=True`."""
    captured = "params and state_steps"
    """What would have to be on another device for `capturable=True`."""
    devices = DEVICES
    """On which."""

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change all parameters that have a gradient; `closure`, if given, computes the loss anew before."""
        if self._opt_called is not None:
            self._opt_called = True
        active = listening.active
        if active is not None:
            active.optimizer_entered(self)
        try:
            loss = _hooked(self, type(self)._stepped, *(() if closure is None else (closure,)))
        finally:
            if active is not None:
                active.optimizer_left(self)
        if listening.listeners:
            listening.passed("step", self)
        return loss

    step.hooked = True  # type: ignore[attr-defined]

    def _fitting(self, parameter: Any, name: Any, value: Any) -> Any:
        if name == "step" and not is_tensor(value):
            return wrap(np.array(value, scalar_kind()))
        return super()._fitting(parameter, name, value)

    def _stepped(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        recorded = self.defaults.get("differentiable")
        with enable_grad() if recorded else no_grad_quietly(), np.errstate(all="ignore"):
            for group in self.param_groups:
                for parameter in group["params"]:
                    found = parameter._grad if parameter._edge is None else parameter.grad  # warns of what is computed
                    if found is None:
                        continue
                    if group.get("capturable") and type(parameter._array) is np.ndarray:
                        raise AssertionError(UNCAPTURED.format(self.captured, self.devices))
                    gradient = found if recorded else found._array
                    change = partial(type(self).recorded, self.state[parameter]) if recorded else self.update
                    change(parameter, -gradient if group.get("maximize") else gradient, group)
        return loss

    def update(self, parameter: Any, gradient: Array, group: Group) -> None:
        """Change one parameter in place."""
        raise NotImplementedError

    def _counted(self, parameter: Any) -> Array:
        """How many steps the parameter has made, with this one, in float64; never a number of Python's.

        So `compile` does not take it for the same in each run.
        """
        step = self.state[parameter].setdefault("step", wrap(np.zeros((), scalar_kind())))
        advance(step)
        step._array += 1
        counted: Array = step._array.astype(np.float64)
        return counted

    def _kept(self, parameter: Any, name: str, writes: int) -> Array:
        """A state of the parameter's shape, zeros at first, that is about to be written to."""
        kept = self.state[parameter].get(name)
        if kept is None:
            kept = self.state[parameter][name] = wrap(np.zeros_like(parameter._array))
        advance(kept, writes)
        return kept._array


def advance(tensor: Any, writes: int = 1) -> None:
    """Move the version of a state; nobody will ask who did it. One that was made in inference mode has none."""
    if type(tensor._cell) is list:
        tensor._cell[0] += writes
    else:
        check_write(tensor)


def scalar_kind() -> NumpyDtype:
    """The dtype that PyTorch keeps a step in, or another number of an optimizer."""
    return double.numpy if get_default_dtype() is double else float32.numpy


def number(value: Any) -> float:
    """A setting that may be a tensor of one element."""
    return float(value._array.item()) if is_tensor(value) else value


def checked(**settings: Any) -> None:
    """Raise ValueError for a setting that is negative; underscores in names stand for themselves."""
    for name, value in settings.items():
        if not value >= 0.0:
            raise ValueError(f"Invalid {WORDS.get(name, f'{name} value')}: {value}")


def check_negative(**settings: Any) -> None:
    """The same of what PyTorch asks the other way round, so that what is no number passes."""
    for name, value in settings.items():
        if value < 0.0:
            checked(**{name: value})


WORDS = {"lr": "learning rate", "eps": "epsilon value"}


def check_lr(lr: Any) -> None:
    """Raise ValueError for a learning rate of several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_betas(betas: tuple[Any, Any]) -> None:
    """Raise ValueError unless both are in [0, 1)."""
    for position in range(2):
        if not 0.0 <= betas[position] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {position}: {betas[position]}")


def check_kinds(foreach: bool | None, fused: bool | None, differentiable: bool, recorded: Any = None) -> None:
    """Raise RuntimeError for ways of computing that exclude each other, or that there are not here."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    if differentiable and recorded is None:
        raise NotImplementedError("this optimizer of autograd_lab does not record its steps: differentiable=True")


def _list_parameters(group: Group) -> None:
    """Make a list of the group's parameters, and of their names if they come as pairs."""
    params = group["params"]
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    params = [params] if is_tensor(params) else list(params)
    pairs = [isinstance(one, tuple) for one in params]
    if any(pairs):
        if not all(pairs):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        group["param_names"] = [name for name, _ in params]
        params = [parameter for _, parameter in params]
    group["params"] = params


def hung(hooks: Hooks, hook: Callable[..., Any]) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


Parameters = Iterable[Any]


# --- what optimizers of others' own import ---------------------------------------------------------------------------

_group_tensors_by_device_and_dtype = foreach._group_tensors_by_device_and_dtype
_get_foreach_kernels_supported_devices = foreach._get_foreach_kernels_supported_devices
_get_fused_kernels_supported_devices = foreach._get_fused_kernels_supported_devices
_params_doc, _foreach_doc, _fused_doc = "params: what to optimize", "foreach: changes nothing", "fused: changes nothing"
_capturable_doc, _maximize_doc, _differentiable_doc = "capturable: for GPUs", "maximize: climb", "differentiable: yes"


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` that records if the optimizer is differentiable, and does not otherwise."""

    @wraps(func)
    def step(self: Any, *args: Any, **named: Any) -> Any:
        with set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **named)

    return step


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[Any], Any]:
    return lambda func: func


def _get_value(x: Any) -> Any:
    return x.item() if is_tensor(x) else x


def _to_scalar(x: Any) -> Any:
    return x.squeeze() if is_tensor(x) and x.dim() else x


def _stack_if_compiling(x: Any) -> Any:
    return x


def _view_as_real(params: Any, *state_and_grads: Any) -> None:
    """Nothing: no parameter is complex."""


def _get_scalar_dtype(is_fused: bool | None = None) -> Any:
    return double if not is_fused and get_default_dtype() is double else float32


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]


def _default_to_fused_or_foreach(params: Any, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether a step is made as a whole, or of many tensors at once: on a CPU not, unless it is asked for."""
    floating = all(one is None or (type(one) in (Tensor, Parameter) and one.is_floating_point()) for one in params)
    fused = not differentiable and use_fused and floating
    return fused, not differentiable and not fused and all(one is None for one in params)
