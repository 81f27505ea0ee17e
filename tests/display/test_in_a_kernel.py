"""What a notebook is told in a real kernel: places by the cells that one sees; and widgets that go with their cells."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.manager import KernelManager

ROOT = Path(__file__).parents[2]
WORLDS = [name for name in ("autograd_lab", "torch") if importlib.util.find_spec(name)]
SPOIL = """# the cell of a function
def spoil(tensor):
    tensor.add_(1)
"""
MISTAKE = """import WORLD as torch
from autograd_lab import record
try:
    with record() as trace:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        h = x.exp()
        spoil(h)
        h.sum().backward()
except RuntimeError as error:
    print(error, *getattr(error, "__notes__", ()), sep="\\n")
"""
TOLD = """
from autograd_lab.view.pages.player import film_of
from autograd_lab.view.scene import make_scene
film = film_of(make_scene(trace))
print(*trace.files, sep="|")
print(film["title"], *(name for name, _ in film["files"]), sep="|")
print(*film["captions"], sep="|")
print(*(text for _, text, *_ in film["rows"]), sep="|")
"""


class Notebook:
    """Runs cells one after the other, in a kernel of its own, as a notebook that names its cells does."""

    def __init__(self, client: BlockingKernelClient) -> None:
        self.client = client

    def run(self, code: str, cell: str | None = None) -> list[dict[str, Any]]:
        """The messages that the front end gets of a cell. Raises AssertionError if it raised."""
        content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
        message = self.client.session.msg("execute_request", content, metadata={"cellId": cell} if cell else {})
        self.client.shell_channel.send(message)
        found: list[dict[str, Any]] = []
        while not (found and found[-1]["content"].get("execution_state") == "idle"):
            heard = self.client.get_iopub_msg(timeout=120)
            if heard["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                found.append(heard)
        assert [one["content"]["traceback"] for one in found if one["msg_type"] == "error"] == []
        return found

    def printed(self, code: str, cell: str | None = None) -> str:
        """What a cell prints."""
        streams = [one["content"] for one in self.run(code, cell) if one["msg_type"] == "stream"]
        return "".join(stream["text"] for stream in streams if stream["name"] == "stdout")


def count_of(messages: list[dict[str, Any]]) -> int:
    """The number that stands beside the cell."""
    (count,) = [one["content"]["execution_count"] for one in messages if one["msg_type"] == "execute_input"]
    return int(count)


@pytest.fixture(scope="module")
def kernel() -> Iterator[KernelManager]:
    with pytest.MonkeyPatch.context() as context:
        context.setenv("PYTHONPATH", str(ROOT))
        manager = KernelManager(kernel_name="python3")
        manager.start_kernel()
        yield manager
        manager.shutdown_kernel(now=True)


@pytest.fixture
def notebook(kernel: KernelManager) -> Iterator[Notebook]:
    client = kernel.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    yield Notebook(client)
    client.stop_channels()


@pytest.mark.parametrize("world", WORLDS)
def test_a_place_is_told_by_the_number_beside_its_cell(notebook: Notebook, world: str) -> None:
    first = count_of(notebook.run(SPOIL))
    error = notebook.printed(MISTAKE.replace("WORLD", world))
    files, names, captions, rows = (line.split("|") for line in notebook.printed(TOLD).splitlines())
    here, there = f"cell [{first + 1}]", f"cell [{first}]"
    assert files == [here, there]
    assert names == [here, here, there]
    assert any(f"{there}, line 3" in caption for caption in captions), captions
    assert f"3 of {there}: tensor.add_(1)" in rows
    if world == "autograd_lab":
        assert f"{here}, line 6    h = x.exp()" in error
        assert f"{there}, line 3    tensor.add_(1)" in error


def test_a_cell_that_ran_again_has_its_new_number(notebook: Notebook) -> None:
    cell = "import autograd_lab as torch\nwith torch.record() as trace:\n    torch.ones(1, requires_grad=True) * 2"
    for _ in range(2):
        count = count_of(notebook.run(cell))
        assert notebook.printed("print(*trace.files)") == f"cell [{count}]\n"


def test_what_lab_records_has_the_number_of_its_own_cell(notebook: Notebook) -> None:
    notebook.run("%load_ext autograd_lab\nimport autograd_lab as torch")
    look = "x = torch.ones(1, requires_grad=True)\ny = x * 2\n"
    count = count_of(notebook.run(f"%%lab\n{look}"))
    where = (
        "from autograd_lab.recording.program.source import Sites\nprint(Sites().at(y.grad_fn.code, y.grad_fn.at).where)"
    )
    assert notebook.printed(where) == f"cell [{count}], line 3\n"


HEAP = "import gc\nimport ipywidgets\ngc.collect()\nprint(len(ipywidgets.widgets.widget._instances))"
RUN = "with torch.record() as trace:\n    torch.ones(1, requires_grad=True) * 2\n"


@pytest.fixture
def prepared(notebook: Notebook) -> Notebook:
    notebook.run(f"import autograd_lab as torch\nimport ipywidgets\nfrom autograd_lab.notebook import show\n{RUN}")
    return notebook


def closed(messages: list[dict[str, Any]]) -> int:
    """How many models the browser is told to drop."""
    return sum(one["msg_type"] == "comm_close" for one in messages)


def test_a_cell_that_runs_again_releases_what_it_showed(prepared: Notebook) -> None:
    prepared.run("show(trace)", "a")
    heap = prepared.printed(HEAP)
    for _ in range(3):
        assert closed(prepared.run("show(trace)", "a")) == 2  # the player, and its layout
    assert prepared.printed(HEAP) == heap
    assert closed(prepared.run("1 + 1", "a")) == 2


def test_the_players_of_other_cells_and_several_of_one_stay(prepared: Notebook) -> None:
    two = "from IPython.display import display\ndisplay(show(trace), show(trace))"
    assert closed(prepared.run(two, "b")) == closed(prepared.run("player = show(trace)\nplayer", "c")) == 0
    assert closed(prepared.run(two, "b")) == 4
    assert closed(prepared.run("player", "d")) == 0
    assert closed(prepared.run("0", "c")) == 0  # as the other cell shows it, too
    assert closed(prepared.run("player", "d")) == 0
    assert closed(prepared.run("0", "d")) == 2
    again = prepared.run("player", "d")
    assert sum(one["msg_type"] == "comm_open" for one in again) == 2
    assert "application/vnd.jupyter.widget-view+json" in str(again)


def test_what_lab_shows_is_released_just_so(prepared: Notebook) -> None:
    prepared.run("%load_ext autograd_lab")
    cell = "%%lab\ny = torch.ones(1, requires_grad=True) * 2\n"
    assert [closed(prepared.run(cell, "e")) for _ in range(3)] == [0, 2, 2]


TRACES = """
import gc
gc.collect()
print(sum(type(each).__name__ == "Trace" for each in gc.get_objects()))
"""


def test_what_lab_recorded_is_gone_when_its_cell_has_run_again(prepared: Notebook) -> None:
    prepared.run("%load_ext autograd_lab")
    cell = "%%lab\ny = torch.ones(1, requires_grad=True) * 2\n"
    prepared.run(cell, "h")
    before = prepared.printed(TRACES)
    for _ in range(20):
        prepared.run(cell, "h")
    assert prepared.printed(TRACES) == before


def test_an_explorer_goes_with_all_of_its_controls_but_for_those_of_the_user(prepared: Notebook) -> None:
    prepared.run("slider = ipywidgets.FloatSlider()\ndef f(a, b):\n    return a * b\nslider", "f")
    explore = "torch.explore(f, a=slider, b=(1.0, 2.0))"
    heaps = []
    for _ in range(4):
        prepared.run(explore, "g")
        heaps.append(prepared.printed(HEAP))
    assert len(set(heaps)) == 1
    closed_too = "print(any(each.comm is None for each in (slider, slider.layout, slider.style)))"
    assert prepared.printed(closed_too) == "False\n"


def test_a_front_end_that_does_not_name_its_cells_loses_nothing(prepared: Notebook) -> None:
    assert [closed(prepared.run("show(trace)")) for _ in range(2)] == [0, 0]
