"""Many names, said briefly: parameters of a module as one, and of many only the first.

>>> together(["model.0.weight", "model.0.bias"])
'model.0.weight and model.0.bias'
>>> together([f"model.{layer}.{part}" for layer in range(4) for part in ("weight", "bias")])
'model.0, model.1, model.2 and one more module'
>>> together([f"model.{layer}.{part}" for layer in range(40) for part in ("weight", "bias")])
'80 parameters of model'
>>> together(["a"]), together(["a", "b", "c", "d", "e", "f"])
('a', 'a, b, c and 3 more')
"""

from __future__ import annotations

from collections.abc import Iterable

FEW = 3


def together(names: Iterable[str]) -> str:
    """Names as one says them: of more than a few parameters their modules, of more than a few of these the first."""
    found = list(dict.fromkeys(names))
    if len(found) <= FEW:
        return listed(found)
    modules = list(dict.fromkeys(name.rpartition(".")[0] for name in found))
    roots = {name.partition(".")[0] for name in found}
    if len(modules) > 2 * FEW and len(roots) == 1:
        return f"{len(found)} parameters of {roots.pop()}"
    if all(modules):
        return listed(modules, "module")
    return listed(found)


def listed(names: list[str], what: str = "") -> str:
    """
    >>> listed(["a", "b"]), listed(["a", "b", "c", "d"])
    ('a and b', 'a, b, c and one more')
    """
    more = len(names) - FEW
    if more > 0:
        rest = f"one more {what}" if more == 1 else f"{more} more {what}s" if what else f"{more} more"
        return f"{', '.join(names[:FEW])} and {rest.strip()}"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
