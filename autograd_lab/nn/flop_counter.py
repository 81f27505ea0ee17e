"""`FlopCounterMode`: how many multiplications and additions products and convolutions take, by module."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any
from weakref import WeakKeyDictionary

from autograd_lab.autograd import names_in_ops
from autograd_lab.engine.core import seams
from autograd_lab.engine.modes.grad_mode import is_grad_enabled
from autograd_lab.nn.everywhere import register_module_forward_hook, register_module_forward_pre_hook
from autograd_lab.nn.module import Module

__all__ = ["FlopCounterMode", "register_flop_formula"]

aten = getattr(names_in_ops, "aten")  # noqa: B009  # a name that the module makes once it is asked for
Shape = tuple[int, ...]
SUFFIXES = "", "K", "M", "B", "T"


def _product(x: Shape, y: Shape, *_: Any, **__: Any) -> int:
    return 2 * prod(x) * y[-1]


def _convolved(x: Shape, w: Shape, out: Shape, transposed: bool = False) -> int:
    """Each number of the weight meets each place of the output, or of the input if it is spread from there."""
    return 2 * prod((x if transposed else out)[2:]) * prod(w) * x[0]


def _turned(shape: Shape) -> Shape:
    return (shape[1], shape[0], *shape[2:])


flop_registry: dict[Any, Callable[..., int]] = {
    aten.mm: _product,
    aten.addmm: lambda added, x, y, **named: _product(x, y),
    aten.bmm: _product,
    aten.baddbmm: lambda added, x, y, **named: _product(x, y),
    aten.convolution: lambda x, w, b, s, p, d, transposed, *_, out_shape: _convolved(x, w, out_shape, transposed),
}
"""By op, what it costs, of the shapes of its operands and of its result. Ops that are not here cost nothing."""

COUNTED = {op.__name__: op for op in flop_registry}


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator of what computes the cost of ops. Asked for are those that are counted already, no others."""

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        for target in targets if isinstance(targets, list | tuple) else [targets]:
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = formula
        return formula

    return register


class FlopCounterMode:
    """Counts inside of it: in forward by what is applied, in backward by the nodes that run."""

    def __init__(
        self, mods: Any = None, depth: int | None = 2, display: bool = True,
        custom_mapping: dict[Any, Callable[..., int]] | None = None,
    ) -> None:  # fmt: skip
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.flop_registry = {**flop_registry, **(custom_mapping or {})}
        self._parents: list[str] = ["Global"]
        self._names: WeakKeyDictionary[Module, str] = WeakKeyDictionary()
        self._runs = False

    def get_total_flops(self) -> int:
        """All that was counted."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """What was counted, by module and op."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self._handles = [register_module_forward_pre_hook(self._in), register_module_forward_hook(self._out)]
        self._before, seams.carry, self._runs = seams.carry, self._applied, True
        return self

    def __exit__(self, *_: object) -> None:
        seams.carry, self._runs = self._before, False
        for handle in self._handles:
            handle.remove()
        if self.display:
            print(self.get_table(self.depth))

    # --- counting --------------------------------------------------------------------------------------------------

    def _in(self, module: Module, args: Any) -> None:
        name = self._names.setdefault(module, type(module).__name__)
        self._names.update({child: f"{name}.{called}" for called, child in module.named_children()})
        self._parents.append(name)

    def _out(self, module: Module, args: Any, output: Any) -> None:
        self._parents.pop()

    def _count(self, parents: set[str], op: Any, *shapes: Any, out_shape: Shape) -> None:
        cost = self.flop_registry[op](*shapes, out_shape=out_shape)
        for parent in parents:
            self.flop_counts[parent][op] += cost

    def _applied(self, node: Any, operands: Any, outputs: Any, again: Any) -> None:
        """Count an op, and have what its node will do counted."""
        if self._before is not None:
            self._before(node, operands, outputs, again)
        if (op := COUNTED.get(node.op)) is None:
            return
        parents, shapes = set(self._parents), [tuple(one.shape) for one in operands if one is not None]
        result = tuple(outputs[0].shape)
        if op is aten.convolution:
            shapes, turned = shapes[:2], node._rule.transposed
            self._count(parents, op, *shapes, None, *node._rule, out_shape=result)
            pulled = partial(self._convolution_pulled, parents, shapes, result, turned)
        else:
            self._count(parents, op, *shapes, out_shape=result)
            pulled = partial(self._product_pulled, parents, shapes[-2:])
        if outputs[0]._needs:
            edges = [edge[0] is not None for edge in node.next_functions]
            node.register_hook(partial(self._ran, pulled, edges))

    def _ran(self, pulled: Callable[[list[bool]], None], wanted: list[bool], *_: Any) -> None:
        """Count what a node did, unless it was recorded, and so counted, itself."""
        if self._runs and not is_grad_enabled():
            pulled(wanted)

    def _product_pulled(self, parents: set[str], shapes: list[Any], wanted: list[bool]) -> None:
        x, y = shapes
        op = aten.mm if len(x) == 2 else aten.bmm
        g = (*x[:-1], y[-1])
        both = (g, (*y[:-2], y[-1], y[-2]), x), ((*x[:-2], x[-1], x[-2]), g, y)  # G Yᵀ and Xᵀ G
        for (one, other, result), is_wanted in zip(both, wanted[-2:], strict=True):
            if is_wanted:
                self._count(parents, op, one, other, out_shape=result)

    def _convolution_pulled(
        self, parents: set[str], shapes: list[Any], g: Shape, turned: bool, wanted: list[bool]
    ) -> None:
        x, w = shapes
        cost = _convolved(g, w, x, not turned) if wanted[0] else 0
        if wanted[1]:
            one, other = (_turned(g), _turned(x)) if turned else (_turned(x), _turned(g))
            cost += _convolved(one, other, _turned(w))
        for parent in parents:
            self.flop_counts[parent][aten.convolution_backward] += cost

    # --- as a table ------------------------------------------------------------------------------------------------

    def get_table(self, depth: int | None = None) -> str:
        """The counts as a table of modules, as deep as asked for. `tabulate` draws it."""
        import tabulate  # type: ignore[import-untyped]

        tabulate.PRESERVE_WHITESPACE = True
        depth = self.depth if depth is None else depth
        names = [name for name in sorted(self.flop_counts) if name != "Global"]
        shown = [name for name in names if depth is None or name.count(".") < depth]
        rows = [row for name in shown for row in self._rows(name, name.count("."))]
        total = self.get_total_flops()
        if "Global" in self.flop_counts and all(sum(self.flop_counts[name].values()) < total for name in shown):
            rows = [*self._rows("Global", 0), *([" " + row[0], *row[1:]] for row in rows)]
        rows = rows or [["Global", "0", "0%"]]
        return str(tabulate.tabulate(rows, ["Module", "FLOP", "% Total"], colalign=("left", "right", "right")))

    def _rows(self, name: str, indent: int) -> list[list[str]]:
        """A module's row, and one for each op in it."""
        total, counts = self.get_total_flops(), self.flop_counts[name]
        scale = max(0, min(len(SUFFIXES) - 1, (len(str(total)) - 2) // 3))
        costs = [(name, sum(counts.values())), *((f" - {op}", cost) for op, cost in counts.items())]
        return [
            [
                " " * indent + what,
                f"{cost / 1000**scale:.3f}{SUFFIXES[scale]}",
                f"{cost / total:.2%}" if total else "0%",
            ]
            for what, cost in costs
        ]
