"""A fixed share of PyTorch's own databases, as often as the tests are run; all of them: `python -m tests.databases`."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest", reason="PyTorch's own tests need it")

from tests.databases import modules, ops, optimizers  # noqa: E402
from tests.databases.known import reason  # noqa: E402
from tests.databases.score import name_of  # noqa: E402

SAMPLES = 1
SOME = (torch.float64,)
EACH = {"ops": 3}
"""Of this many entries one is compared here, the same ones each time; each is in `python -m tests.databases`."""
PARTS: dict[str, Any] = {"ops": ops, "modules": modules, "optimizers": optimizers}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", PARTS)
def test_what_pytorchs_databases_know_is_so_here(part: str) -> None:
    open_ones = []
    for entry in PARTS[part].present()[:: EACH.get(part, 1)]:
        found = PARTS[part].compare(entry, SAMPLES, **({"dtypes": SOME} if part == "ops" else {}))
        open_ones += [one for one in found.differ if reason(*one[:2]) is None]
    assert open_ones == []


def test_the_databases_are_not_empty() -> None:
    counts = [len(part.present()) for part in PARTS.values()]
    assert counts[0] >= 430
    assert counts[1] >= 60
    assert counts[2] >= 6
    assert name_of(ops.present()[0])
