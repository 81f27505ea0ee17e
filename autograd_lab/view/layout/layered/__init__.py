"""Our own layered layout: linear or nearly so, without recursion, deterministic, made for graphs of thin long programs.

Everything here thinks in two axes: *along* the ranks (x when drawn left to right) and *across* them. The stages, one
file each: `ranks` (which column a box is in), `net` (lanes for long links), `order` (who is above whom, few
crossings), `fans` (ports, where they are free), `across` (where across) with `threads` (main lines straight), `bends`
(Bézier paths), `packing` (parts side by side); `dag` is what they work on.
"""

from __future__ import annotations

from autograd_lab.view.layout.layered.dag import Docks, Drawing, Graph, Wire
from autograd_lab.view.layout.layered.packing import draw

__all__ = ["Docks", "Drawing", "Graph", "Wire", "draw"]
