"""Damage traces, and see what becomes of them: `python -m tests.fuzz --cases 100000`.

A case is a seed: `--first 4711 --cases 1` is that case again. Each has ten seconds of the processor and, with all
before it in its process, a gigabyte. Ends with 1 if anything but a `TraceError` or `NothingToDraw` came out, or a
limit was met.
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
from typing import NamedTuple

from tests.fuzz.damage import damaged
from tests.fuzz.seeds import seeds
from tests.fuzz.uses import use

warnings.simplefilter("error", RuntimeWarning)
SECONDS, BYTES, BATCH = 10, 1 << 30, 50


class Verdict(NamedTuple):
    case: int
    outcome: str
    place: str
    """Where it broke."""
    seconds: float
    """Of the processor: a busy machine makes no case slow."""


def judged(case: int, folder: Path) -> Verdict:
    """What became of a case."""
    begun = time.process_time()
    outcome, place = tried(case, folder)
    return Verdict(case, outcome, place, time.process_time() - begun)


def tried(case: int, folder: Path) -> tuple[str, str]:
    rng = random.Random(case)
    path = folder / "case.jsonl"
    path.write_bytes(damaged(rng.choice(seeds()), rng))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return use(path, rng), ""
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}"
        return "BROKEN", f"{place}: {str(error)[:80]!r}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def batch(cases: range) -> tuple[list[Verdict], int]:
    """What became of each, and the most memory that their process has had, in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        verdicts = [judged(case, Path(folder)) for case in cases]
    return verdicts, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def prepare() -> None:
    sys.setrecursionlimit(1000)
    signal.signal(signal.SIGPROF, _too_long)
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
    begun = time.monotonic()
    verdicts, peak = all_judged(range(asked.first, asked.first + asked.cases), asked.jobs)
    print(summary(verdicts))
    print(f"{time.monotonic() - begun:.0f} s; at most {peak} MiB in a process")
    return 1 if any(verdict.place for verdict in verdicts) else 0


def all_judged(cases: range, jobs: int) -> tuple[list[Verdict], int]:
    verdicts: list[Verdict] = []
    peak = 0
    with ProcessPoolExecutor(jobs, initializer=prepare) as pool:
        for done, mebibytes in pool.map(batch, (cases[at : at + BATCH] for at in range(0, len(cases), BATCH))):
            verdicts += done
            peak = max(peak, mebibytes)
            for case, _, place, _ in filter(lambda each: each.place, done):
                print(f"\r{case}: {place}", file=sys.stderr)
            print(f"\r{len(verdicts)} of {len(cases)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return verdicts, peak


def summary(verdicts: list[Verdict]) -> str:
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    longest = max(verdicts, key=lambda verdict: verdict.seconds)
    return "\n".join(
        (
            *(f"{count:8d}  {outcome}" for outcome, count in outcomes.most_common()),
            f"longest: case {longest.case}, {longest.seconds:.1f} s",
        )
    )


if __name__ == "__main__":
    sys.exit(main())
