"""The door for authors of ops: what a new op is made of.

A node class says what an op computes and how gradients come back through it; `apply1`, `apply2`, `applyn`, `apply_view`
and `function` make a function of it; `formulas` are what its backward is written in, so that the same lines give
arrays, and tensors under `create_graph`. `docs/extending.md` shows one from its formula to its test.
"""

from __future__ import annotations

from autograd_lab.engine.core.apply import apply1, apply2, apply_many, apply_view, applyn
from autograd_lab.engine.core.node import Node
from autograd_lab.engine.ops.ground import formulas
from autograd_lab.engine.ops.ground.applying import function
from autograd_lab.engine.ops.ground.writing import change

__all__ = ["Node", "apply1", "apply2", "apply_many", "apply_view", "applyn", "change", "formulas", "function"]
