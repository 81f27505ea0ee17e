"""Numbers whose last bits differ, and what a steep step makes of them: √0 and √-1e-8, the signs of 0 and 1e-9."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from tests.differential.compare import Difference, Scale
from tests.differential.observe import Numbers
from tests.differential.world import World

Arrays = dict[str, np.ndarray[Any, Any]]


def arrays_in(world: World) -> Arrays:
    """What the tensors of a world hold."""
    return {name: one.detach().clone().numpy() for name, one in world.tensors().items()}


def is_of_numbers(difference: Difference) -> bool:
    """Whether numbers differ, and nothing else."""
    ours, theirs = difference.ours, difference.theirs
    return (
        isinstance(ours, Numbers)
        and isinstance(theirs, Numbers)
        and (ours.array.shape, ours.array.dtype) == (theirs.array.shape, theirs.array.dtype)
    )


def is_theirs_of_ours(difference: Difference, before: Arrays, scale: Scale) -> bool:
    """Whether PyTorch gets the same as we do from the numbers that we had `before` the line.

    If so, the line is not to blame: the worlds had other last bits before it, within the tolerance, and it is steep.
    """
    if not before or difference.aspect != "value" or not is_of_numbers(difference):
        return False
    world = World(torch)
    line = difference.line
    for name, array in before.items():  # a module's parameter becomes a variable of its own
        plain = name.replace(".", "_")
        line, world.names[plain] = line.replace(name, plain), torch.from_numpy(array.copy())
    again = world.tensors().get(difference.subject) if world.run(line).error is None else None
    return again is not None and scale.agree(difference.ours.array, again.detach().clone().numpy())
