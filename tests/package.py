"""`python -m tests.package [PYTHON ...]`: the package as it is released, in an environment with nothing else.

Builds the source distribution, and the wheel from it; looks into both; installs the wheel with each Python that is
named, by default this one, draws a PNG there, asks `doctor`, loads the plugin of pytest, and says how large it is.
Wants a network.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
MOST = 85
"""Megabytes of the wheel with all that it needs, of which numpy has 59."""
WANTED = ("autograd_lab/py.typed", "autograd_lab/view/pages/static/player.js", "pytest_autograd_lab.py")


def main(pythons: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        builder = environment(sys.executable, folder / "builder", "build")
        run(builder, "-m", "build", "--outdir", folder / "dist", ROOT)
        (wheel,) = (folder / "dist").glob("*.whl")
        (source,) = (folder / "dist").glob("*.tar.gz")
        look_into(wheel, source)
        sizes = [tried(python, wheel, folder / f"bare{number}") for number, python in enumerate(pythons)]
    return int(max(sizes) > MOST)


def environment(python: str, folder: Path, *packages: str | Path) -> Path:
    """The Python of a new environment that has these packages, and what they need."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    made = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if packages:
        run(made, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", *packages)
    return made


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def look_into(wheel: Path, source: Path) -> None:
    """Whether they have what they need, and nothing that is of no use to users."""
    names = zipfile.ZipFile(wheel).namelist()
    assert set(WANTED) <= set(names), set(WANTED) - set(names)
    (metadata,) = (each for each in names if each.endswith(".dist-info/METADATA"))
    about = zipfile.ZipFile(wheel).read(metadata).decode()
    assert re.findall(r"\]\((?!https://|#)", about) == []  # an address has to hold on a package index, too
    tops = {each.split("/")[0] for each in names}
    assert {each for each in tops if not each.endswith(".dist-info")} == {"autograd_lab", "pytest_autograd_lab.py"}, (
        tops
    )
    with tarfile.open(source) as archive:
        inside = {each.partition("/")[2] for each in archive.getnames()}
    assert {"README.md", "LICENSE", "pyproject.toml", *WANTED} <= inside, sorted(inside)[:20]
    assert not [each for each in inside if each.startswith((".venv", "widgets/node_modules", ".ci"))]
    print(f"{wheel.name} {wheel.stat().st_size / 1e6:.1f} MB, {source.name} {source.stat().st_size / 1e6:.1f} MB")


def tried(python: str, wheel: Path, folder: Path) -> float:
    """The megabytes that an installation takes beside Python and pip."""
    bare = size(environment(python, folder))
    began = time.monotonic()
    made = environment(python, folder, wheel)
    took = time.monotonic() - began
    room = size(made) - bare
    run(made, "-m", "autograd_lab", "draw", "expression", "-o", folder / "x.png", cwd=folder)
    assert (folder / "x.png").read_bytes().startswith(b"\x89PNG")
    assert "drawn just now" in run(made, "-m", "autograd_lab", "doctor", cwd=folder)
    found = "from importlib.metadata import entry_points as e; print([p.load().__name__ for p in e(group='pytest11')])"
    run(made, "-m", "pip", "install", "--quiet", "pytest", cwd=folder)
    assert "pytest_autograd_lab" in run(made, "-c", found, cwd=folder)
    print(f"{run(made, '--version').strip()}: {room:.0f} MB in {took:.0f} s, and it draws")
    return room


def size(python: Path) -> float:
    """Megabytes of the packages in an environment."""
    (packages,) = python.parent.parent.rglob("site-packages")
    return sum(each.stat().st_size for each in packages.rglob("*") if each.is_file()) / 1e6


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [sys.executable]))
