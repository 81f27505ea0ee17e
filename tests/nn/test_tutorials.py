"""Programs written as tutorials are say the same under `import torch` and under `import autograd_lab as torch`.

They are PyTorch's own tutorials and others' classics, with data and first weights from numpy. They run in double
precision, in which the two differ by some 1e-14: all else would be a mistake.
"""

from __future__ import annotations

import io
import re
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

import autograd_lab

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

FOLDER = Path(__file__).parent / "tutorials"
SCRIPTS = sorted(path for path in FOLDER.glob("*.py") if path.stem not in ("__init__", "drawn"))
IMPORT = re.compile(r"^(import|from) torch(?=[. ])", re.MULTILINE)
NUMBER = re.compile(r"-?\b\d+\.?\d*(?:e[-+]?\d+)?")


def here(text: str) -> str:
    """The script with all its imports of PyTorch turned to autograd_lab, and nothing else."""
    return IMPORT.sub(r"\1 autograd_lab", text.replace("import torch\n", "import autograd_lab as torch\n"))


def printed(text: str, module: Any) -> str:
    """What a script prints in double precision."""
    before, said = module.get_default_dtype(), io.StringIO()
    module.set_default_dtype(module.float64)
    try:
        with redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, "tutorial", "exec"), {"__name__": "__main__"})
    finally:
        module.set_default_dtype(before)
    return said.getvalue()


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_tutorial_says_the_same_in_both_worlds(script: Path) -> None:
    text = script.read_text()
    ours, theirs = printed(here(text), autograd_lab), printed(text, torch)
    assert ours and NUMBER.sub("#", " ".join(ours.split())) == NUMBER.sub("#", " ".join(theirs.split()))
    numbers = [[float(number) for number in NUMBER.findall(each)] for each in (ours, theirs)]
    assert numbers[0] == pytest.approx(numbers[1], rel=1e-9, abs=1e-10)


def test_only_imports_are_other_words() -> None:
    text = "import torch\nimport torch.nn as nn\nfrom torch import optim\nx = torch.ones(2)  # import torch.nn\n"
    assert here(text).split("\n")[:4] == [
        "import autograd_lab as torch",
        "import autograd_lab.nn as nn",
        "from autograd_lab import optim",
        "x = torch.ones(2)  # import torch.nn",
    ]
