"""`Optimizer`: groups of parameters with their settings, a state for each parameter, and `step()`."""

from __future__ import annotations

import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import wraps
from itertools import chain
from typing import Any, TypeAlias

import numpy as np

from autograd_lab import listening
from autograd_lab.engine.core.variable import is_tensor, wrap
from autograd_lab.engine.modes.grad_mode import enable_grad, no_grad_quietly
from autograd_lab.engine.modes.handles import RemovableHandle
from autograd_lab.engine.numbers.dtypes import Array, NumpyDtype, double, float32, get_default_dtype
from autograd_lab.engine.tensor.tensor import Tensor
from autograd_lab.nn.module import clear
from autograd_lab.nn.parameter import typename
from autograd_lab.whose import users_level

Group = dict[str, Any]
ParamsT: TypeAlias = Iterable[Tensor] | Iterable[Group] | Iterable[tuple[str, Tensor]]
"""What may be given as parameters, for annotations."""

DUPLICATES = (
    "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; see "
    "github.com/pytorch/pytorch/issues/40967 for more information"
)


class _Required:
    """The default of a setting that each group has to have."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


class Optimizer:
    """What all optimizers have. A subclass passes its default settings to `__init__`, and has a `step`."""

    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]
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
        """Have places for hooks, which come with no copy, and have them called around a `step` of the user's own."""
        for place in HOOKS:
            self.__dict__.setdefault(place, OrderedDict())
        own: Any = type(self).step
        if not getattr(own, "hooked", False):
            type(self).step = _with_hooks(own)  # type: ignore[method-assign]

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change all parameters that have a gradient."""
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero in place."""
        clear([parameter for group in self.param_groups for parameter in group["params"]], set_to_none)

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
            if not (parameter.is_leaf or parameter.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        for name, value in self.defaults.items():
            if value is required and name not in group:
                message = f"parameter group didn't specify a value of required optimization parameter {name}"
                raise ValueError(message)
            group.setdefault(name, value)
        if len(set(group["params"])) != len(group["params"]):
            warnings.warn(DUPLICATES, UserWarning, stacklevel=users_level())
        known = set(chain.from_iterable(other["params"] for other in self.param_groups))
        if not known.isdisjoint(group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    # --- hooks -----------------------------------------------------------------------------------------------------

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called before each step."""
        return _hung(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Have `hook(optimizer, args, kwargs)` called after each step."""
        return _hung(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called before each `state_dict()`."""
        return _hung(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called after it: the dict, changed in place, or another one."""
        return _hung(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called before a dict is loaded: this one, or another that it gives."""
        return _hung(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called when a dict is loaded."""
        return _hung(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # --- state -----------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()
        self.defaults.setdefault("differentiable", False)

    def state_dict(self) -> dict[str, Any]:
        """State and groups, with numbers in place of parameters."""
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[Any, int] = {}
        for parameter in chain.from_iterable(group["params"] for group in self.param_groups):
            numbers.setdefault(parameter, len(numbers))
        groups = [
            {name: value for name, value in group.items() if name != "params"}
            | {"params": [numbers[parameter] for parameter in group["params"]]}
            for group in self.param_groups
        ]
        state = {numbers.get(key, key): state for key, state in self.state.items()}
        saved: dict[str, Any] = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            saved = _or(hook(self, saved), saved)
        return saved

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and groups. Raises ValueError if there are other groups, or of other sizes."""
        saved = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            saved = _or(hook(self, saved), saved)
        groups = deepcopy(saved["param_groups"])
        found: dict[Any, Any] = {}
        for ours, theirs in self._paired(groups):
            found.update(zip(theirs["params"], ours["params"], strict=True))
            theirs["params"] = ours["params"]
            if "param_names" in ours:
                theirs.setdefault("param_names", ours["param_names"])
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, one in saved["state"].items():
            state[found.get(key, key)] = _fitting(found[key], key, one) if key in found else one
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    def _paired(self, groups: list[Group]) -> list[tuple[Group, Group]]:
        """Each of our groups with the loaded one. Raises ValueError if they are others."""
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, groups, strict=True))
        if any(len(ours["params"]) != len(theirs["params"]) for ours, theirs in pairs):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        return pairs

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for number, group in enumerate(self.param_groups):
            lines = [f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params"]
            text += f"\nParameter Group {number}\n" + "".join(lines)
        return text + ")"


class Descent(Optimizer):
    """What changes one parameter after another by a rule, `update`, on arrays."""

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

    def _stepped(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad_quietly(), np.errstate(all="ignore"):
            for group in self.param_groups:
                for parameter in group["params"]:
                    found = parameter._grad if parameter._edge is None else parameter.grad  # warns of what is computed
                    if found is not None:
                        gradient = found._array
                        self.update(parameter, -gradient if group.get("maximize") else gradient, group)
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
    """Move the version of a state; nobody will ask who did it."""
    tensor._cell[0] += writes


def scalar_kind() -> NumpyDtype:
    """The dtype that PyTorch keeps a step in, or another number of an optimizer."""
    return double.numpy if get_default_dtype() is double else float32.numpy


def number(value: Any) -> float:
    """A setting that may be a tensor of one element."""
    return float(value._array.item()) if is_tensor(value) else value


def checked(**settings: Any) -> None:
    """Raise ValueError for a setting that is negative; underscores in names stand for themselves."""
    for name, value in settings.items():
        if not value >= 0:
            raise ValueError(f"Invalid {WORDS.get(name, f'{name} value')}: {value}")


WORDS = {"lr": "learning rate", "eps": "epsilon value"}


def check_lr(lr: Any) -> None:
    """Raise ValueError for a learning rate of several elements."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check_betas(betas: tuple[Any, Any]) -> None:
    """Raise ValueError unless both are in [0, 1)."""
    for position in range(2):
        if not 0.0 <= number(betas[position]) < 1.0:
            raise ValueError(f"Invalid beta parameter at index {position}: {betas[position]}")


def check_kinds(foreach: bool | None, fused: bool | None, differentiable: bool) -> None:
    """Raise RuntimeError for ways of computing that exclude each other, or that there are not here."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    if differentiable:
        raise NotImplementedError("autograd_lab's optimizers do not record what they compute: differentiable=True")


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


def _hung(hooks: OrderedDict[int, Any], hook: Callable[..., Any], first: bool = False) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _or(result: Any, otherwise: Any) -> Any:
    return otherwise if result is None else result


def _hooked(optimizer: Any, step: Callable[..., Any], *args: Any, **named: Any) -> Any:
    """What a step gives, with the hooks called around it: those before it may change its arguments."""
    args = (optimizer, *args)
    for hook in list(optimizer._optimizer_step_pre_hooks.values()):
        result = hook(optimizer, args, named)
        if result is not None:
            if not isinstance(result, tuple) or len(result) != 2:
                kind = type(optimizer)
                name = f"<function {kind.__name__}.step at {id(kind):#x}>"
                raise RuntimeError(f"{name} must return None or a tuple of (new_args, new_kwargs), but got {result}.")
            args, named = result
    found = step(*args, **named)
    for hook in list(optimizer._optimizer_step_post_hooks.values()):
        hook(optimizer, args, named)
    return found


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` of the user's own, with the hooks around it."""

    @wraps(step)
    def call(self: Any, *args: Any, **named: Any) -> Any:
        return _hooked(self, step, *args, **named)

    call.hooked = True  # type: ignore[attr-defined]
    return call


def _fitting(parameter: Any, name: Any, value: Any) -> Any:
    """A loaded state, in the parameter's dtype if it is one number for each element."""
    if isinstance(value, dict):
        return {key: _fitting(parameter, key, one) for key, one in value.items()}
    if is_tensor(value):
        return value if name == "step" or not parameter.is_floating_point() else value.to(parameter.dtype)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return type(value)(_fitting(parameter, None, one) for one in value)  # type: ignore[call-arg]
    return value


HOOKS = [
    f"_optimizer_{what}_{when}_hooks" for what in ("step", "state_dict", "load_state_dict") for when in ("pre", "post")
]
"""Where an optimizer's hooks are, as in PyTorch."""


Parameters = Iterable[Any]
