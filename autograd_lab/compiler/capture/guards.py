"""Guards: a function that says whether a captured graph holds for a call, and finds the tensors that it is to take."""

from __future__ import annotations

from typing import Any

from autograd_lab.compiler.capture.capture import Captured

HEAD = "def guard(args, kwargs):\n    try:\n"
TAIL = "    except (AttributeError, IndexError, KeyError, TypeError, ValueError):\n        return None\n"


class Guard:
    """The guard of one captured call; `text` is its listing."""

    def __init__(self, captured: Captured, positional: int, named: tuple[str, ...]) -> None:
        self.scope = dict(captured.reach.scope)
        places = captured.places
        names = [f"x{at}" for at in range(len(places))]
        lines = [f"{name} = {place.path}" for name, place in zip(names, places, strict=True)]
        tests = [f"len(args) == {positional}", f"kwargs.keys() == {set(named)!r}" if named else "not kwargs"]
        tests += captured.reach.tests
        for name, place, value in zip(names, places, captured.inputs, strict=True):
            tests += self._tensor_tests(name, place.tensor, value)
        tests += _apart(names, captured)
        tests += _grads(names, captured)
        body = [*lines, "if not (", *(f"    {test} and" for test in tests), "    True", "):", "    return None"]
        body.append(f"return ({''.join(f'{name}, ' for name in names)})")
        self.text = HEAD + "".join(f"        {line}\n" for line in body) + TAIL
        exec(compile(self.text, "<guard>", "exec"), self.scope)
        self.check: Any = self.scope["guard"]

    def _tensor_tests(self, name: str, tensor: Any, value: Any) -> list[str]:
        kind = _bind(self.scope, type(tensor).__name__, type(tensor))
        dtype = _bind(self.scope, str(value.dtype), value.dtype)
        array = f"{name}._array"
        return [
            f"type({name}) is {kind}",
            f"{name}._needs is {tensor._needs}",
            f"{array}.dtype is {dtype}",
            f"{array}.shape == {value.shape}",
            f"{array}.strides == {value.strides}",
        ]


def _bind(scope: dict[str, Any], name: str, thing: Any) -> str:
    while scope.setdefault(name, thing) is not thing:
        name += "_"
    return name


def _apart(names: list[str], captured: Captured) -> list[str]:
    """Tests that tensors which were different ones still are; and that what is written to is no other's memory."""
    tests = []
    if len(names) > 1:
        tests.append(f"len({{{', '.join(f'id({name})' for name in names)}}}) == {len(names)}")
    for change in captured.changes if any(change.value is not None for change in captured.changes) else ():
        own = f"{names[change.place]}._array"
        others = [name for at, name in enumerate(names) if at != change.place]
        tests += [f"{own}.base is None"] * (captured.places[change.place].tensor._array.base is None)
        tests += [f"{other}._array.base is not {own}" for other in others]
    return tests


def _grads(names: list[str], captured: Captured) -> list[str]:
    """Tests that leaves have a gradient, or none, as they did: if the function has to do with gradients at all."""
    tensors = [place.tensor for place in captured.places]
    grads = {id(one._grad) for one in tensors if one._grad is not None}
    if not captured.reaches_gradients:
        return []
    held = [f"{name}._grad is {'not ' * (one._grad is not None)}None" for name, one in zip(names, tensors, strict=True)]
    return [test for test, one in zip(held, tensors, strict=True) if one._needs and id(one) not in grads]
