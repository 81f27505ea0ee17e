"""Passes: each makes another graph of a graph, and says of the values that are gone what has become of them.

All of them leave the results as they are, bit for bit: a rule that holds for real numbers but not for floats, such as
x + 0 = x, which is wrong for -0, is none.
"""

from __future__ import annotations

from collections.abc import Callable

from autograd_lab.compiler.graph import Graph, Value
from autograd_lab.compiler.passes.algebra import algebra
from autograd_lab.compiler.passes.constants import constants
from autograd_lab.compiler.passes.dead import dead
from autograd_lab.compiler.passes.duplicates import duplicates
from autograd_lab.compiler.passes.fusion import fusion
from autograd_lab.compiler.program.schedule import schedule

Notes = dict[Value, str]
Pass = Callable[[Graph], tuple[Graph, Notes]]

ON_ALL: tuple[Pass, ...] = (dead, constants, algebra, duplicates, dead)
"""The passes that forward and backward go through as one graph, in this order."""
ON_HALVES: tuple[Pass, ...] = (fusion, schedule)
"""Those that each half goes through by itself."""
