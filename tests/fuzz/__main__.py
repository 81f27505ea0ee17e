"""Damage traces, and see what becomes of them: `python -m tests.fuzz --cases 100000`.

A case is a seed: `--first 4711 --cases 1` is that case again. Each has ten seconds and, with all before it in its
process, a gigabyte. Ends with 1 if anything but a `TraceError` or `NothingToDraw` came out, or a limit was met.
"""

from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.fuzz.damage import damaged
from tests.fuzz.seeds import seeds
from tests.fuzz.uses import use

warnings.simplefilter("error", RuntimeWarning)
SECONDS, BYTES, BATCH = 10, 1 << 30, 50


def judged(case: int, folder: Path) -> tuple[str, str]:
    """What became of a case, and where it broke."""
    rng = random.Random(case)
    path = folder / "case.jsonl"
    path.write_bytes(damaged(rng.choice(seeds()), rng))
    signal.alarm(SECONDS)
    try:
        return use(path, rng), ""
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
        return "BROKEN", f"{place}: {str(error)[:80]!r}"
    finally:
        signal.alarm(0)


def batch(cases: range) -> list[tuple[int, str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        return [(case, *judged(case, Path(folder))) for case in cases]


def prepare() -> None:
    sys.setrecursionlimit(1000)
    signal.signal(signal.SIGALRM, _too_long)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    seeds()


def _too_long(*_: object) -> None:
    raise TimeoutError(f"over {SECONDS} s")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first case")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    outcomes: Counter[str] = Counter()
    places: dict[str, list[int]] = {}
    begun = time.monotonic()
    cases = range(asked.first, asked.first + asked.cases)
    with ProcessPoolExecutor(asked.jobs, initializer=prepare) as pool:
        for done in pool.map(batch, (cases[at : at + BATCH] for at in range(0, len(cases), BATCH))):
            for case, outcome, place in done:
                outcomes[outcome] += 1
                if place:
                    places.setdefault(place, []).append(case)
            print(f"\r{sum(outcomes.values())} of {len(cases)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for outcome, count in outcomes.most_common():
        print(f"{count:8d}  {outcome}")
    for place, broken in sorted(places.items(), key=lambda item: -len(item[1])):
        print(f"{len(broken):8d}  {place}  (cases {', '.join(map(str, broken[:4]))})")
    print(f"{time.monotonic() - begun:.0f} s")
    return 1 if outcomes["BROKEN"] else 0


if __name__ == "__main__":
    sys.exit(main())
