#!/usr/bin/env python3
"""Set up autograd_lab beside this file, once, and use it. Python 3.11 or newer and a network are all it needs.

    python3 start.py draw expression           a bundled example becomes expression.png, here
    python3 start.py draw my_script.py         your own script becomes my_script.png
    python3 start.py draw my_script.py -o backward.svg --at backward
    python3 start.py record my_script.py       a trace, my_script.jsonl, to be drawn later
    python3 start.py play my_script.py         a page, my_script.html, that plays it step by step
    python3 start.py diagnose my_script.py     what is wrong with it, which line did it, and what to write instead
    python3 start.py flow train.py             how large gradients and updates were, layer by layer, over all iterations
    python3 start.py compare one.py other.py   a page, one-other.html, that plays both side by side
    python3 start.py compile fused             a picture, fused.png, of what compiling makes of a function
    python3 start.py demo arriving-at-b        a demonstration for a class; without a name, what there is
    python3 start.py worksheet arriving-at-b   a page to fill in with a pencil, arriving-at-b.pdf, and its key
    python3 start.py progress                  what you have done in the lessons
    python3 start.py review                    what is due today of the lessons' questions
    python3 start.py class report *.json       what a class knows, what it believes, and who is stuck where
    python3 start.py memory checkpoint         what a technique saves in bytes; without a name, what there is
    python3 start.py lessons build             the notebooks of the lessons, from their sources
    python3 start.py doctor                    what is installed, what is missing, and for what you would need it
    python3 start.py schema                    what a line of a trace may be, for programs that write traces
Each of these says more with --help: python3 start.py draw --help

    python3 start.py lab                       the lessons, in JupyterLab
    python3 start.py site                      a web site, _site: the guide, the demos, notebooks that run in a browser
    python3 start.py test                      all tests; they compare with real PyTorch, a large download
    python3 start.py test --without-torch      the tests that need no PyTorch
    python3 start.py test tests/view/kit     some tests: what follows goes to pytest
    python3 start.py check                     before a commit: lint, format, types, the tests of what you changed

On Windows, write `py` for `python3`. Everything goes into the folder .venv beside this file; delete it to start anew.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENV = ROOT / ".venv"
PYTHON = ENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
LOG = ENV / "install.log"
LOCKED = ROOT / "locked.txt"
TORCH = "torch==2.13.0"
PASSED_ON = (
    "draw", "record", "play", "diagnose", "flow", "compare", "compile", "demo", "worksheet", "progress",
    "review", "class", "memory", "lessons", "doctor", "schema",
)  # fmt: skip
"""The commands of `autograd-lab`, which gets them with all that follows."""
OWN = ("lab", "site", "test", "check")
EXTRAS = {"lab": "[lab]", "lessons": "[classroom]"}
"""What is installed of the package for a command, beside its bare self."""
BY_WORD = {"--vote": "[classroom]", ".pdf": "[export]", ".gif": "[export]", ".apng": "[export]", ".webp": "[export]",
           ".mp4": "[export]", ".webm": "[export]"}  # fmt: skip
"""The same for options, and for suffixes of files."""
ALWAYS_PDF = ("worksheet",)
GROUPS = {"site": ("site",), "test": ("test",)}
"""The groups of pyproject.toml that are installed for a command; `check` has those of `test`."""
TESTING = ("test", "check")
OLDEST = (3, 11)


def main(arguments: list[str]) -> int:
    command, rest = (arguments[0] if arguments else "--help"), arguments[1:]
    if command in ("-h", "--help", "help"):
        print(__doc__)
        return 0
    if command not in (*PASSED_ON, *OWN):
        return complain(f"there is no command {command!r}; there are {', '.join((*PASSED_ON, *OWN))}", 2)
    if sys.version_info < OLDEST:
        return complain(f"Python 3.11 or newer is needed; this is {sys.version.split()[0]}. Get one at python.org")
    with_torch = command in TESTING and "--without-torch" not in rest
    try:
        set_up(command, rest, with_torch)
        return run(command, [word for word in rest if command not in TESTING or word != "--without-torch"], with_torch)
    except SetupFailed as failure:
        return complain(str(failure))
    except KeyboardInterrupt:
        return complain("stopped", 130)


class SetupFailed(Exception):
    """Why it could not be set up, in one line."""


def run(command: str, rest: list[str], with_torch: bool) -> int:
    if command in PASSED_ON:
        return become([str(PYTHON), "-m", "autograd_lab", command, *rest])
    if command == "lab":
        index = ["--LabApp.default_url=/lab/tree/index.ipynb", "notebooks/index.ipynb"]
        opened = [] if opens(rest) else index
        return subprocess.call([PYTHON, "-m", "jupyterlab", "--LabApp.news_url=None", *rest, *opened], cwd=ROOT)
    if command == "site":
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        return subprocess.call([PYTHON, "-m", "docs.site", *rest], env={**os.environ, "PYTHONPATH": path})
    environment = {**os.environ, "AUTOGRAD_LAB_WITHOUT_TORCH": "" if with_torch else "1"}
    words = ["tests.check", *rest] if command == "check" else ["pytest", *(rest or ["-n", "2"])]
    return subprocess.call([PYTHON, "-m", *words], cwd=ROOT, env=environment)


def opens(words: list[str]) -> bool:
    """Whether one of these arguments is a file or a folder for JupyterLab to open."""
    return any(not word.startswith("-") and (ROOT / word).exists() for word in words)


def become(command: list[str]) -> int:
    """Hand over to the command: interrupted, it is to draw what it has, and not be killed meanwhile."""
    if os.name != "nt":
        sys.stdout.flush()
        os.execv(command[0], command)
    child = subprocess.Popen(command)
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:  # the child got it too
            pass


def extra_for(command: str, words: list[str]) -> str:
    """The extra of the package that a command needs with these words; empty if it needs none."""
    if command in EXTRAS or command in OWN:
        return EXTRAS.get(command, "")
    if command in ALWAYS_PDF:
        return "[export]"
    return next((extra for ending, extra in BY_WORD.items() if any(each.endswith(ending) for each in words)), "")


def set_up(command: str, words: list[str], with_torch: bool) -> None:
    """Install what the command needs, unless a stamp says that it was done for just these requirements."""
    command = "test" if command in TESTING else command
    extra, groups = extra_for(command, words), GROUPS.get(command, ())
    if command == "test" and os.environ.get("AUTOGRAD_LAB_BROWSER"):
        groups = (*groups, "browser-test")
    stamp = ENV / "-".join(["ready", extra.strip("[]") or "draw", *groups, *["torch"] * with_torch])
    wanted = fingerprint()
    if stamp.exists() and stamp.read_text() == wanted and PYTHON.exists():
        return
    is_large = bool(groups) or extra == "[lab]"
    seconds = "a minute" if is_large else "20 s"
    say(f"Setting up (once, about {seconds}{'; PyTorch is a large download' if with_torch else ''}) …")
    make_environment()
    LOG.write_text("")
    if with_torch:  # first, and by pip: nothing may pull another version, and pip honours folders of wheels
        install("PyTorch", TORCH, by=[pip()], advice="Or leave it out: test --without-torch. ")
    by = [uv(), pip()] if get_uv() else [pip()]  # uv takes seconds where pip takes a minute, and compares hashes
    install("the packages", "-e", f"{ROOT}{extra}", *requirements(*groups), by=by)
    if command == "test":
        any(call(*way, *requirements("graphviz")) for way in by)  # a pleasure, not a need: there is a layout without it
    elif not is_large:
        call(
            str(PYTHON), "-m", "pip", "uninstall", "--yes", "uv"
        )  # it is larger than all that was to be installed but numpy
    if with_torch:
        # make_dot is compared with it; the tests say so where it is missing
        any(call(*way, "torchviz==0.0.3") for way in by)
    stamp.write_text(wanted)
    say("Ready.")


def fingerprint() -> str:
    """Changes whenever what is installed would differ; the folder is part of it, since the install refers to it."""
    texts = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints.txt", "start.py")]
    return hashlib.sha256(b"\0".join([*texts, str(ROOT).encode(), sys.version.encode()])).hexdigest()


def requirements(*groups: str) -> list[str]:
    """All that groups of pyproject.toml name, which pip itself reads only where it is young."""
    import tomllib  # here, since what is older than Python 3.11 has none, and is to be told so

    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    found: dict[str, None] = {}
    waiting = [each for group in groups for each in table[group]]
    for each in waiting:
        if isinstance(each, str):
            found[each] = None
        else:
            waiting += table[each["include-group"]]
    return list(found)


def make_environment() -> None:
    if works(PYTHON):
        return
    try:
        import venv

        venv.create(ENV, with_pip=True, clear=True)
    except (ImportError, subprocess.CalledProcessError):
        shutil.rmtree(ENV, ignore_errors=True)
        raise SetupFailed("this Python has no venv. On Debian or Ubuntu: sudo apt install python3-venv") from None
    except OSError as error:
        raise SetupFailed(f"cannot write {ENV}: {error.strerror}") from None


def works(python: Path) -> bool:
    return python.exists() and subprocess.call([python, "-c", "import pip"], stderr=subprocess.DEVNULL) == 0


def pip() -> list[str]:
    """To install by pip. Python compiles what it imports; to compile all of numpy beforehand takes room and time."""
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-compile"]
    return [*command, "-c", str(ROOT / "constraints.txt")]


def uv() -> list[str]:
    target = ["--python", str(PYTHON)]
    return [str(PYTHON), "-m", "uv", "pip", "install", *target, "-c", str(LOCKED)]


def get_uv() -> bool:
    """Whether uv is there, in its pinned version and with its hash."""
    if not LOCKED.exists():
        return call(*pip(), "uv")
    pin = ENV / "uv.txt"
    found = re.search(r"^uv==.*(\n +--hash=.*)+", LOCKED.read_text(), re.MULTILINE)
    pin.write_text(found[0] if found else "uv")
    return call(*pip(), "--require-hashes", "--no-deps", "-r", str(pin))


def install(what: str, *requirement: str, by: list[list[str]], advice: str = "") -> None:
    if not any(call(*command, *requirement) for command in by):
        last = [line for line in LOG.read_text(errors="replace").splitlines() if line.strip()][-1:]
        raise SetupFailed(f"cannot install {what}; is there a network? {advice}The log {LOG} ends: {' '.join(last)}")


def call(*command: str) -> bool:
    """Whether it succeeded; what it said goes to the log."""
    with LOG.open("ab") as log:
        return subprocess.call(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL) == 0


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def complain(text: str, code: int = 1) -> int:
    say(f"start.py: {text}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
