"""`autograd-lab demo`: what the command line says and does about demos."""

from __future__ import annotations

from pathlib import Path

from autograd_lab.demos.demo import BUNDLED, Demo, load, make, run, title_of
from autograd_lab.demos.questions import QuestionError
from autograd_lab.script import TorchMissing
from autograd_lab.target import Misuse


def listing() -> str:
    """The demos that come along, one a line, with their titles."""
    width = max(map(len, BUNDLED))
    return "\n".join(f"{name:{width}}  {title_of(name)}" for name in BUNDLED)


def demo_of(program: str, arguments: list[str], torch: bool) -> Demo:
    """A demo that comes along, or one made of a program. Raises Misuse, OSError."""
    try:
        if program in BUNDLED:
            return run(program, torch=True) if torch else load(program)
        path = Path(program)
        if not path.is_file():
            raise Misuse(f"there is no file {program}; demos that come along are {', '.join(BUNDLED)}")
        return make(path, arguments, torch)
    except (QuestionError, SyntaxError, UnicodeDecodeError) as error:
        raise Misuse(f"{program}: {error}") from None
    except TorchMissing as error:
        raise Misuse(str(error)) from None
