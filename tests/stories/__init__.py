"""Small programs that tell a story in several steps, in the engine and in real PyTorch alike.

Each is a function of the module to use as `torch`, written as a student writes it, with nothing random in it. What it
returns, prints or raises is to be the same in both worlds, and so is every step in between. A file is a topic; its
functions are its stories, save those whose names begin with an underscore. A fact of PyTorch that a story shows is
said in its docstring.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import isfunction
from typing import Any

Story = Callable[[Any], Any]

TOPICS = [
    "arithmetic",
    "reductions",
    "shapes",
    "writes",
    "saved",
    "backward",
    "hooks",
    "functions",
    "operators",
    "modes",
    "doubles",
    "checkpoints",
    "precision",
    "layers",
    "training",
    "mistakes",
    "articles",
    "lessons",
]


def filled(torch: Any, module: Any) -> Any:
    """The module with weights set by hand: the same in both worlds, different in each of its parameters."""
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            weights = torch.linspace(-0.5, 0.6 + 0.05 * number, parameter.numel())
            parameter.copy_(weights.reshape(parameter.shape))
    return module


def said(error: BaseException) -> str:
    """What an error says first; the engine adds lines of its own."""
    return f"{type(error).__name__}: {error}".splitlines()[0]


def stories_of(topic: str) -> dict[str, Story]:
    """The stories of a topic, by `topic.name`."""
    found = vars(import_module(f"{__name__}.{topic}"))
    return {
        f"{topic}.{name}": thing
        for name, thing in found.items()
        if isfunction(thing) and thing.__module__ == f"{__name__}.{topic}" and not name.startswith("_")
    }


PROGRAMS: dict[str, Story] = {name: tell for topic in TOPICS for name, tell in stories_of(topic).items()}
