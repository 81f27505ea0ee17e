"""Which modules are being called, and when an optimizer steps: the part of a recorder that takes that down."""

from __future__ import annotations

import weakref
from typing import Any
from weakref import WeakKeyDictionary

from autograd_lab import events
from autograd_lab.recording.program.source import Site
from autograd_lab.recording.program.variables import name_of
from autograd_lab.recording.results import Results
from autograd_lab.recording.tape import Tape
from autograd_lab.recording.whereabouts import Whereabouts

Place = tuple[str, str, str | None]
"""A module's path within the outermost one, its class, and what the outermost one is called."""


class Modules:
    """The modules that are being called are `inside`, outermost first."""

    def __init__(self, tape: Tape, whereabouts: Whereabouts, results: Results) -> None:
        self._tape, self._names, self._results = tape, tape.names, results
        self._here = whereabouts.now
        self.inside: list[Place] = []
        self._call_sites: list[Site] = []
        self._is_first = False
        self._root: str | None = None
        self._paths: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
        self._places: dict[str, tuple[weakref.ref[Any], str, str]] = {}
        self._sizes: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._within: WeakKeyDictionary[Any, tuple[Any, str]] = WeakKeyDictionary()

    def named(self, module: Any, name: str) -> None:
        """Call a module by a name from now on, also if only modules in it are called, as trainers do."""
        for inner in module.modules():
            self._within[inner] = module, name

    def module_entered(self, module: Any) -> None:
        site, frame = self._here()
        if not self._call_sites or self._call_sites[-1] is not site:
            self._is_first = True
        self._call_sites.append(site)
        self._results.call_begins(site)
        if not self.inside:
            outer, name = self._within.get(module, (module, ""))
            self._begin(outer, (name_of(module, frame) if outer is module else None) or name or None)
        kind = type(module).__name__
        self.inside.append((self._paths.get(module, kind), kind, self._root))
        facts = self._size(module), bool(getattr(module, "training", True))
        self._tape.push((events.ModuleEntered.kind, site.number, *self.inside[-1], *facts))

    def module_left(self, module: Any, output: Any) -> None:
        """A module's call is over, and gave this, or None if it raised."""
        self._call_sites.pop()
        self._results.call_ends(output)
        self._tape.push((events.ModuleLeft.kind, self._here()[0].number, *self.inside.pop()))

    def goes_on(self, site: Site, otherwise: bool) -> bool:
        """Whether an op is a further step of a module's call, of all of whose ops only the last gives its result;
        `otherwise` it is where no module is being called at its site."""
        if not self._call_sites or self._call_sites[-1] is not site:
            return otherwise
        first, self._is_first = self._is_first, False
        return not first

    def is_called_at(self, site: Site) -> bool:
        """Whether a module is being called at a site."""
        return bool(self._call_sites) and self._call_sites[-1].number == site.number

    def optimizer_entered(self, optimizer: Any) -> None:
        tape = self._tape
        given = tuple([tape.id(one) for group in optimizer.param_groups for one in group["params"]])
        rates = tuple(
            [float(rate) for group in optimizer.param_groups if type(rate := group.get("lr")) in (float, int)]
        )
        tape.push((events.OptimizerEntered.kind, self._here()[0].number, type(optimizer).__name__, given, rates))

    def optimizer_left(self, optimizer: Any) -> None:
        self._tape.push((events.OptimizerLeft.kind, self._here()[0].number, type(optimizer).__name__))

    def _begin(self, module: Any, root: str | None) -> None:
        """Learn the paths below an outermost module, and call its parameters and buffers after theirs."""
        self._root = root
        self._paths = WeakKeyDictionary({inner: path for path, inner in module.named_modules()})
        for path, part in (*module.named_parameters(), *module.named_buffers()):
            if root is None:
                self._names.propose(self._tape.id(part), path)
            elif self._tape.reader.is_own(part):
                self._settle(module, part, f"{root}.{path}", path)

    def _settle(self, module: Any, part: Any, name: str, path: str) -> None:
        """Name a part after its place, and, if it was taken from another place, after this one, too."""
        identity = self._tape.id(part)
        before = self._places.get(identity)
        if before is None:
            self._names.settle(identity, name)
        elif before[1:] != (name, path) and not _is_at(before, part):
            self._names.later[identity] = name
        else:
            return
        self._places[identity] = weakref.ref(module), name, path

    def _size(self, module: Any) -> int:
        """How many elements the parameters of a module have; counted at its first call, since most are called often."""
        size = self._sizes.get(module)
        if size is None:
            parameters = list(module.parameters())
            sized = [parameter for parameter in parameters if not hasattr(parameter, "materialize")]
            size = sum(parameter.numel() for parameter in sized)
            if len(sized) == len(parameters):  # PyTorch's lazy modules learn their shapes in their first call
                self._sizes[module] = size
        return size


def _is_at(place: tuple[weakref.ref[Any], str, str], part: Any) -> bool:
    """Whether a part is where it was found before."""
    module, (*inner, last) = place[0](), place[2].split(".")
    for name in inner:
        module = None if module is None else module._modules.get(name)
    return module is not None and any(own.get(last) is part for own in (module._parameters, module._buffers))
