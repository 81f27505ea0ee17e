"""The same expression or function in two worlds: what each says of it, in words that both share."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np


def said(m: Any, story: str | Callable[[Any], Any]) -> Any:
    """What an expression over `m`, `nn`, `F` and `optim`, or a function of `m`, gives, warns of and raises."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            names = {"m": m, "nn": m.nn, "optim": m.optim, "F": m.nn.functional, "filled": filled}
            found = plain(eval(story, names) if isinstance(story, str) else story(m))
        except Exception as error:
            found = plain(f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}")
    return found, [f"{one.category.__name__}: {one.message}" for one in caught]


def plain(thing: Any) -> Any:
    """Tensors as texts, and so everything in containers."""
    if isinstance(thing, dict):
        return {plain(key): plain(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple | set | type({}.keys()) | type({}.values()) | type({}.items())):
        return [plain(part) for part in thing]
    if isinstance(thing, float):
        return round(thing, 5)
    if isinstance(thing, bool | int | str | type(None)):
        return re.sub("0x[0-9a-f]+", "0x", thing) if isinstance(thing, str) else thing
    return re.sub("0x[0-9a-f]+", "0x", re.sub(r"-(0\.0*(?![0-9]))", r" \1", repr(thing)))


def is_alike(one: Any, other: Any) -> bool:
    """Whether what was said in two worlds is the same; of numbers, as far as two processors agree."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-5, abs_tol=2e-5) or (math.isnan(one) and math.isnan(other))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(is_alike, one, other))
    return bool(one == other)


def filled(module: Any, size: float = 0.5) -> Any:
    """The module with parameters that are the same in both worlds: neither equal nor in order."""
    for number, parameter in enumerate(module.parameters()):
        for place in range(parameter.numel()):
            parameter.data.view(-1)[place] = size * (((place * 7 + number * 3) % 11) / 11 - 0.45)
    return module


def graph(tensor: Any) -> list[Any]:
    """The graph behind a tensor, by names, depth first; a node that was met before is its number."""
    numbers: dict[Any, int] = {}

    def tell(node: Any) -> Any:
        if node is None or node in numbers:
            return numbers.get(node)
        numbers[node] = len(numbers)
        below = [tell(edge[0]) for edge in node.next_functions]
        shape = list(node.variable.shape) if hasattr(node, "variable") else None
        return [node.name(), shape or below]

    return tell(tensor.grad_fn)  # type: ignore[no-any-return]  # of either world


def assert_alike(ours: list[Any], theirs: list[Any], relative: float = 2e-4, absolute: float = 2e-6) -> None:
    """Raise AssertionError unless two lists of arrays agree, and have None at the same places."""
    assert [one is None for one in ours] == [other is None for other in theirs]
    for one, other in zip(ours, theirs, strict=True):
        if one is not None:
            np.testing.assert_allclose(one, other, rtol=relative, atol=absolute)


class Stories(list[Callable[[Any], Any]]):
    """Functions of a world that are to tell the same in both: what is decorated with it joins the list."""

    def __call__(self, tell: Callable[[Any], Any]) -> Callable[[Any], Any]:
        self.append(tell)
        return tell
