"""What the tensors of a recording are called: after the variables of the user's program.

`y = a * b` promises the name `y` to what the product gives; of the ops inside of `y = mse_loss(p, t)` only the last one
keeps it. It keeps it also where `y` comes to mean something else, as in `a, b = b, a`; under which name a tensor is
found then, is said beside the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from autograd_lab.recording.program.source import Site
from autograd_lab.recording.program.variables import Frame, Scope, look_up, name_of, place_in_modules
from autograd_lab.whose import Way

Promise = tuple[str, CodeType | None, int]
"""A name that a function, by its code, is about to give to what an expression at this site gave."""
MOST_ITEMS = 256
"""So many items of a list or a dict are looked at for a name."""
_NONE: Promise = "", None, -1
_CONTAINERS = frozenset([list, tuple, dict])


class Names:
    """Names by the ids of tensors, in `given`; and in `later` under which names tensors were found afterwards.

    Those that are `promised` may be withdrawn; a tensor whose name is given, and not promised, has it for good.
    """

    def __init__(self) -> None:
        self.given: dict[str, str] = {}
        self.later: dict[str, str] = {}
        self.promised: dict[str, Promise] = {}

    def promise(self, made: tuple[str, ...], site: Site, code: CodeType | None) -> None:
        """Name what an expression gave after what it is assigned to, in the function of this code."""
        targets = site.targets
        if targets and (len(made) == len(targets) or len(targets) == 1):
            for identity, target in zip(made, targets, strict=False):
                if identity not in self.given or identity in self.promised:
                    self.given[identity] = target
                    self.promised[identity] = target, code, site.number

    def confirmed(self, identity: str) -> None:
        """A tensor is what the name means that was promised to it."""
        self.promised.pop(identity, None)

    def withdraw(self, made: Iterable[str], site: int) -> None:
        """What an expression at this site gave on its way is not what is assigned."""
        for identity in made:
            if self.promised.get(identity, _NONE)[2] == site:
                del self.promised[identity], self.given[identity]

    def confirm(self, tensor: Any, identity: str, site: Site, frame: Frame | None) -> None:
        """Settle the name of a tensor that is used here, by looking which of the names used here does mean it."""
        promised, code, number = self.promised.get(identity, _NONE)
        if not promised and identity in self.given:
            return
        if frame is None or (promised and frame.f_code is not code):
            return
        self.promised.pop(identity, None)
        meant = look_up(promised, frame) if promised else None
        if meant is tensor:
            return
        if promised and (number == site.number or not (meant is None or hasattr(meant, "grad_fn"))):
            del self.given[identity]  # it never came to be what the name means
        self.found(tensor, identity, site, frame)

    def are_taken(self, names: Sequence[str], operands: Sequence[tuple[Any, ...]]) -> bool:
        """Whether each of these names is that of an operand: then none is left for an operand that has no name."""
        return {self.given.get(operand[0]) for operand in operands}.issuperset(names)

    def found(self, tensor: Any, identity: str, site: Site, frame: Frame | None) -> None:
        """Note under which of the names that are used here a tensor is found."""
        if frame is None or not site.operands:
            return
        frame = frame if isinstance(frame, Scope) else Scope(frame)
        meant = [look_up(name, frame) for name in site.operands]
        for name, thing in zip(site.operands, meant, strict=True):
            if thing is tensor:
                if "." not in name and identity not in self.given and _is_parameter(tensor):
                    name = place_in_modules(tensor, frame) or name  # the variable of a loop over parameters, say
                if self.given.get(identity) != name:
                    (self.later if identity in self.given else self.given)[identity] = name
                return
        if identity not in self.given:
            for name, thing in zip(site.operands, meant, strict=True):
                if type(thing) in _CONTAINERS and (place := _place_in(thing, tensor, name)) is not None:
                    self.given[identity] = place
                    return

    def settle(self, identity: str, name: str) -> None:
        """Name a tensor after its place in a module, unless it has a name for good."""
        if identity not in self.given or identity in self.promised:
            self.given[identity] = name
            self.promised.pop(identity, None)

    def propose(self, identity: str, name: str) -> None:
        """Name a tensor after its place in a module that has no name itself, until there is a better one."""
        if identity not in self.given:
            self.given[identity] = name
            self.promised[identity] = name, None, -1

    def search(self, tensor: Any, identity: str, frame: Frame | None) -> None:
        """Name a tensor from before the recording after any variable that means it."""
        if identity not in self.given:
            name = (_is_parameter(tensor) and place_in_modules(tensor, frame)) or name_of(tensor, frame)
            if name is not None:
                self.given[identity] = name


def _is_parameter(tensor: Any) -> bool:
    return type(tensor).__name__ == "Parameter"


def _place_in(container: Any, tensor: Any, name: str) -> str | None:
    """`weights[2]`, or `weights["w"]`: where a list, a tuple or a dict of the program's holds a tensor."""
    if type(container) is dict:
        items = islice(container.items(), MOST_ITEMS)
        return next((f"{name}[{key!r}]" for key, item in items if item is tensor and type(key) in (str, int)), None)
    return next((f"{name}[{at}]" for at, item in enumerate(container[:MOST_ITEMS]) if item is tensor), None)


class Steps:
    """Tells which ops are steps of one call, of `linear(x)` say, of which only the last gives what that means.

    Between two of them the program has gone on inside the call, so in some frame below the user's a later instruction
    runs. The next turn of a loop calls anew, from earlier instructions.
    """

    def __init__(self) -> None:
        self._last: tuple[Site | None, int, list[int]] = (None, 0, [])
        self.entered = ""
        """The file of the function that the user's code has called."""

    def goes_on(self, site: Site, users: FrameType | None, way: Way) -> bool:
        """Whether this op, that the program came to on this way, is a further step of the call that the op before it
        was a step of."""
        self.entered, instructions = way
        before, self._last = self._last, (site, id(users), instructions)
        return before[0] is site and before[1] == id(users) and before[2] < instructions
