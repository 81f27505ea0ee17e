"""A recorder for torch's tensors and nodes: what it is told, it tells as for the engine of this package."""

from __future__ import annotations

import threading
from typing import Any

import torch

from autograd_lab import events
from autograd_lab.recording import recorder
from autograd_lab.recording.ids import Numbers
from autograd_lab.recording.recorder import Recorder
from autograd_lab.recording.source import Site
from autograd_lab.torch_bridge import nodes, tensors
from autograd_lab.torch_bridge.census import TorchCensus
from autograd_lab.torch_bridge.internals import lacking, no_dispatch, no_functions

TENSOR_SAVED = events.TensorSaved.kind
LOST = "what PyTorch did from here on"


MOVES = ("data =", "set_")
"""What gives a tensor other memory."""


class Looking(threading.local):
    """How many looks are being taken in this thread, by any recorder; what they do goes unseen by all."""

    depth = 0


looking = Looking()


class Look:
    """Has a recorder look without being seen. A mistake in that ends the recording of torch, never the program."""

    def __init__(self, watcher: TorchRecorder) -> None:
        self._recorder, self._outer = watcher, list[tuple[bool, Any, Any]]()
        self.lock = threading.RLock()
        """Held while anybody looks: nodes on other devices run in threads of the engine's."""

    def __enter__(self) -> None:
        self.lock.acquire()
        functions, ops = no_functions(), no_dispatch()  # also by the program's own modes
        functions.__enter__()
        ops.__enter__()
        self._outer.append((self._recorder.busy, functions, ops))
        self._recorder.busy = True
        looking.depth += 1

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> bool:
        self._recorder.busy, functions, ops = self._outer.pop()
        looking.depth -= 1
        ops.__exit__(None, None, None)
        functions.__exit__(None, None, None)
        self.lock.release()
        if not isinstance(error, Exception):
            return False
        if recorder.STRICT:
            return False
        self._recorder.failed(error, LOST)
        self._recorder.busy = True
        self._outer[:] = [(True, *unseen) for _, *unseen in self._outer]
        return True


class TorchRecorder(Recorder):
    """Takes down what torch does. While it is `busy`, what it does itself goes unseen: `with self.look: ...`."""

    _version_of = staticmethod(tensors.version_of)
    _is_same = staticmethod(tensors.is_same)
    _snapshot = staticmethod(tensors.taken)
    _ids: TorchCensus

    def __init__(self, beside: Recorder) -> None:
        super().__init__(beside)
        self._beside: Recorder = beside
        self.busy = False
        self.look = Look(self)
        self._savers: set[str] = set()
        self._packers: set[str] = set()
        self.assigned: Any = None  # to `.grad` just now
        for name, thing in beside.names.items():
            if self.is_tensor(thing):
                self.name(thing, name)

    def _counted(self, numbers: Numbers) -> TorchCensus:
        return TorchCensus(self._released, numbers)

    def is_tensor(self, thing: Any) -> bool:
        return isinstance(thing, torch.Tensor)

    def _grad_of(self, tensor: Any) -> Any:
        return tensor.grad if tensor.is_leaf or tensor.retains_grad else self.assigned  # to ask others gives a warning

    def _attributes_of(self, node: Any) -> tuple[tuple[str, Any], ...]:
        return nodes.attributes_of(node)

    def _slots_of(self, node: Any) -> list[nodes.Slot]:
        found, is_packed = nodes.slots_of(node)
        if is_packed:
            self._packers.add(self._node(node))
        return found

    def _has_slots(self, node: Any) -> bool:
        return nodes.has_slots(node)

    def _is_number(self, saved: Any) -> bool:
        return not saved.ndim and saved.is_cpu  # to ask another device would be to wait for it

    def _number_in(self, saved: Any) -> Any:
        return tensors.number_in(saved)

    def _maybe_node(self, node: Any) -> str | None:
        return node if isinstance(node, str) else super()._maybe_node(node)

    def _nbytes_of(self, saved: Any) -> int:
        return tensors.nbytes_of(saved)

    def _op_of(self, node: Any, name: str) -> str:
        return name if node is None else nodes.op_of(node)

    def _saves(self, node: Any, node_id: str | None, outputs: tuple[Any, ...], site: Site) -> None:
        before = len(self._raw)
        made = _Outputs((one.output_nr, one) for one in outputs if one is not None and not one.is_leaf)
        super()._saves(node, node_id, made, site)
        if "packed slots" in lacking and any(told[8] for told in self._raw[before:] if told[0] == TENSOR_SAVED):
            self.trace.note(f"with PyTorch {torch.__version__.partition('+')[0]}, {lacking['packed slots']}")
        if len(self._raw) > before and node_id is not None:
            self._savers.add(node_id)

    def _met(self, tensor: Any, site: Site, frame: Any, is_written: bool = False) -> str:
        if not tensors.may_be_asked(tensor):  # the program made a mistake, of which torch will tell
            return self._id(tensor)
        return super()._met(tensor, site, frame, is_written)

    def _modified(self, tensor: Any, op: str, site: Site, storage: str | None = None) -> None:
        super()._modified(tensor, op, site, self._ids.memory(tensor)[2] if op in MOVES else storage)

    def _look_again(self, tensor: Any, identity: str) -> None:
        ledger = self._ids.ledger
        if ledger.any_open:
            super()._look_again(tensor, identity)
        version = tensors.version_of(tensor)
        if ledger.is_behind(identity, version):
            self._notice(identity, version, self._snapshot(tensor))
        if tensor.requires_grad and not tensor._is_view() and tensor.is_leaf:  # to ask a view may give it a new node
            self._look_at_grad(tensor, identity)

    def releases_since(self, told: int) -> list[Any]:
        """What was told last of nodes that are gone, taken back for now: it comes of what is still to be told."""
        late: list[Any] = []
        while len(self._raw) > told and self._raw[-1][0] == events.GraphReleased.kind:
            late.insert(0, self._raw.pop())
        return late


class _Outputs(dict[int, Any]):
    """A node's outputs by their numbers; None for those that nobody holds."""

    def __missing__(self, number: int) -> None:
        return None
