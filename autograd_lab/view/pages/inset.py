"""Insets: what folds hide, laid out to be opened in place. An inset lies over the picture where its fold stands, and
nothing else moves; what comes from outside stands there as chips."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from autograd_lab.view.graph.look import Looks
from autograd_lab.view.graph.placing import placed
from autograd_lab.view.graph.plan.fold import Fold
from autograd_lab.view.graph.plan.plan import Plan, plan_inside
from autograd_lab.view.graph.recorded import Recorded
from autograd_lab.view.kit.part import Part
from autograd_lab.view.kit.unknown import or_else
from autograd_lab.view.layout.shelves import on_shelves
from autograd_lab.view.scene import Scene
from autograd_lab.view.subject import Subject

MOST = 1200
"""So many parts are laid out in insets, those of the outer folds first; what lies deeper cannot be opened."""
EDGE, HEADER = 16.0, 44.0
"""Width of an inset's margin, and height of its title, px."""


@dataclass(frozen=True, slots=True)
class Unfolded:
    """A scene with the parts of all insets, and which of these belong to each fold; the first is the panel."""

    scene: Scene
    insets: dict[str, list[Part]]


def unfolded(scene: Scene) -> Unfolded:
    """Lay out what the folds of a scene hide, and what the folds in there hide, until it is too much."""
    whole = replace(scene, parts=list(scene.parts), routes=dict(scene.routes), subject=_copied(scene.subject))
    insets: dict[str, list[Part]] = {}
    todo = deque((fold, _boxes(scene.parts)) for fold in scene.plan.folds)
    while todo and sum(map(len, insets.values())) < MOST:
        fold, shown = todo.popleft()
        plan = _plan(fold, scene, shown)
        if plan.cells:
            insets[fold.id] = _add(whole, fold, plan)
            todo += [(inner, shown | _boxes(insets[fold.id])) for inner in plan.folds]
    return Unfolded(whole, insets)


@or_else(Plan())
def _plan(fold: Fold, scene: Scene, shown: frozenset[str]) -> Plan:
    """What a fold hides; nothing if it cannot be opened."""
    return plan_inside(fold, scene.looks.history, scene.direction, shown)


def _add(whole: Scene, fold: Fold, plan: Plan) -> list[Part]:
    """Place an inset where its fold stands, with all its parts."""
    corner = next(part for part in whole.parts if part.id == fold.id)
    found = on_shelves(plan.boxes, plan.links, whole.direction, whole.options.layout)
    parts, routes = placed(plan, found, corner.x + EDGE, corner.y + HEADER, whole.direction)
    size = max(found.width, corner.width) + 2 * EDGE, found.height + HEADER + EDGE
    title = " · ".join((fold.title, *fold.details[: len(fold.calls)]))
    panel = Part(f"{fold.id}.inset", "inset", fold.id, corner.x, corner.y, *size, fold.born, title)
    added = [panel, *parts]
    whole.parts += added
    whole.routes |= routes
    whole.looks.folds.update({inner.id: inner for inner in plan.folds})
    whole.looks.bundles.update(plan.bundles)
    return added


def _copied(subject: Subject) -> Subject:
    """A recording whose folds and lines can be added to."""
    if not isinstance(subject, Recorded):
        return subject
    looks = subject.looks
    return replace(subject, looks=Looks(looks.history, dict(looks.folds), dict(looks.bundles)))


def _boxes(parts: list[Part]) -> frozenset[str]:
    return frozenset(part.of for part in parts if part.kind == "box")
