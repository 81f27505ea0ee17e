"""From a function to a graph, and from the graph to numpy without the engine: `compile`.

Read `graph.py` and `kernel.py` first: what is captured. Then `capture/`: how, and what a capture depends on; `passes/`:
how the graph becomes a smaller one; `joint.py`: forward and backward; `program/`: how it becomes Python; `entry.py`
and `compiled.py`: what is called; `telling.py`: what is told of it. PyTorch's names for these parts are Dynamo
(`capture/reach.py`, `guards.py`), AOTAutograd (`capture/capture.py`, `joint.py`) and Inductor (the rest).
"""

from __future__ import annotations

import warnings

from autograd_lab.compiler.compiled import OptimizedModule as OptimizedModule
from autograd_lab.compiler.compiled import compile
from autograd_lab.elsewhere.asked_for import as_it_is, never, nothing

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "reset",
]  # fmt: skip
allow_in_graph = assume_constant_result = disable = as_it_is
is_compiling = is_dynamo_compiling = is_exporting = never
cudagraph_mark_step_begin = nothing


def reset() -> None:
    """Nothing: each compiled function keeps its own graphs."""


# Infinities and NaNs are results, as in the engine.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autograd_lab\.compiler")
