"""What registering a hook gives back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from autograd_lab import listening

Hooks = dict[int, Callable[..., Any]]

ever_used = False
"""Whether any tensor or node ever had a hook: until then nobody can write into what a node sends."""
asked = False
"""Whether the user's own code may ever have run inside a backward pass, or an op refuse to: hooks, formulas, what
unpacks saved tensors. Until then nobody can tell when leaves get their gradients.
"""
_ids = count()


def shared(gradients: Any) -> tuple[Any, ...]:
    """What a node sends, one for each edge: a number in an array, so that whoever else gets it sees a hook's write."""
    sent = gradients if type(gradients) is tuple else (gradients,)
    if not ever_used or not any(isinstance(g, np.generic) for g in sent):
        return sent
    arrays = {id(g): np.asarray(g) for g in sent if isinstance(g, np.generic)}
    return tuple([arrays.get(id(g), g) for g in sent])


class RemovableHandle:
    """`remove()` takes the hook off again, as does leaving a `with` block."""

    __module__ = "torch.utils.hooks"

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self._hooks = hooks_dict
        self._extra = extra_dict if isinstance(extra_dict, list) else [] if extra_dict is None else [extra_dict]
        self.id = next(_ids)

    def hooks_dict_ref(self) -> Any:
        """The hooks that this one is among."""
        return self._hooks

    def remove(self) -> None:
        """Take the hook off, if it is still on; also out of the extra dicts."""
        for hooks in (self._hooks, *self._extra):
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def added(hooks: Hooks, hook: Callable[..., Any], kind: str, tensor: Any, node: Any) -> RemovableHandle:
    """Hang up a hook."""
    global ever_used, asked
    ever_used = asked = True
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if listening.active is not None:
        listening.active.hook_registered(kind, tensor, node)
    return handle


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a hook as one that nobody misses in a pickled tensor: no warning tells that it is left out."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f
