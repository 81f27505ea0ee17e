"""Where a picture or a trace goes; asked before a script runs, since afterwards would be a pity."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from autograd_lab.trace.trace_file import SUFFIXES as TRACES

PICTURES = (".png", ".svg", ".pdf")
SUFFIXES = (*PICTURES, ".gv", ".dot", *TRACES)


class Misuse(ValueError):
    """A wish that contradicts itself or the run."""


class Unwritable(OSError):
    """A file could not be written, although it looked as if it could."""


def target_of(program: str, output: Path | None, every: bool, sheet: bool) -> Path:
    """The file, or with `every` the folder, for what `program` gives; named after it unless `output` says otherwise.

    Raises Misuse for a place that cannot be written or does not fit the wish.
    """
    if Path(program).is_dir():
        raise Misuse(f"{program} is a folder; name a script in it")
    stem = stem_of(program)
    if every:
        return folder_target(
            output or Path(f"{stem}-steps"), "--each-step fills a folder", "; one page of all steps is --sheet"
        )
    wanted = PICTURES if sheet else SUFFIXES
    return file_target(output or Path(f"{stem}{'-sheet' if sheet else ''}.png"), wanted)


def stem_of(program: str) -> str:
    """What a file is called that is made of a script or a trace, without its suffix."""
    return Path(Path(program).stem).stem if program.lower().endswith(".jsonl.gz") else Path(program).stem


def folder_target(folder: Path, why: str, instead: str = "") -> Path:
    """The path, if a folder can be there. Raises Misuse otherwise, which says `why` and what to do `instead`."""
    if folder.name.lower().endswith(SUFFIXES) or folder.is_file():
        raise Misuse(f"{why}, and {folder} names a file{instead}")
    return _writable(folder)


def file_target(path: Path, suffixes: tuple[str, ...]) -> Path:
    """The path, if its suffix is one of these and it can be written. Raises Misuse otherwise."""
    if path.is_dir():
        raise Misuse(f"{path} is a folder; name a file in it, such as {path / 'graph'}{suffixes[0]}")
    if not path.name.lower().endswith(suffixes):
        ending = f"the suffix {path.suffix}" if path.suffix else "no suffix"
        folder = "" if path.suffix else "; a folder goes with --each-step"
        raise Misuse(f"{path} has {ending}; what to write is told by {' or '.join(suffixes)}{folder}")
    return _writable(path)


def _writable(path: Path) -> Path:
    if not path.parent.is_dir():
        raise Misuse(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise Misuse(f"cannot write {path}: the folder {path.parent} does not allow it")
    return path


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Let an error inside name the file that was meant, rather than a temporary one. Raises Unwritable."""
    try:
        yield
    except OSError as error:
        raise Unwritable(f"cannot write {target}: {error.strerror or error}") from error
