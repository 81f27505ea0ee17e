"""Code that never ends is stopped, however short its loop is and whatever it catches."""

from __future__ import annotations

import pytest

from autograd_lab.lessons.patience import NeverEnds, patience

FILE = "<endless>"


@pytest.mark.parametrize(
    "text",
    [
        "while True: pass",
        "x = 1\nwhile x:\n    x += 1",
        "def f():\n    while True: pass\nf()",
        "for _ in iter(int, 1): pass",
        "found = [0]\nfor each in found:\n    found.append(each)",
        "while True:\n    try:\n        1 / 0\n    except Exception:\n        pass",
    ],
)
def test_it_is_stopped(text: str) -> None:
    with pytest.raises(NeverEnds), patience(FILE, 100_000):
        exec(compile(text, FILE, "exec"), {})


def test_what_ends_is_left_alone_and_so_is_what_others_run() -> None:
    names: dict[str, int] = {}
    with patience(FILE, 100_000):
        exec(compile("total = sum(range(1000))", FILE, "exec"), names)
        for _ in range(100_000):
            pass
    assert names["total"] == 499_500
