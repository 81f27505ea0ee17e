"""Programs in which the engine once differed from PyTorch. Their names say what is the same by now."""

from __future__ import annotations

KEPT: dict[str, str] = {}
