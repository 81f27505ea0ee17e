"""Build the site: the guide, the demos, and JupyterLite. `python3 start.py site` sets up and runs this."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from autograd_lab.classroom.demos.demo import BUNDLED, load
from autograd_lab.classroom.demos.film_strip import strip
from autograd_lab.classroom.demos.lesson import lesson_demo
from autograd_lab.commands.memory import Name, result_of
from autograd_lab.commands.memory import picture as picture_of
from autograd_lab.view.page import to_page
from autograd_lab.view.png import to_png
from docs.gallery import gallery
from docs.jupyterlite import SiteFailed, build_lite
from docs.mistake import Mistake, mistakes

HERE = Path(__file__).parent
WORK = HERE / "_work"
LESSONS = 21
PICTURES = HERE / "pictures"
WITHOUT_NPM = (
    "notebooks that run in the browser are left out; for them install Node.js (nodejs.org), which brings npm, "
    "and build it again"
)
WITHOUT_NUMPY = (
    "without numpy for the browser, notebooks there play what was recorded and run nothing. Its wheel is in "
    "a release of Pyodide, github.com/pyodide/pyodide/releases: site --numpy numpy-…-pyemscripten_…_wasm32.whl"
)


def main(arguments: list[str]) -> int:
    """Build it; exits with 1 and one line where that fails."""
    options = _parser().parse_args(arguments)
    if options.numpy is not None and not options.numpy.is_file():
        print(f"site: there is no file {options.numpy}", file=sys.stderr)
        return 2
    console = Console(stderr=True)
    parts: dict[str, Callable[[], None]] = {
        "pictures": pictures,
        "mistakes": lambda: gallery(options.output / "mistakes" / "play", shown(options.brief)),
        "guide and reference": lambda: guide(options.output, with_lab="JupyterLite" in parts),
        "demos": lambda: demos(options.output / "demos"),
        "lessons": lambda: lessons(options.output / "lessons"),
        "compiled": lambda: compiled(options.output / "compiled"),
    }
    if not options.without_lab and shutil.which("npm") is None:
        print(f"site: {WITHOUT_NPM}", file=sys.stderr)
    elif not options.without_lab:
        if options.numpy is None:
            print(f"site: {WITHOUT_NUMPY}", file=sys.stderr)
        parts["JupyterLite"] = lambda: build_lite(WORK, options.output / "lite", options.numpy)
    shutil.rmtree(options.output, ignore_errors=True)
    try:
        for name, build in parts.items():
            with console.status(f"Building: {name} …"):
                build()
            console.print(f"built: {name}", highlight=False)
    except SiteFailed as failure:
        print(f"site: {failure}", file=sys.stderr)
        return 1
    print(f"{options.output}: put it on any host that serves files, or try: python3 -m http.server -d {options.output}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="start.py site", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=HERE.parent / "_site", help="the folder (_site)")
    parser.add_argument("--numpy", type=Path, metavar="WHEEL", help="numpy for Pyodide, from one of its releases")
    parser.add_argument("--without-lab", action="store_true", help="no JupyterLite, which wants npm")
    parser.add_argument("--brief", action="store_true", help="one program of each mistake: to try a change sooner")
    return parser


def shown(brief: bool) -> dict[str, list[Mistake]]:
    """The programs of each kind of mistake, of which the shortest one stands for all where the site is brief."""
    return {kind: programs[: 1 if brief else None] for kind, programs in mistakes().items()}


def pictures() -> None:
    """Draw what the guide shows."""
    PICTURES.mkdir(exist_ok=True)
    for name in Name:
        (PICTURES / f"memory-{name}.png").write_bytes(to_png(picture_of(result_of(name)), scale=1.5))
    compile_to(PICTURES / "compiled.png")
    arriving = load("arriving-at-b")
    (PICTURES / "arriving-at-b.png").write_bytes(to_png(strip(arriving), scale=1.5))


def guide(out: Path, with_lab: bool) -> None:
    """Have Sphinx make the pages, with links to JupyterLite, if that is there. Raises SiteFailed."""
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-b",
        "html",
        "-d",
        str(WORK / "doctrees"),
        *(["-t", "lab"] * with_lab),
    ]
    command += [str(HERE), str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SiteFailed(f"Sphinx: {done.stderr.strip()}")


def demos(out: Path) -> None:
    """The pages of the demos and their slides; the keys are the teacher's, and not among them."""
    for name in BUNDLED:
        demo = load(name)
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(to_page(demo.scene, demo.title, demo.asked), "utf-8", errors="replace")
        (folder / "strip.png").write_bytes(to_png(strip(demo), scale=1.5))
        demo.trace.save(folder / "trace.jsonl")


def lessons(out: Path) -> None:
    """A page of the first graph of each lesson, which needs no numpy in the browser."""
    for number in range(LESSONS):
        demo = lesson_demo(f"L{number}")
        assert demo is not None  # it is a name of a lesson
        folder = out / demo.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.html").write_text(to_page(demo.scene, demo.title), "utf-8", errors="replace")


def compiled(out: Path) -> None:
    """The page of a compilation."""
    out.mkdir(parents=True, exist_ok=True)
    compile_to(out / "index.html")


def compile_to(file: Path) -> None:
    """Write what compiling makes of an example, as the suffix says."""
    command = [sys.executable, "-m", "autograd_lab", "compile", "fused", "-o", str(file)]
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
