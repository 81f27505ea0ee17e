"""A script as it was in two revisions of its repository."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from autograd_lab.display.target import Misuse


@contextmanager
def of_both(script: Path, revisions: str) -> Iterator[tuple[tuple[Path, Path], tuple[str, str]]]:
    """The script in each of two revisions, "A..B", with a title for each; of "A" alone, then and as it is now.

    All of the repository is checked out beside it for as long as this lasts. Raises Misuse for what git does not know.
    """
    script = script.resolve()
    top = Path(_git(script.parent, "rev-parse", "--show-toplevel"))
    one, dots, other = revisions.partition("..")
    wanted = [one or "HEAD", (other.lstrip(".") or "HEAD") if dots else ""]
    with ExitStack() as stack:
        paths = [
            stack.enter_context(_checked_out(top, script, revision)) if revision else script for revision in wanted
        ]
        first, second = (f"{script.name} at {revision}" if revision else f"{script.name} now" for revision in wanted)
        yield (paths[0], paths[1]), (first, second)


@contextmanager
def _checked_out(top: Path, script: Path, revision: str) -> Iterator[Path]:
    commit = _git(top, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    with TemporaryDirectory(prefix="autograd-lab-") as folder:
        place = Path(folder, "tree")
        _git(top, "worktree", "add", "--detach", str(place), commit)
        try:
            found = place / script.relative_to(top)
            if not found.is_file():
                raise Misuse(f"there is no {script.relative_to(top)} in {revision}")
            yield found
        finally:
            _git(top, "worktree", "remove", "--force", str(place))


def _git(folder: Path, *words: str) -> str:
    """What git says. Raises Misuse with its last line where it fails, or is not there."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True)
    except OSError as error:
        raise Misuse(f"--git needs git: {error}") from None
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise Misuse(f"git {words[0]}: {said[-1] if said else 'it failed'}")
    return done.stdout.strip()
