"""What programs take from `torch._C`: of tensors that stand in for others, of the pass that runs, and of nodes."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from types import SimpleNamespace
from typing import Any
from weakref import WeakKeyDictionary, ref

from autograd_lab.autograd import graph
from autograd_lab.engine.core import hooks
from autograd_lab.engine.core.backward import _dependencies
from autograd_lab.engine.core.edges import AccumulateGrad
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.exact.delayed import DelayedError, UndefinedGrad
from autograd_lab.engine.exact.levels import is_enabled as _is_fwd_grad_enabled  # noqa: F401
from autograd_lab.engine.exact.levels import set_enabled as _set_fwd_grad_enabled  # noqa: F401
from autograd_lab.engine.exact.saving import SavedTensor, _refusal, saved_alone
from autograd_lab.engine.modes.grad_mode import is_grad_enabled as is_grad_enabled
from autograd_lab.engine.modes.grad_mode import is_multithreading_enabled
from autograd_lab.engine.modes.transforming import inside_a_transform
from autograd_lab.engine.tensor.names_in_overrides import *  # noqa: F403
from autograd_lab.engine.tensor.names_in_overrides import (
    _disabled_torch_function_impl as _disabled_torch_function_impl,
)
from autograd_lab.engine.tensor.tensor import Tensor

SEVERAL_THREADS = (
    "get_current_graph_task_execution_order expects the current backward to be executed with multithreading disabled, "
    "e.g. by running:\n\n>>> with torch.autograd.set_multithreading_enabled(False):\n...     torch.autograd.grad(...)\n"
)

has_lapack = True
_TensorMeta = type(Tensor)


def _log_api_usage_once(event: str) -> None:
    """Nothing: nobody counts what libraries call."""


def _are_functorch_transforms_active() -> bool:
    """Whether a function runs that `grad`, `vmap` or their kin transform."""
    return bool(inside_a_transform())


def _get_tracing_state() -> None:
    """None: nothing is traced."""


def _unsafe_set_version_counter(tensors: Any, versions: Any) -> None:
    """Have each tensor say that it was written to so many times."""
    for tensor, version in zip(tensors, versions, strict=True):
        if version < 0:
            raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
        tensor._cell[0] = version


_functions = SimpleNamespace(AccumulateGrad=AccumulateGrad, DelayedError=DelayedError, UndefinedGrad=UndefinedGrad)
graph.Node.register(DelayedError)
graph.Node.register(UndefinedGrad)
_autograd = SimpleNamespace(
    SavedTensor=SavedTensor,
    _saved_tensors_hooks_is_enabled=lambda: _refusal.get() is None,
    _saved_tensors_hooks_get_disabled_error_message=_refusal.get,
    _make_saved_tensor=saved_alone,
    _unsafe_set_version_counter=_unsafe_set_version_counter,
)


class _WeakTensorRef:
    """Whether a tensor is still there."""

    def __init__(self, tensor: Any) -> None:
        self._tensor = ref(tensor)

    def expired(self) -> bool:
        """Whether it is gone."""
        return self._tensor() is None


_numbers: WeakKeyDictionary[hooks.Pass, int] = WeakKeyDictionary()
_next = count().__next__


def _current_graph_task_id() -> int:
    """The number of the backward pass that runs; -1 outside of one. Passes are counted once they are asked."""
    now = hooks.current.get()
    if now is None:
        return -1
    if now not in _numbers:
        _numbers[now] = _next()
    return _numbers[now]


def _will_engine_execute_node(node: Any) -> bool:
    """Whether the backward pass that runs comes to a node. Raises RuntimeError outside of one."""
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    now = hooks.current.get()
    if now is None:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    return graph._will_run(now, node)


def _current_graph_task_execution_order() -> list[Node]:
    """The nodes that the backward pass which runs comes to, from its roots on, in their order."""
    now = hooks.current.get()
    if now is None:
        raise RuntimeError("_current_graph_task_execution_order should only be called during the backward pass")
    if is_multithreading_enabled():
        raise RuntimeError(SEVERAL_THREADS)
    missing, found = _dependencies([(root, 0) for root in now.roots]), []
    ready: list[tuple[int, int, Node]] = []
    for root in now.roots:
        heappush(ready, (-root.seq, len(ready), root))
    while ready:
        found.append(heappop(ready)[2])
        for target, _ in found[-1].next_functions:
            if target is not None and (now.reached is None or target in now.reached):
                missing[target] -= 1
                if not missing[target]:
                    heappush(ready, (-target.seq, len(found) + len(ready), target))
    return found
