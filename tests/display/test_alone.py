"""A script in a process of its own ends with whoever ran it, and says nothing of its own when that is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")

SCRIPT = "import os, sys, time\nopen(sys.argv[1], 'w').write(str(os.getpid()))\ntime.sleep(60)\n"


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_no_script_goes_on_when_compare_has_ended(ending: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SCRIPT)
    told = tmp_path / "pid"
    command = [sys.executable, "-m", "autograd_lab", "compare", "slow.py pid", "slow.py pid"]
    # A shell may have had Ctrl-C ignored.
    hears: Any = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
    run = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        **hears,
    )
    while not told.exists() or not told.read_text():
        assert run.poll() is None
        time.sleep(0.02)
    (os.killpg if ending is signal.SIGINT else os.kill)(run.pid, ending)
    said, _ = run.communicate(timeout=60)
    assert "Traceback" not in said
    end = time.monotonic() + 60
    while is_there(int(told.read_text())):
        assert time.monotonic() < end
        time.sleep(0.02)
