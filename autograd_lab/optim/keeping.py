"""What an optimizer gives away of itself to be kept, and takes up again: its state and groups, and hooks on both."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from copy import deepcopy
from itertools import chain
from typing import Any

from autograd_lab.engine.core.variable import is_tensor
from autograd_lab.engine.modes.handles import RemovableHandle

Group = dict[str, Any]
Hook = Callable[..., Any]


class Keeping:
    """`state_dict` and `load_state_dict`."""

    state: defaultdict[Any, dict[str, Any]]
    param_groups: list[Group]

    def _hooks_on(self, kind: str) -> OrderedDict[int, Hook]:
        """The hooks of one kind; there are none before one is hung up."""
        found: OrderedDict[int, Hook] = self.__dict__.setdefault("_hooks", {}).setdefault(kind, OrderedDict())
        return found

    def _hung(self, kind: str, hook: Hook, prepend: bool) -> RemovableHandle:
        hooks = self._hooks_on(kind)
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called before each `state_dict`."""
        return self._hung("before keeping", hook, prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called after each `state_dict`, which gives what the hook returns."""
        return self._hung("after keeping", hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer, state_dict)` called before each `load_state_dict`, which takes what it returns."""
        return self._hung("before loading", hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Have `hook(optimizer)` called after each `load_state_dict`."""
        return self._hung("after loading", hook, prepend)

    def state_dict(self) -> dict[str, Any]:
        """State and groups, with numbers in place of parameters."""
        for hook in list(self._hooks_on("before keeping").values()):
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
        return self._after("after keeping", kept)

    def _after(self, kind: str, kept: dict[str, Any]) -> dict[str, Any]:
        """What hooks return in the place of what is kept."""
        for hook in list(self._hooks_on(kind).values()):
            returned = hook(self, kept)
            kept = kept if returned is None else returned
        return kept

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over state and groups. Raises ValueError if there are other groups, or of other sizes."""
        saved = self._after("before loading", state_dict.copy())
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
        self.state = defaultdict(dict)
        for key, state in saved["state"].items():
            if key in found:
                self.state[found[key]] = {n: self._fitting(found[key], n, value) for n, value in state.items()}
            else:
                self.state[key] = state
        self.param_groups = groups
        for hook in list(self._hooks_on("after loading").values()):
            hook(self)

    def _fitting(self, parameter: Any, name: str, value: Any) -> Any:
        """A loaded state, in the parameter's dtype if it is one number for each element."""
        if not is_tensor(value) or name == "step":
            return value
        return value.to(parameter.dtype)
