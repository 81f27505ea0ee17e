"""`python -m tests.any_program 0 1000`: show everything of many random programs, and tell of each kind of mistake."""

from __future__ import annotations

import sys
import time
import traceback
from collections import Counter

from tests.any_program.trial import Mistake, tried


def main(start: int, stop: int) -> None:
    counts: Counter[str] = Counter()
    first: dict[str, Mistake] = {}
    began, pictures = time.perf_counter(), 0
    for seed in range(start, stop):
        shown, mistakes = tried(seed)
        pictures += shown
        for mistake in mistakes:
            counts[mistake.kind] += 1
            first.setdefault(mistake.kind, mistake)
    for kind, count in counts.most_common():
        print(f"{count} × {kind}, first in program {first[kind].seed}, {first[kind].where}")
        traceback.print_exception(first[kind].error)
        print(first[kind].text)
    print(f"{stop - start} programs, {pictures} pictures, {time.perf_counter() - began:.0f} s, {len(counts)} kinds")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
