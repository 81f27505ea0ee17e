"""What can still be known of a graph that nobody recorded: `trace_of(loss)` walks it from the end."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from autograd_lab.recording.recorder import Recorder
from autograd_lab.trace import Trace


def trace_of(*tensors: Any, params: Any = None) -> Trace:
    """The graph behind tensors of this engine or of PyTorch as it is now: nodes, edges, what is saved, versions.

    How it came about, lines and values of what is no longer there are not known. `params`, a dict from names to tensors
    or a module, gives names; so do variables of the caller. Raises TypeError for what is no tensor.
    """
    recorder = Recorder()
    named = params if isinstance(params, dict) else dict(params.named_parameters()) if params is not None else {}
    for tensor in tensors:
        found = _recorder_of(tensor, recorder)
        if found is None:
            hint = "; of a function: trace(f, 2.0), from autograd_lab.notebook" if callable(tensor) else ""
            raise TypeError(f"a graph is drawn of tensors or a trace, not of {type(tensor).__name__!r}{hint}")
        for name, one in named.items():
            found.name(one, name)
        found.walk(tensor)
        found.close()
    return recorder.trace


def _recorder_of(tensor: Any, recorder: Recorder) -> Recorder | None:
    """Who can tell of a tensor, beside the recorder."""
    if recorder.is_tensor(tensor):
        return recorder
    if "torch" in sys.modules:
        from autograd_lab.torch_bridge.torch_recorder import TorchRecorder

        beside = TorchRecorder(recorder)
        return beside if beside.is_tensor(tensor) else None
    return None


def tensors_in(thing: Any) -> tuple[Any, ...]:
    """A tensor, or those in a list, tuple or dict."""
    if isinstance(thing, dict):
        thing = thing.values()
    return tuple(thing) if isinstance(thing, Iterable) and not hasattr(thing, "grad_fn") else (thing,)
