"""`autograd-lab doctor`: what is there, what is missing, and for what one would need it."""

from __future__ import annotations

import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer

import autograd_lab
from autograd_lab.commands.exits import FAILED
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.terminal import say
from autograd_lab.elsewhere.torch_version import OWN

EPILOG = """\b
Example:
  autograd-lab doctor
\b
The exit code is 0 if pictures can be drawn, and 1 if they cannot. All else is for who needs it."""
PURPOSES = {
    "PDF, PNG of half the size": (("pillow", "svg2pdf-py"), "autograd-lab[export]"),
    "GIF, APNG and WebP movies": (("pillow",), "autograd-lab[export]"),
    "MP4 and WebM movies": (("av", "pillow"), "autograd-lab[export]"),
    "players in notebooks": (("anywidget", "ipywidgets"), "autograd-lab[lab]"),
    "JupyterLab for the lessons": (("jupyterlab",), "autograd-lab[lab]"),
    "votes by phone": (("segno", "starlette", "uvicorn"), "autograd-lab[classroom]"),
    "lessons from their sources": (("jupytext", "nbformat"), "autograd-lab[classroom]"),
    "TensorBoard": (("tensorboard", "pillow"), "autograd-lab[trainers]"),
    "the callback for Lightning": (("lightning",), "lightning"),
    "the callback for Hugging Face": (("transformers", "accelerate"), "transformers accelerate"),
    "Weights & Biases": (("wandb", "pillow"), "wandb pillow"),
    "the Sphinx directive": (("sphinx",), "autograd-lab[docs]"),
    "bfloat16 on numpy": (("ml_dtypes",), "ml_dtypes"),
}
"""What some packages are for, and how one gets them."""
WIDTH = max(map(len, PURPOSES))
app = command_file()


@app.command(epilog=EPILOG)
def doctor() -> None:
    """Say what is installed, what is missing, and for what you would need it."""
    say(f"autograd-lab {OWN} in {Path(autograd_lab.__file__).parent}")
    say(f"Python {platform.python_version()} ({sys.executable}), numpy {_version('numpy')}, {platform.platform()}")
    say(f"{_torch()}\n")
    fault = _fault_in_drawing()
    say(f"{'  -' if fault else '  +'} {'PNG and SVG pictures':{WIDTH}}  {fault or 'drawn just now'}")
    for row in _rows():
        say(row)
    if fault:
        raise typer.Exit(FAILED)


def _rows() -> Iterator[str]:
    for purpose, (packages, install) in PURPOSES.items():
        missing = [each for each in packages if not _version(each)]
        there = ", ".join(f"{each} {_version(each)}" for each in packages if each not in missing)
        yield f"  {'-' if missing else '+'} {purpose:{WIDTH}}  " + (
            f"pip install {_quoted(install)}" if missing else there
        )
    dot = shutil.which("dot") or (f"pygraphviz {found}" if (found := _version("pygraphviz")) else "")
    without = "pip install pygraphviz, or Graphviz; only --layout graphviz wants it"
    yield f"  {'+' if dot else '-'} {'layout by Graphviz':{WIDTH}}  {dot or without}"


def _quoted(install: str) -> str:
    """As a shell wants it, to which brackets are a pattern."""
    return f"'{install}'" if "[" in install else install


def _version(package: str) -> str:
    """The version that is installed; nothing if none is."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _torch() -> str:
    """What is known of PyTorch here."""
    if not _version("torch"):
        return "PyTorch is not here: scripts that `import autograd_lab as torch` need none."
    try:
        from autograd_lab.torch_bridge.internals import untried
    except Exception as error:  # whatever a PyTorch raises that is damaged, or unlike all others
        return f"PyTorch {_version('torch')} cannot be watched: {type(error).__name__}: {error}"
    return untried() or f"PyTorch {_version('torch')}, which has been tried."


def _fault_in_drawing() -> str:
    """Why no picture can be drawn; nothing if one can be."""
    try:
        from autograd_lab import draw, tensor

        x = tensor(2.0, requires_grad=True)
        draw(x * x).png(scale=0.1)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
