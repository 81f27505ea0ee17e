"""A world is a module that calls itself torch, and the variables of a program that runs there line by line."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

DEFINITIONS = {
    "told": """
def told(g):
    return None if g is None else (tuple(g.shape), str(g.dtype), g.requires_grad, g.detach().clone().numpy())
""",
    "note": """
def note(name, change=None):
    "A hook that writes down what it sees, and may return something else."
    def hook(g):
        log.append((name, told(g)))
        return None if change is None else change(g)
    return hook
""",
    "note_node": """
def note_node(name, change=None):
    "A hook of a node that writes down what it sees: what the node sends, what it received, or that alone."
    def hook(*gradients):
        log.append((name, [tuple(told(g) for g in some) for some in gradients]))
        return None if change is None else tuple(None if g is None else change(g) for g in gradients[0])
    return hook
""",
    "note_order": """
def note_order(tensor):
    "Have every node that the gradient of a tensor passes write down its name when it is about to run."
    nodes = [] if tensor.grad_fn is None else [tensor.grad_fn]
    for node in nodes:
        node.register_prehook(lambda gs, name=node.name(): log.append((name, tuple(told(g) for g in gs))))
        nodes += [to for to, _ in node.next_functions if to is not None and to not in nodes]
""",
    "linear": """
def linear(*sizes):
    "A linear layer with weights that are the same in both worlds."
    made = torch.nn.Linear(*sizes)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(torch.linspace(-1.0, 1.25, parameter.numel()).reshape(parameter.shape))
    return made
""",
    "Triple": """
class Triple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        log.append(("Triple", told(g)))
        return 3 * x ** 2 * g
""",
    "Both": """
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        total, product = x + y, x * y
        ctx.save_for_backward(x, y, product)
        ctx.needs = ctx.needs_input_grad
        return total, product
    @staticmethod
    def backward(ctx, g, h):
        x, y, _ = ctx.saved_tensors
        log.append(("Both", ctx.needs, told(g), told(h)))
        return g + h * y, g + h * x
""",
    "Doubled_": """
class Doubled_(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 2
""",
    "Same": """
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x
    @staticmethod
    def backward(ctx, g):
        log.append(("Same", told(g)))
        return g * ctx.factor, None
""",
    "Flat": """
class Flat(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        kept, mask = x.clone(), x > 0
        ctx.mark_non_differentiable(mask)
        return kept, mask
    @staticmethod
    def backward(ctx, g, h):
        log.append(("Flat", told(g), told(h)))
        return g
""",
}
"""What programs may use beside torch; a world defines what a line mentions."""

NEEDED_BY = {"note": ["told"], "note_node": ["told"], "note_order": ["told"], "Triple": ["told"], "Both": ["told"]}
NEEDED_BY |= {"Same": ["told"], "Flat": ["told"]}


@cache
def definitions_for(text: str) -> list[str]:
    """The definitions that a text mentions, and those that these need."""
    mentioned = [name for name in DEFINITIONS if re.search(rf"(?<![.\w]){name}\b", text)]
    return list(dict.fromkeys(need for name in mentioned for need in (*NEEDED_BY.get(name, ()), name)))


@cache
def compiled(line: str) -> CodeType:
    return compile(line, "<program>", "exec")


@dataclass
class Outcome:
    """What running one line did, beside what it did to the variables."""

    error: BaseException | None
    warnings: list[str]
    log: list[Any]


class World:
    """The variables of a program in one of the worlds, each of which draws the same random numbers."""

    def __init__(self, module: Any) -> None:
        module.default_generator.manual_seed(0)  # PyTorch's `manual_seed` notes who asked, for devices not there
        self.module = module
        self.log: list[Any] = []
        self.defined: set[str] = set()
        self.names: dict[str, Any] = {"torch": module, "log": self.log}
        self.own = set(self.names)
        self.printed: dict[str, tuple[Any, Any]] = {}
        """What tensors were when they were last printed, and how that was."""

    def run(self, line: str) -> Outcome:
        """Run a line of the program; a mistake is an outcome like any other."""
        for name in definitions_for(line):
            if name not in self.defined:
                exec(compiled(DEFINITIONS[name]), self.names)
                self.defined.add(name)
        self.log.clear()
        error: BaseException | None = None
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(compiled(line), self.names)
            except Exception as raised:
                error = raised.with_traceback(None)
        told = [f"{each.category.__name__}: {each.message}".splitlines()[0] for each in caught]
        told = [text.partition(" (Triggered internally at")[0] for text in told]  # a place in PyTorch's own sources
        return Outcome(error, told, list(self.log))

    def variables(self) -> dict[str, Any]:
        """The program's own variables, in the order in which they came to be."""
        hidden = self.own | self.defined
        return {name: value for name, value in self.names.items() if name not in hidden and name[0] != "_"}

    def tensors(self) -> dict[str, Any]:
        """The variables that are tensors, and the parameters of those that are modules."""
        found: dict[str, Any] = {}
        for name, value in self.variables().items():
            if isinstance(value, self.module.Tensor):
                found[name] = value
            elif hasattr(value, "named_parameters"):
                found |= {f"{name}.{path}": parameter for path, parameter in value.named_parameters()}
        return found
