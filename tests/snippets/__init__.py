"""Small programs in the files beside this one, run in the engine and in real PyTorch: both must print the same.

In each, `x` is `torch.tensor([1., 2., 3.], requires_grad=True)`. `E(f)` prints what `f()` gives or raises, `W(f)` the
warnings that it gives, and `NF(t)` tells where the gradient of `t` goes.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent


def programs(name: str) -> dict[str, str]:
    """The programs of a file, by title."""
    text = (HERE / name).read_text(encoding="utf-8")
    return dict(re.findall(r"^\*([^\n]+)\*\n```python\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL))


def first_line(text: object) -> str:
    """The first line of a message, without the place in PyTorch's own sources that warned."""
    return (str(text).splitlines() or [""])[0].partition(" (Triggered internally")[0]


def printed(m: Any, program: str) -> str:
    """All that a program prints, and the warnings that it leaves."""
    out = io.StringIO()
    with warnings.catch_warnings(record=True) as left, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", RuntimeWarning)  # numpy's, of infinities, which a program does not get to see
        warnings.simplefilter("ignore", DeprecationWarning)  # numpy's, of what PyTorch has not
        try:
            exec(compile(program, "<program>", "exec"), _names(m))
        except Exception as error:
            print(f"{type(error).__name__}: {first_line(error)}")
    said = sorted(f"{one.category.__name__}: {first_line(one.message)}" for one in left)
    text = "\n".join([out.getvalue(), *said])
    return re.sub(
        "0x[0-9a-f]+", "0x", text.replace("autograd_lab.engine.tensor.tensor", "torch").replace("autograd_lab", "torch")
    )


def _names(m: Any) -> dict[str, Any]:
    x = m.tensor([1.0, 2.0, 3.0], requires_grad=True)
    return {"torch": m, "nn": m.nn, "F": m.nn.functional, "np": np, "x": x, "E": E, "W": W, "NF": NF}


def E(action: Callable[[], Any]) -> None:
    """Print what an action gives, or the type and the first line of what it raises."""
    try:
        print("ok:", action())
    except Exception as error:
        print(f"{type(error).__name__}: {first_line(error)}")


def W(action: Callable[[], Any]) -> Any:
    """Print the warnings that an action gives; what it returned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", RuntimeWarning)
        result = action()
    for one in caught:
        print(f"{one.category.__name__}: {first_line(one.message)}")
    return result


def NF(tensor: Any) -> list[tuple[str | None, int]]:
    """The names of the nodes that a tensor's node leads to."""
    return [
        (None if node is None else node.name().rpartition(":")[2], nr) for node, nr in tensor.grad_fn.next_functions
    ]
