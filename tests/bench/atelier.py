"""A process in which one painter works: `python -m tests.bench.atelier torchviz`, with orders on stdin."""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.painters import PAINTERS
from tests.bench.subjects import SUBJECTS


class Work(NamedTuple):
    """What a painter did: seconds of the processor to follow and to draw, bytes of the file, boxes in it if an SVG."""

    follow: float
    draw: float
    size: int
    boxes: int


def boxes_in(svg: str) -> int:
    """Boxes that are joined by lines, in the SVG of Graphviz, of `make_dot`, and of a picture."""
    if 'class="node"' in svg:
        return svg.count('class="node"')
    ours = re.findall(r'<g id="[^"]*" class="(?:box|pill|fold)\b', svg)
    return len(ours) or svg.count("<rect") - 1


def spent() -> float:
    """Seconds that the processor has worked for this process, and for those that it started and that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def do(painter: str, subject: str, suffix: str, folder: Path) -> Work:
    import torch

    follow, draw = PAINTERS[painter]
    torch.manual_seed(0)
    model, x = SUBJECTS[subject](torch)
    file = folder / "drawn"
    start = spent()
    followed = follow(model, x)
    middle = spent()
    draw(followed, file, suffix)
    end = spent()
    made = file.with_suffix(f".{suffix}")
    boxes = boxes_in(made.read_text(encoding="utf-8")) if suffix == "svg" else 0
    return Work(middle - start, end - middle, made.stat().st_size, boxes)


def main() -> None:
    """An order a line comes in, a `Work` or the reason why there is none goes out; what peers print is not heard."""
    import torch

    torch.set_num_threads(1)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            subject, suffix = json.loads(line)
            try:
                answer: Any = do(sys.argv[1], subject, suffix, Path(folder))
            except Exception as error:
                answer = f"{type(error).__name__}: {' '.join(str(error).split())[:60]}"
            answers.write(json.dumps(answer) + "\n")
            answers.flush()


if __name__ == "__main__":
    main()
