"""What an optimizer gives away of itself to be kept, and takes up again: its state and groups, and hooks on both."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.handles import RemovableHandle

Group = dict[str, Any]
Hook = Callable[..., Any]
HOOKS = [
    f"_optimizer_{what}_{when}_hooks" for what in ("step", "state_dict", "load_state_dict") for when in ("pre", "post")
]
"""Where an optimizer's hooks are, as in PyTorch."""


class Keeping:
    """`state_dict` and `load_state_dict`."""

    _optimizer_step_pre_hooks: OrderedDict[int, Hook]
    _optimizer_step_post_hooks: OrderedDict[int, Hook]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Hook]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Hook]
    defaults: dict[str, Any]
    state: defaultdict[Any, dict[str, Any]]
    param_groups: list[Group]

    def _prepare(self) -> None:
        """Have places for hooks, which come with no copy."""
        for place in HOOKS:
            self.__dict__.setdefault(place, OrderedDict())

    def _hung(self, place: str, hook: Hook, prepend: bool = False) -> RemovableHandle:
        hooks = getattr(self, place)
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called before each `state_dict`."""
        return self._hung("_optimizer_state_dict_pre_hooks", hook, prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called after each `state_dict`, which gives what the hook returns."""
        return self._hung("_optimizer_state_dict_post_hooks", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called before each `load_state_dict`, which takes what it returns."""
        return self._hung("_optimizer_load_state_dict_pre_hooks", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called after each `load_state_dict`."""
        return self._hung("_optimizer_load_state_dict_post_hooks", hook, prepend)

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()
        self.defaults.setdefault("differentiable", False)

    def state_dict(self) -> dict[str, Any]:
        """State and groups, with numbers in place of parameters."""
        for hook in list(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        numbers: dict[Any, int] = {}
        for parameter in chain.from_iterable(group["params"] for group in self.param_groups):
            numbers.setdefault(parameter, len(numbers))
        groups = [
            {name: value for name, value in group.items() if name != "params"}
            | {"params": [numbers[parameter] for parameter in group["params"]]}
            for group in self.param_groups
        ]
        kept = {"state": {numbers.get(key, key): state for key, state in self.state.items()}, "param_groups": groups}
        return self._after("_optimizer_state_dict_post_hooks", kept)

    def _after(self, place: str, kept: dict[str, Any]) -> dict[str, Any]:
        """What hooks return in the place of what is kept."""
        for hook in list(getattr(self, place).values()):
            returned = hook(self, kept)
            kept = kept if returned is None else returned
        return kept

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and groups. Raises ValueError if there are other groups, or of other sizes."""
        saved = self._after("_optimizer_load_state_dict_pre_hooks", state_dict.copy())
        groups = deepcopy(saved["param_groups"])
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        pairs = list(zip(self.param_groups, groups, strict=True))
        if any(len(ours["params"]) != len(theirs["params"]) for ours, theirs in pairs):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        found: dict[Any, Any] = {}
        for ours, theirs in pairs:
            found.update(zip(theirs["params"], ours["params"], strict=True))
            theirs["params"] = ours["params"]
            if "param_names" in ours:
                theirs.setdefault("param_names", ours["param_names"])
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, one in saved["state"].items():
            state[found.get(key, key)] = self._fitting(found[key], None, one) if key in found else one
        self.__setstate__({"state": state, "param_groups": groups})
        for hook in list(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def _fitting(self, parameter: Any, name: Any, value: Any) -> Any:
        """A loaded state, in the parameter's dtype if it is one number for each element."""
        if isinstance(value, dict):
            return {key: self._fitting(parameter, key, one) for key, one in value.items()}
        if is_tensor(value):
            return value if name == "step" or not parameter.is_floating_point() else value.to(parameter.dtype)
        if isinstance(value, Iterable) and not isinstance(value, str):
            kind: Any = type(value)
            return kind(self._fitting(parameter, None, one) for one in value)
        return value
