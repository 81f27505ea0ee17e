"""From a function to a graph, and from the graph to numpy without the engine: `compile`.

Read `graph.py` first: what is captured. Then `symbol.py` and `tape.py`: how, with `capture.py` around them; `reach.py`
and `guards.py`: what a capture depends on; `passes/`: how the graph becomes a smaller one; `joint.py`: forward and
backward; `buffers.py`, `schedule.py`, `tiles.py`, `listing.py`, `program.py`: how it becomes Python; `entry.py` and
`compiled.py`: what is called. PyTorch's names for these parts are Dynamo (`reach`, `guards`), AOTAutograd (`capture`,
`joint`) and Inductor (the rest).
"""

from __future__ import annotations

import warnings

from autograd_lab.compiler.compiled import compile

__all__ = ["compile"]

# Infinities and NaNs are results, as in the engine.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autograd_lab\.compiler")
