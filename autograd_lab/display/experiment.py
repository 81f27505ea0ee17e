"""Running a function again and again with other values, each time as the same few lines of program."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from autograd_lab.events import BackwardStarted
from autograd_lab.recording.iterations.record import record
from autograd_lab.trace import Trace

FILE = "explore"
"""What the lines that call the function are shown as."""
PLAIN = (bool, int, str, type(None))
"""What is written into the call as it is; anything else goes by its name."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one run did, the call itself, and what it gave or raised."""

    trace: Trace
    call: str
    result: Any
    error: Exception | None


def torch_of(function: Callable[..., Any]) -> Any:
    """Whose tensors a function is for: PyTorch's if it names that, or has it as `torch` in its module; else ours."""
    theirs = sys.modules.get("torch")
    globals_of = getattr(function, "__globals__", None) or vars(sys.modules.get(type(function).__module__, sys))
    code = getattr(function, "__code__", None)
    named = [globals_of.get(name) for name in ("torch", *(code.co_names if code else ()))]
    if theirs is not None and (theirs in named or isinstance(function, theirs.nn.Module)):
        return theirs
    return sys.modules[__name__.partition(".")[0]]


def run(function: Callable[..., Any], values: Mapping[str, Any]) -> Run:
    """Call a function with these keyword arguments and record it; floats become leaves that ask for a gradient.

    If the result is one number that requires grad, and no pass was run by the function itself, it is differentiated.
    """
    torch, name = torch_of(function), _name(function, values)
    leaves = {key: value for key, value in values.items() if type(value) is float}
    lines = [f"{key} = torch.tensor({value!r}, requires_grad=True)" for key, value in leaves.items()]
    lines.append(f"result = {name}({', '.join(f'{key}={_written(key, value)}' for key, value in values.items())})")
    ending = "result.backward()"
    scope = {**values, "torch": torch, name: function}
    error = None
    linecache.cache[FILE] = (0, None, [f"{line}\n" for line in (*lines, ending)], FILE)
    try:
        with record() as trace:
            exec(compile("\n".join(lines), FILE, "exec"), scope)
            if _can_be_differentiated(scope["result"], trace):
                lines.append(ending)
                exec(compile("\n" * (len(lines) - 1) + ending, FILE, "exec"), scope)
    except Exception as raised:
        error = raised
    if FILE in trace.files:
        trace.files[FILE] = "\n".join(lines)
    said = ", ".join(f"{key}={getattr(value, '__name__', None) or repr(value)}" for key, value in values.items())
    return Run(trace, f"{name}({said})", scope.get("result"), error)


def _name(function: Callable[..., Any], values: Mapping[str, Any]) -> str:
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() and name not in {*values, "torch", "result"} else "function"


def _written(key: str, value: Any) -> str:
    return repr(value) if type(value) in PLAIN else key


def _can_be_differentiated(result: Any, trace: Trace) -> bool:
    ran = any(isinstance(event, BackwardStarted) for event in trace)
    return not ran and getattr(result, "requires_grad", False) and result.numel() == 1
