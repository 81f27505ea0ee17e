"""How the tangents of results come about: `push.py` says what a rule is, `kinds.py` and `own.py` are the rules."""

from __future__ import annotations

from autograd_lab.engine.forward import kinds, own

__all__ = ["kinds", "own"]
