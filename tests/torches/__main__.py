"""Try versions of PyTorch, and print what is seen of each as a table.

    python -m tests.torches                      the oldest that is supported, and the newest that the registry has
    python -m tests.torches 2.4 2.8 2.15         these; 2.8 is the newest 2.8, 2.8.0 just that one
    python -m tests.torches 2.15 --python 3.13   with another Python, found on PATH as python3.13

An environment for each is made in a cache folder (AUTOGRAD_LAB_TORCHES, else ~/.cache/autograd_lab/torches) and kept;
the first time takes a download of 200 to 900 MB. Exit code 1 says that some version failed, 2 that none did but that
some could not be installed and so was not tried.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

from tests.torches.environment import ROOT, CannotInstallError, Environment, newest

OLDEST = "2.4"
"""The oldest PyTorch that is supported."""
HEADER = (
    "| PyTorch | Python | stories | random programs | examples | training loop | what is not seen |",
    "|---|---|---|---|---|---|---|",
)


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.torches", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("versions", nargs="*", metavar="VERSION", help=f"default: {OLDEST} and the newest")
    parser.add_argument("--python", default=Environment("").python, metavar="3.X")
    asked = parser.parse_args()
    found = [tried(Environment(version, asked.python)) for version in asked.versions or [OLDEST, newest()]]
    print("", *HEADER, *map(row, found), sep="\n")
    wrong = [f"PyTorch {each['torch']}: {text}" for each in found for text in each["wrong"]]
    absent = [f"PyTorch {each['torch']} was not tried: {each['absent']}" for each in found if "absent" in each]
    failed = sum(bool(each["wrong"]) for each in found)
    passed = len(found) - failed - len(absent)
    print("", *wrong, *absent, f"{passed} passed, {failed} failed, {len(absent)} not tried", sep="\n")
    return 1 if wrong else 2 if absent else 0


def tried(environment: Environment) -> dict[str, Any]:
    """What comes of trying one version; `wrong` has what should not be."""
    print(f"PyTorch {environment.wanted}, Python {environment.python} …", file=sys.stderr, flush=True)
    try:
        environment.make()
    except CannotInstallError as error:
        return {"torch": environment.wanted, "python": environment.python, "wrong": [], "absent": str(error)}
    done = subprocess.run(
        [environment.executable, "-m", "tests.torches.checks"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    try:
        return json.loads(done.stdout.splitlines()[-1]) | {"python": environment.python}
    except (IndexError, ValueError):
        wrong = [f"the checks ended with code {done.returncode}"]
        return {"torch": environment.wanted, "python": environment.python, "wrong": wrong}


def row(found: dict[str, Any]) -> str:
    """One line of the table."""
    if "stories" not in found:
        return f"| {found['torch']} | {found['python']} | | | | | {'not tried' if 'absent' in found else 'failed'} |"
    same, parted, count = found["stories"], found["parted"], found["stories"] + found["parted"]
    stories = f"{count} as in 2.13" if not parted else f"{same} of {count} as in 2.13"
    loop = "the last iteration" if found["training"] else "failed"
    unseen = "; ".join(found["lacking"]) or "—"
    cells = (found["torch"], found["python"], stories, found["random"], found["examples"], loop, unseen)
    return f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    sys.exit(main())
