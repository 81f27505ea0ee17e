"""Lanes: a split layer computes what the whole one does, and whatever ends a run leaves no process and no memory."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_lab as torch
from autograd_lab import nn
from autograd_lab.parallel import (
    ColumnParallelLinear,
    LaneError,
    RowParallelLinear,
    all_reduce,
    in_turns,
    lane,
    lanes,
    run,
)
from autograd_lab.parallel.lanes import ROOM

ROOT = Path(__file__).parents[2]
SHARED = Path("/dev/shm")


def left_over(starter: int) -> list[Path]:
    """What a process that starts lanes has in shared memory, where that can be seen."""
    return list(SHARED.glob(f"lanes-{starter}-*"))


@pytest.fixture(autouse=True)
def nothing_is_left() -> Any:
    yield
    assert left_over(os.getpid()) == []
    assert multiprocessing.active_children() == []


def network(first: Any, second: Any) -> tuple[Any, ...]:
    """Output and gradients of two layers, as arrays: of the input, then of each parameter."""
    torch.manual_seed(0)
    up, down = first(nn.Linear(8, 16)), second(nn.Linear(16, 6))
    x = torch.randn(5, 8, requires_grad=True)
    y = down(up(x).relu())
    (y * y).sum().backward()
    parameters = [up.weight, up.bias, down.weight, down.bias]
    return y._array, x.grad._array, *(one.grad._array for one in parameters)


def split() -> tuple[Any, ...]:
    return network(ColumnParallelLinear, RowParallelLinear)


@pytest.mark.parametrize("count", [2, 4])
def test_split_layers_compute_what_whole_ones_do_forward_and_backward(count: int) -> None:
    torch.manual_seed(0)
    whole = network(lambda layer: layer, lambda layer: layer)
    parts = run(split, count)
    for axis, expected, *found in zip((None, None, 0, 0, 1, None), whole, *parts, strict=True):
        for one in found if axis is None else [np.concatenate(found, axis)]:
            np.testing.assert_allclose(one, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("count", [2, 4])
def test_lanes_that_take_turns_compute_the_same(count: int) -> None:
    torch.manual_seed(0)
    for theirs, mine in zip(run(split, count), in_turns(split, count), strict=True):
        for one, other in zip(theirs, mine, strict=True):
            np.testing.assert_array_equal(one, other)
    assert lanes() == 1


def test_where_there_are_no_processes_as_in_a_browser_they_take_turns_by_themselves() -> None:
    program = (
        "import sys\n"
        "for name in ('_multiprocessing', '_posixshmem', '_winapi'):\n"
        "    sys.modules[name] = None\n"
        "import autograd_lab as torch\n"
        "from autograd_lab.lessons.lane_figures import shared\n"
        "(whole,), parts = shared(torch, 1), shared(torch, 2)\n"
        "print([part.agrees(whole) for part in parts], [part.weights for part in parts], whole.weights)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True
    )
    assert ran.stdout.decode().split("\n")[0] == "[True, True] [65536, 65536] 131072", ran.stderr.decode()


def test_lanes_that_take_turns_have_to_meet_equally_often() -> None:
    with pytest.raises(LaneError, match="equally often"):
        in_turns(meets_alone, 2)
    with pytest.raises(ZeroDivisionError):
        in_turns(divmod, 2, 1, 0)


def meets_alone() -> None:
    if lane() == 1:
        all_reduce(np.ones(3))


def summed() -> tuple[int, int, Any, Any]:
    large = np.full(ROOM // 4 + 1000, float(lane() + 1), np.float32)  # more than fits at once
    small = all_reduce(np.array([[lane()]], np.int64))
    total, nothing = all_reduce(large), all_reduce(large[:0])
    return lane(), lanes(), small.tolist(), (float(total.min()), nothing.shape, float(total.max()))


def test_an_all_reduce_gives_all_lanes_the_same_sum_of_whatever_size() -> None:
    assert run(summed, 3) == [(number, 3, [[3]], (6.0, (0,), 6.0)) for number in range(3)]
    assert summed()[:3] == (0, 1, [[0]])


def fails_in_one() -> None:
    if lane() == 1:
        raise ValueError("no luck here")
    all_reduce(np.ones(3))


def test_an_error_in_a_lane_ends_all_and_is_told_with_its_line() -> None:
    with pytest.raises(LaneError, match=r"(?s)lane 1 of 2 failed:.*raise ValueError\(\"no luck here\"\)"):
        run(fails_in_one, 2)


def dies_in_one() -> None:
    if lane() == 0:
        os._exit(7)
    all_reduce(np.ones(3))


def test_a_lane_that_dies_ends_all() -> None:
    with pytest.raises(LaneError, match="lane 0 of 2 ended with exit code 7 and no answer"):
        run(dies_in_one, 2)


def test_layers_that_cannot_be_split_equally_are_refused() -> None:
    with pytest.raises(LaneError, match="5 outputs cannot be split over 2 lanes equally"):
        run(column_of_five, 2)


def column_of_five() -> None:
    ColumnParallelLinear(nn.Linear(8, 5))


def test_there_must_be_a_lane() -> None:
    with pytest.raises(ValueError, match="at least one lane, not 0"):
        run(split, 0)


SCRIPT = """\
import sys, time
from autograd_lab.parallel import lane, run

def work(path):
    import os
    open(f"{path}/{os.getpid()}", "w").close()
    time.sleep(60)

if __name__ == "__main__":
    run(work, 2, sys.argv[1])
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups to interrupt so")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_lanes(tmp_path: Path, ending: signal.Signals) -> None:
    """Ctrl-C goes to the whole group, as from a keyboard; a kill to the parent alone."""
    script, places = tmp_path / "script.py", tmp_path / "lanes"
    script.write_text(SCRIPT)
    places.mkdir()
    words = [sys.executable, str(script), str(places)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(
        words, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which a shell's background jobs ignore
    )  # fmt: skip
    wait_until(lambda: len(list(places.iterdir())) == 2)
    assert len(left_over(parent.pid)) == SHARED.is_dir()
    if ending is signal.SIGINT:
        os.killpg(parent.pid, ending)
    else:
        parent.send_signal(ending)
    said = parent.communicate(timeout=60)[1]
    wait_until(lambda: not any(is_running(int(path.name)) for path in places.iterdir()))
    wait_until(lambda: not left_over(parent.pid))
    if ending is signal.SIGINT:
        assert said.rstrip().endswith("KeyboardInterrupt")
        assert "leaked" not in said and said.count("Traceback") == 1


def wait_until(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it has not come to that"
        time.sleep(0.05)


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{number}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"
