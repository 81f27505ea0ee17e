"""What the core leaves to others: each of these is set by the room that knows how, and is None where nobody asks."""

from __future__ import annotations

from typing import Any

on_recorded: Any = None
"""Called with each node that is put into a graph, once it is complete: for those few who watch all nodes."""
carry: Any = None
"""Gives the results of an op their tangents, while anybody differentiates forward."""
guarded: Any = None
"""Makes the evaluation of a node one that tells where the node came from, in anomaly mode."""
through_base: Any = None
"""The edge of a view whose base was written to: it goes through the base."""
attribute: Any = None
"""What PyTorch shows of a node, such as `_saved_self`, by its name."""
called: Any = None
"""What a node does that the user calls as a function."""
listed: Any = None
"""The names of all that."""
