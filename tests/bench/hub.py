"""What a class on a hub costs: time until all can work, memory a student before and after a notebook."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.hub import cells_of, hub, weights

STEP = "player = demo('arriving-at-b')\nfor _ in range(player.scene.steps): player.step += 1\nprint(player.step)"


def run(options: argparse.Namespace) -> None:
    """Start the hub and print figures; all run on this machine, beside whatever else it does."""
    students = [f"student{number}" for number in range(options.students)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        start = time.monotonic()
        with hub(folder, students) as made:
            print(f"hub up                       {time.monotonic() - start:6.1f} s")
            start = time.monotonic()
            made.start(students)
            print(f"{len(students)} servers ready              {time.monotonic() - start:6.1f} s")
            _weigh("idle", folder, students)
            start = time.monotonic()
            with ThreadPoolExecutor(len(students)) as class_:
                stepped = list(class_.map(lambda student: made.run(student, *cells_of(), STEP)[-1], students))
            print(f"all ran a notebook and stepped {time.monotonic() - start:4.1f} s  ({len(stepped)} students)")
            _weigh("with a notebook", folder, students)


def _weigh(when: str, folder: Path, students: list[str]) -> None:
    found = list(weights(folder, students).values())
    print(f"memory {when:16} {statistics.mean(found):6.0f} MiB a student (most {max(found):.0f})")
