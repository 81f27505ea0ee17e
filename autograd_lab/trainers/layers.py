"""The layers of a model, and the norms of their gradients and weights."""

from __future__ import annotations

import math
from typing import Any

from autograd_lab.recording.iterations.meters import Number, meter_of
from autograd_lab.trainers.logbook import Norms


class Layers:
    """A layer is a module that has parameters of its own; one that others share counts once, where it comes first."""

    def __init__(self, model: Any) -> None:
        self.of: dict[str, list[Any]] = {}
        self._root = type(model).__name__
        for name, parameter in model.named_parameters():
            layer = name.rpartition(".")[0] or self._root
            self.of.setdefault(layer, []).append(parameter)
        self._ids = {id(parameter) for parameters in self.of.values() for parameter in parameters}

    def said(self, layer: str) -> str:
        """What a layer is called in pictures, where the model is `model`."""
        return "model" if layer == self._root else f"model.{layer}"

    def are_updated_by(self, optimizer: Any) -> bool:
        """Whether an optimizer has a parameter of the model."""
        groups = getattr(optimizer, "param_groups", ())
        return any(id(parameter) in self._ids for group in groups for parameter in group["params"])

    def weights(self) -> dict[str, float]:
        """What the norms of weights are now, of the layers that are trained."""
        trained = [
            each for parameters in self.of.values() for each in parameters if each.requires_grad and not each.is_meta
        ]
        meter = meter_of(trained[0]) if trained else None
        if meter is None:
            return {}
        norms = dict(zip(map(id, trained), meter.norms(trained), strict=True))
        having = {
            layer: [id(each) for each in parameters if id(each) in norms] for layer, parameters in self.of.items()
        }
        return {layer: _joint(norms, ids) for layer, ids in having.items() if ids}

    def norms(self) -> dict[str, Norms]:
        """What the norms are now, of the layers that have a gradient."""
        graded = [each for parameters in self.of.values() for each in parameters if each.grad is not None]
        meter = meter_of(graded[0]) if graded else None
        if meter is None:
            return {}
        gradients = dict(zip(map(id, graded), meter.norms([each.grad for each in graded]), strict=True))
        weights = dict(zip(map(id, graded), meter.norms(graded), strict=True))
        return {
            layer: Norms(_joint(gradients, having), _joint(weights, having))
            for layer, parameters in self.of.items()
            if (having := [id(each) for each in parameters if id(each) in gradients])
        }


def _joint(norms: dict[int, Number], having: list[int]) -> float:
    """The norm of several tensors together."""
    return math.hypot(*(norms[each]() for each in having))
