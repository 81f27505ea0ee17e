"""A piece of a learner's engine by itself, before it is tried in one: what is wrong with what it returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from autograd_lab.lessons.own_engine import assemble, waits

G, X, Y, LITTLE = np.float32(10), np.float32(2), np.float32(3), 0.01
WITHOUT_G = "It returns the same whatever g is: so far that is how fast z grows, not the end result."


def wrong_slopes(answer: Any) -> str:
    """Of the two that belong to a product."""
    found = answer(G, X, Y)
    if not isinstance(found, tuple | list) or len(found) != 2:
        return f"It should return two numbers, one for x and one for y; it returns {_described(found)}."
    if np.allclose(found, answer(2 * G, X, Y)):
        return WITHOUT_G
    if np.allclose(found, (G * X, G * Y)):
        return "The two stand in each other's place: first comes what goes to x."
    for name, mine, slope in (("x", found[0], Y), ("y", found[1], X)):
        if wrong := _unlike_measured(f"g = {G:g}, x = {X:g}, y = {Y:g}", name, mine, slope):
            return wrong
    return ""


def wrong_tanh_slope(answer: Any) -> str:
    """Of the one that belongs to tanh, whose node has saved its result."""
    z = np.float32(0.5)
    found = answer(G, z)
    if not _is_number(found):
        return f"It should return one number; it returns {_described(found)}."
    if np.allclose(found, answer(2 * G, z)):
        return WITHOUT_G
    if np.allclose(found, G * (1 - math.tanh(z) ** 2)):
        return "z is tanh(x) already, so no second tanh is needed."
    return _unlike_measured(f"g = {G:g}, z = {z:g}", "x", found, 1 - z * z)


def wrong_sine_slope(answer: Any) -> str:
    """Of the one that belongs to sin, whose node has saved its operand."""
    found = answer(G, Y)
    if not _is_number(found):
        return f"It should return one number; it returns {_described(found)}."
    if np.allclose(found, answer(2 * G, Y)):
        return WITHOUT_G
    return _unlike_measured(f"g = {G:g}, x = {Y:g}", "x", found, np.cos(Y))


def _is_number(found: Any) -> bool:
    return np.ndim(found) == 0 and isinstance(found, float | np.floating)


def _unlike_measured(at: str, name: str, mine: Any, slope: Any) -> str:
    """What a small move shows, if a piece says otherwise."""
    if np.allclose(mine, G * slope):
        return ""
    moves = f"Move {name} by {LITTLE:g}: z moves by about {LITTLE * slope:.3g}, and the end result by {G:g} times that."
    return f"At {at} it returns {float(mine):.4g} for {name}. {moves}"


def wrong_edges(answer: Any) -> str:
    """Of an operation on a plain number, a leaf and a result."""
    engine = assemble()
    leaf = engine.tensor(2.0, requires_grad=True)
    operands = [engine.tensor(3.0), leaf, leaf * leaf]
    found = answer(operands)
    if not isinstance(found, tuple | list):
        return f"It should return a list; it returns {_described(found)}."
    if any(each is operand for each in found for operand in operands):
        return "There are operands in the list. Wanted are the nodes to which their gradients will be sent."
    if len(found) != len(operands):
        return "The list needs one entry for each operand, also None: otherwise gradients go to the wrong place."
    if found[1] is None and found[2] is not None:
        return "For a leaf that asks for a gradient the list has None: nothing would come into its `.grad`."
    return ""


def wrong_counts(answer: Any) -> str:
    """Of `k * (u * (u + x))`, with `u = x * x` and a plain number k."""
    engine = assemble()
    x = engine.tensor(2.0, requires_grad=True)
    u = x * x
    names = {u.gradient_goes_to: "u", x.gradient_goes_to: "x"}
    root = (engine.tensor(3.0) * (u * (u + x))).gradient_goes_to
    found, right = answer(root), waits(root)
    if not isinstance(found, Mapping):
        return f"It should return a Counter; it returns {_described(found)}."
    where = "In k * (u * (u + x)), with u = x * x,"
    if root in found:
        return f"{where} the root has an entry. No edge leads to it."
    if missing := right.keys() - found.keys():
        return f"{where} {len(missing)} of {len(right)} nodes are missing: a node that is found has edges, too."
    for node, name in names.items():
        if found[node] != right[node]:
            edges = "more" if found[node] < right[node] else "fewer"
            return f"{where} it counts {found[node]} for the node of {name}, and {edges} edges lead to that."
    return ""


def _described(found: Any) -> str:
    if found is None:
        return "nothing"
    kind = type(found).__name__
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{article} {kind} of {len(found)}" if isinstance(found, tuple | list) else f"{article} {kind}"
