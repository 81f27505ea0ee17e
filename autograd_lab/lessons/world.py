"""Which PyTorch a lesson runs on: this engine, spelled as PyTorch is, or PyTorch itself."""

from __future__ import annotations

import importlib
import os
from typing import Any

from autograd_lab.view.languages.speaking import speak

WORLDS = {"autograd_lab": "autograd_lab", "torch": "torch"}
VARIABLE = "AUTOGRAD_LAB_WORLD"


def world(name: str | None = None, *, language: str | None = None) -> Any:
    """The module that a lesson calls `torch`: autograd_lab, or PyTorch if `name`, or AUTOGRAD_LAB_WORLD, says "torch".

    With a `language` all that is said is said in it from now on. Raises ValueError for another name or language,
    ImportError where PyTorch is wanted and not installed.

    >>> world("autograd_lab").tensor(2.0)
    tensor(2.)
    """
    if language is not None:
        speak(language)
    wanted = name or os.environ.get(VARIABLE) or "autograd_lab"
    if wanted not in WORLDS:
        raise ValueError(f"there are two worlds, {' and '.join(WORLDS)}; {wanted!r} is neither")
    try:
        return importlib.import_module(wanted)
    except ImportError as error:
        raise ImportError(f"{VARIABLE}=torch wants PyTorch, which cannot be imported: {error}") from None


def world_of(answer: Any) -> Any:
    """The module that a learner's function knows as `torch`; this engine if it knows none."""
    known = getattr(answer, "__globals__", {}).get("torch")
    return known if getattr(known, "__name__", "") in WORLDS else world("autograd_lab")
