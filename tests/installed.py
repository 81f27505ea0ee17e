"""What a program of these tests needs, said in one sentence where it is not installed."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def leave_without(program: str, *modules: str) -> None:
    """End the program, unless all of these can be imported, and say how one gets them."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        sys.exit(
            f"{program}: not installed here: {', '.join(missing)}. "
            f"First run python3 start.py test, which installs it, then .venv/bin/python -m {program}"
        )
