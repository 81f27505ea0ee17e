"""An environment for each version of PyTorch, in a cache folder outside of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.torches.stubs import write_stubs

ROOT = Path(__file__).resolve().parents[2]
PURE = ("filelock", "fsspec", "jinja2", "mpmath", "networkx", "setuptools", "sympy", "typing-extensions")
"""What PyTorch imports that is no CUDA library."""
TESTING = ("hypothesis", "ml_dtypes", "pillow", "pytest", "pytest-xdist")
EDITION = "1"
"""Changes when environments have to be made anew."""
TRIES = 3
"""How often an installation is tried: a download of 900 MB that breaks off is told by pip as a conflict."""


class CannotInstallError(RuntimeError):
    """A version of PyTorch could not be installed, so nothing is known about it."""


def cache_folder() -> Path:
    """Where environments are kept: `AUTOGRAD_LAB_TORCHES`, or `autograd_lab/torches` in the user's cache folder."""
    named = os.environ.get("AUTOGRAD_LAB_TORCHES")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(named) if named else home / "autograd_lab" / "torches"


def newest() -> str:
    """The newest PyTorch that the registry has. Raises RuntimeError if it cannot be asked."""
    said = subprocess.run(
        [sys.executable, "-m", "pip", "index", "versions", "torch"], capture_output=True, text=True, check=False
    )
    found = re.search(r"^torch \((\d+\.\d+\.\d+)", said.stdout, re.MULTILINE)
    if found is None:
        raise RuntimeError(f"the registry does not say what the newest PyTorch is: {said.stderr.strip()[-200:]}")
    return found[1]


@dataclass(frozen=True)
class Environment:
    """A Python with a PyTorch, `wanted` as 2.8 or as 2.8.0."""

    wanted: str
    python: str = f"{sys.version_info[0]}.{sys.version_info[1]}"

    @property
    def folder(self) -> Path:
        return cache_folder() / f"torch-{self.wanted}-python-{self.python}"

    @property
    def executable(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def is_ready(self) -> bool:
        stamp = self.folder / "ready"
        return stamp.exists() and stamp.read_text() == EDITION

    def make(self) -> None:
        """Make it, unless it is there. Raises CannotInstallError if something cannot be installed."""
        if self.is_ready:
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        subprocess.run([self._interpreter(), "-m", "venv", self.folder], check=True)
        pinned = f"torch=={self.wanted}" + (".*" if self.wanted.count(".") == 1 else "")
        self._install("--no-deps", pinned)
        self._install("-c", str(ROOT / "constraints.txt"), *PURE, *TESTING)
        self._install("-c", str(ROOT / "constraints.txt"), "-e", str(ROOT))
        write_stubs(next(self.folder.glob("lib/python*/site-packages")))
        (self.folder / "ready").write_text(EDITION)

    def _interpreter(self) -> str:
        found = sys.executable if f"{sys.version_info[0]}.{sys.version_info[1]}" == self.python else ""
        found = found or shutil.which(f"python{self.python}") or ""
        if not found:
            raise FileNotFoundError(f"there is no python{self.python} on PATH")
        return found

    def _install(self, *what: str) -> None:
        quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
        for _ in range(TRIES):
            if not subprocess.run([self.executable, "-m", "pip", "install", *quiet, *what], check=False).returncode:
                return
        raise CannotInstallError(f"pip could not install {' '.join(what)}, tried {TRIES} times")
