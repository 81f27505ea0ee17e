"""JupyterHub as deploy/ sets it up: students get servers of their own, run a notebook and step; nobody else gets in."""

from __future__ import annotations

import importlib.util
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

NEEDED = ("jupyterhub", "jupyterlab", "anywidget", "httpx", "websocket")
missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
if missing:
    pytest.skip(f"no hub without {', '.join(missing)}", allow_module_level=True)

from tests.bench.hub import STEP  # noqa: E402 - wants a hub
from tests.hub import PROXY, cells_of, httpx, hub, weights  # noqa: E402 - wants a hub

STUDENTS = ("anna", "ben")
WHERE = "import os; print(os.getcwd())"


@pytest.mark.skipif(not PROXY.exists(), reason="npm ci --prefix deploy brings the proxy")
def test_students_run_a_notebook_and_step_each_in_a_server_of_their_own(tmp_path: Path) -> None:
    with hub(tmp_path, STUDENTS) as made:
        made.start(STUDENTS)
        with ThreadPoolExecutor() as class_:
            ran = list(class_.map(lambda student: made.run(student, *cells_of(), STEP, WHERE), STUDENTS))
        assert [printed[-2] for printed in ran] == ["26\n", "26\n"]
        assert [Path(printed[-1].strip()) for printed in ran] == [tmp_path / "homes" / student for student in STUDENTS]
        assert all(weight > 50 for weight in weights(tmp_path, STUDENTS).values())
        stranger = httpx.get(f"{made.address}/user/anna/lab")
        assert stranger.status_code == 302 and "/hub/" in stranger.headers["location"]
