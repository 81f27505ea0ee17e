"""What happens in a pass after one node and before the next: saved values are freed, gradients are sent, and added."""

from __future__ import annotations

from typing import Any

import torch

from autograd_lab import events
from autograd_lab.recording.on_the_way import OnTheWay
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.whereabouts import Releases
from autograd_lab.torch_bridge.look import Look
from autograd_lab.torch_bridge.ops.due import Due
from autograd_lab.torch_bridge.passes.routes import Pass
from autograd_lab.torch_bridge.passes.totals import Key
from autograd_lab.torch_bridge.reading import nodes
from autograd_lab.torch_bridge.reading.tensors import snapshot_of
from autograd_lab.torch_bridge.underway import Underway

SUMS = {"add", "add_"}


class Sending:
    """Tells of gradients that go from node to node; `savers` are the ids of nodes that have saved something."""

    def __init__(
        self, tape: Tape, look: Look, way: OnTheWay, releases: Releases, underway: Underway, due: Due, savers: set[str]
    ) -> None:
        self._tape, self._look, self._way, self._releases = tape, look, way, releases
        self._underway, self._due, self._savers = underway, due, savers

    def between(self) -> None:
        """Tell what happens after one node and before the next."""
        self._due.settle()
        if self._underway:
            self._send(self._underway.now)

    def before_op(self) -> None:
        """An op is about to run, maybe one that adds gradients that meet."""
        if self._underway:
            self._send(self._underway.now, up_to_a_sum=True)

    def _send(self, now: Pass, up_to_a_sum: bool = False) -> None:
        """Send what the last node computed; maybe only up to where gradients meet whose sum is still to come."""
        if now.ran is None or now.hooked is not None:
            return
        self.tell_freed(now, now.ran)
        edges = now.graph.edges[now.ran]
        while now.edge < min(len(edges), len(now.values)):
            at, key = now.edge, edges[now.edge]
            if key is not None and (now.reached is None or key[0] in now.reached):
                meets = key in now.holds and now.values[at] is not None
                if meets and up_to_a_sum and not now.totals:
                    return
                self._send_along(now, now.ran, at, key)
            now.edge += 1
        now.ran = None
        now.totals.clear()

    def _send_along(self, now: Pass, sender: str, at: int, key: Key) -> None:
        push, target, value = self._tape.push, key[0], now.values[at]
        arrived = now.arrived[target] = now.arrived.get(target, 0) + 1
        here, expected = self._way.site.number, now.graph.expected[target]
        push((events.GradientSent.kind, here, sender, at, value, arrived, expected))
        if value is None:
            return
        total = now.sums.total_at(at, key)
        if total is not None:
            push((events.GradientsAdded.kind, here, *key, snapshot_of(total)))
        elif key in now.holds and now.totals:
            push((events.GradientsAdded.kind, here, *key, now.totals.pop(0)))
        now.holds.add(key)

    def tell_freed(self, now: Pass, identity: str) -> None:
        """Tell whether a node that has run has let go of what it saved."""
        if now.freed_told:
            return
        now.freed_told, node = True, now.graph.nodes[identity]
        saves = identity in self._savers if nodes.is_custom(node) else nodes.has_slots(node)
        if saves and (now.retain_graph or nodes.is_freed(node)):
            late = self._releases.since(now.told)  # of what only this node led to, when it let go
            kind = events.SavedRetained.kind if now.retain_graph else events.SavedFreed.kind
            self._tape.push((kind, self._way.site.number, identity))
            self._tape.raw.extend(late)

    def added(self, op: Any, result: Any) -> None:
        """Gradients that met were added: the only thing that the engine does between two nodes."""
        sends = self._underway.is_recorded() and self._underway.now.ran is not None
        if sends and op._schema.name.rpartition("::")[2] in SUMS and isinstance(result, torch.Tensor):
            with self._look:
                self._underway.now.totals.append(snapshot_of(result))
