"""Who draws in the benchmark of pictures: a function each to follow the program, and one to draw what was followed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Follow = Callable[[Any, Any], Any]
"""Calls a module with its input, and returns what `Draw` needs."""
Draw = Callable[[Any, Path, str], object]
"""Draws what was followed to a file of this name, to which it adds the suffix "svg" or "png"."""


def record(model: Any, x: Any) -> Any:
    from autograd_lab import record

    with record() as trace:
        output = model(x)
        len(trace)
    assert output is not None
    trace.events  # noqa: B018, decoding is part of it
    return trace


def picture(trace: Any, file: Path, suffix: str) -> None:
    from autograd_lab import draw

    draw(trace, file.with_suffix(f".{suffix}"))


def unfolded(trace: Any, file: Path, suffix: str) -> None:
    from autograd_lab import draw

    draw(trace, file.with_suffix(f".{suffix}"), fold=False)


def call(model: Any, x: Any) -> Any:
    return model(x), dict(model.named_parameters())


def draw(called: Any, file: Path, suffix: str) -> None:
    from autograd_lab import draw

    output, params = called
    draw(output, file.with_suffix(f".{suffix}"), params=params)


def make_dot(called: Any, file: Path, suffix: str) -> None:
    from autograd_lab import make_dot

    make_dot(*called).render(str(file), format=suffix)


def torchviz(called: Any, file: Path, suffix: str) -> None:
    from torchviz import make_dot

    make_dot(*called).render(str(file), format=suffix)


def follow_by_torchview(model: Any, x: Any) -> Any:
    from torchview import draw_graph

    return draw_graph(model, input_data=x, device="cpu", depth=9).visual_graph


def torchview(graph: Any, file: Path, suffix: str) -> None:
    graph.render(str(file), format=suffix)


def follow_by_torchlens(model: Any, x: Any) -> Any:
    import torchlens

    return torchlens.trace(model, x)


def torchlens(trace: Any, file: Path, suffix: str) -> None:
    trace.draw(vis_outpath=str(file), vis_save_only=True, vis_fileformat=suffix)


PAINTERS: dict[str, tuple[Follow, Draw]] = {
    "picture": (record, picture),
    "unfolded": (record, unfolded),
    "draw": (call, draw),
    "make_dot": (call, make_dot),
    "torchviz": (call, torchviz),
    "torchview": (follow_by_torchview, torchview),
    "torchlens": (follow_by_torchlens, torchlens),
}
"""The first four are ours: the picture of a recording, the same with nothing folded, that of a graph that nobody
recorded, and torchviz's graph drawn by us."""
