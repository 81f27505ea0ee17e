"""JupyterLite with all that it needs in one folder: Python for the browser, its packages, this one, the notebooks.

Pyodide comes from npm, pure wheels come from PyPI. No registry has numpy for Pyodide: it is in Pyodide's release and on
its CDN. Where a wheel of it is given, everything runs; without one, what was recorded plays and nothing else runs.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "lite"
ROOT = HERE.parent.parent
RUNTIME = ("pyodide.mjs", "pyodide.js", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
KERNEL = ("micropip", "ipython", "packaging", "jedi", "pyodide-http")
"""What the kernel itself imports; Pyodide's lock file says what these need."""
PURE = "-none-any.whl"
"""How the name of a pure wheel ends; what needs a platform is in the runtime."""
WITH_US = ("graphviz", "comm", "ipywidgets", "jupyterlab_widgets", "anywidget", "psygnal", "typing_extensions")
"""What this package and its widgets import, all of it pure Python."""
DOORS = {"autograd_lab/__init__.py": "player_only.py", "autograd_lab/lessons/__init__.py": "no_lessons.py"}
"""Files of the package, and what stands in their place where there is no numpy."""


class SiteFailed(Exception):
    """Why a site could not be built, in one line."""


def build_lite(work: Path, out: Path, numpy: Path | None) -> None:
    """Build JupyterLite into `out`; `work` is a folder for what is fetched. Raises SiteFailed."""
    dist = work / "lite" / "static" / "pyodide"
    shutil.rmtree(work / "lite", ignore_errors=True)
    dist.mkdir(parents=True)
    _lock(_runtime(work), dist, numpy)
    shutil.copy(HERE / "jupyter-lite.json", work / "lite")
    command = ["jupyter", "lite", "build", "--lite-dir", work / "lite", "--contents", ROOT / "notebooks"]
    _run(sys.executable, "-m", *command, "--output-dir", out.resolve(), "--no-sourcemaps", cwd=work)
    if numpy is not None:
        shutil.copy(HERE / "try.html", out)


def _runtime(work: Path) -> Path:
    """The folder with Pyodide, which npm fetches."""
    npm = shutil.which("npm")
    if npm is None:
        raise SiteFailed(
            "Python for the browser comes by npm: install Node.js (nodejs.org), which brings npm, or --without-lab"
        )
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, work)
    _run(npm, "ci", "--no-audit", "--no-fund", cwd=work)
    return work / "node_modules" / "pyodide"


def _lock(runtime: Path, dist: Path, numpy: Path | None) -> None:
    """Put the runtime and the wheels into `dist`, and write a lock file that knows these and no others."""
    for name in RUNTIME:
        shutil.copy(runtime / name, dist)
    lock = json.loads((runtime / "pyodide-lock.json").read_text("utf-8"))
    known = lock["packages"]
    kept: dict[str, Any] = {}
    kernel = [name for name in sorted(_needed(known, KERNEL)) if known[name]["file_name"].endswith(PURE)]
    fetched = _fetch([*(f"{known[name]['name']}=={known[name]['version']}" for name in kernel), *WITH_US], dist)
    kept |= {name: known[name] | _file(fetched[_normal(known[name]["name"])]) for name in kernel}
    kept |= {name.replace("_", "-"): _entry(name, fetched[_normal(name)], []) for name in WITH_US}
    if numpy is not None:
        kept["numpy"] = known["numpy"] | _file(Path(shutil.copy(numpy, dist)))
    ours = _own_wheel(dist, player_only=numpy is None)
    kept["autograd-lab"] = _entry("autograd_lab", ours, [*WITH_US, *(["numpy"] if numpy else [])])
    (dist / "pyodide-lock.json").write_text(json.dumps(lock | {"packages": kept}), "utf-8")


def _needed(known: dict[str, Any], names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    todo = list(names)
    while todo:
        name = todo.pop().replace("_", "-")
        if name not in found:
            found.add(name)
            todo += known[name].get("depends", [])
    return found


def _fetch(requirements: list[str], to: Path) -> dict[str, Path]:
    """The pure wheels of these requirements, by their normal names; all at once, since to start pip takes a second."""
    pure = ["--only-binary", ":all:", "--platform", "any", "--implementation", "py", "--abi", "none"]
    where = ["--python-version", "3.14", "--no-deps", "--dest", to]
    _run(sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", *pure, *where, *requirements)
    wheels = {_normal(wheel.name.split("-")[0]): wheel for wheel in to.glob("*.whl")}
    for requirement in requirements:
        if _normal(requirement.partition("==")[0]) not in wheels:
            raise SiteFailed(f"cannot fetch {requirement}; is there a network?")
    return wheels


def _normal(name: str) -> str:
    """A name as registries compare it."""
    return re.sub("[-_.]+", "-", name).lower()


def _own_wheel(to: Path, player_only: bool) -> Path:
    before = set(to.glob("*.whl"))
    _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", to, ROOT)
    (wheel,) = set(to.glob("*.whl")) - before
    for door, other in DOORS.items() if player_only else ():
        _exchange(wheel, door, (HERE / other).read_bytes())
    return wheel


def _exchange(wheel: Path, name: str, content: bytes) -> None:
    """Put another file in the place of one in a wheel."""
    other = wheel.with_suffix(".new")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.infolist():
            new.writestr(entry, content if entry.filename == name else old.read(entry))
    other.replace(wheel)


def _entry(name: str, wheel: Path, depends: list[str]) -> dict[str, Any]:
    version = wheel.name.split("-")[1]
    known = {
        "name": name,
        "version": version,
        "install_dir": "site",
        "package_type": "package",
        "unvendored_tests": False,
    }
    return known | {"imports": [name], "depends": [each.replace("_", "-") for each in depends]} | _file(wheel)


def _file(wheel: Path) -> dict[str, str]:
    return {"file_name": wheel.name, "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest()}


def _run(*command: Any, cwd: Path | None = None) -> None:
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no reason given").splitlines()[-1]
        raise SiteFailed(f"{' '.join(map(str, command[:4]))} … failed: {last}")
