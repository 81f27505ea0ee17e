"""A real hub on loopback, its students, and what their servers weigh."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import nbformat
import websocket

ROOT = Path(__file__).parent.parent
CONFIG = ROOT / "deploy" / "jupyterhub_config.py"
PROXY = ROOT / "deploy" / "node_modules" / ".bin" / "configurable-http-proxy"
NOTEBOOK = ROOT / "notebooks" / "demos.ipynb"
PATIENCE = 180
TOO_MANY_AT_ONCE = 429


class Hub:
    """A hub that has been started the trial way."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self._as_teacher = {"Authorization": f"token {token}"}
        self.line = httpx.Client(base_url=f"{address}/hub/api", headers=self._as_teacher, timeout=PATIENCE)

    def start(self, students: Iterable[str]) -> None:
        """Have all their servers started at once, and wait until all are ready."""
        waiting, unasked = set(students), sorted(students)
        for student in unasked:
            self.line.post(f"/users/{student}").raise_for_status()
        end = time.monotonic() + PATIENCE * (1 + len(unasked) // 8)
        while waiting:
            assert time.monotonic() < end, f"not ready: {waiting}"
            unasked = [student for student in unasked if not self._asked(student)]
            waiting -= {one for one in waiting if self._server(one).get("ready")}
            time.sleep(0.3)

    def _asked(self, student: str) -> bool:
        """Whether the hub has begun with a server; it does so with a few at a time."""
        answer = self.line.post(f"/users/{student}/server")
        if answer.status_code != TOO_MANY_AT_ONCE:
            answer.raise_for_status()
        return answer.status_code != TOO_MANY_AT_ONCE

    def _server(self, student: str) -> dict[str, Any]:
        return self.line.get(f"/users/{student}").json()["servers"].get("", {})

    def run(self, student: str, *cells: str) -> list[str]:
        """What the cells print, in a new kernel of that student's. Raises AssertionError for an error in one."""
        base = f"{self.address}/user/{student}"
        made = self.line.post(f"{base}/api/kernels", json={"name": "python3"})
        made.raise_for_status()
        url = f"{base.replace('http', 'ws', 1)}/api/kernels/{made.json()['id']}/channels"
        headers = [f"{name}: {value}" for name, value in self._as_teacher.items()]
        line = websocket.create_connection(url, header=headers, timeout=PATIENCE)
        try:
            return [_printed(line, cell) for cell in cells]
        finally:
            line.close()


def _printed(line: Any, cell: str) -> str:
    sent = _request(cell)
    line.send(json.dumps(sent))
    printed = ""
    while True:
        frame = line.recv()
        if isinstance(frame, bytes):  # what a widget sends to its browser
            continue
        told = json.loads(frame)
        if told["parent_header"].get("msg_id") != sent["header"]["msg_id"]:
            continue
        if told["msg_type"] == "stream":
            printed += told["content"]["text"]
        assert told["msg_type"] != "error", told["content"]
        if told["msg_type"] == "status" and told["content"]["execution_state"] == "idle":  # all has been printed then
            return printed


def _request(cell: str) -> dict[str, Any]:
    header = {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "session": "s", "version": "5.3"}
    content = {"code": cell, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False}
    known = {"header": header | {"username": "", "date": ""}, "parent_header": {}, "metadata": {}, "buffers": []}
    return known | {"channel": "shell", "content": content}


def cells_of(notebook: Path = NOTEBOOK) -> list[str]:
    """The programs of a notebook."""
    return [cell.source for cell in nbformat.read(notebook, as_version=4).cells if cell.cell_type == "code"]


@contextmanager
def hub(folder: Path, students: Iterable[str]) -> Iterator[Hub]:
    """Start a hub the trial way with its files in `folder`, and stop it, with all that it has started."""
    token = secrets.token_hex(16)
    for student in students:
        (folder / "homes" / student).mkdir(parents=True)
    told = {
        "AUTOGRAD_LAB_HUB": "trial",
        "AUTOGRAD_LAB_HUB_PASSWORD": secrets.token_hex(8),
        "AUTOGRAD_LAB_HUB_HOMES": f"{folder}/homes/{{username}}",
        "AUTOGRAD_LAB_HUB_TOKEN": token,
    }
    with served(folder, CONFIG, told) as address:
        yield Hub(address, token)


@contextmanager
def served(folder: Path, config: Path, told: dict[str, str]) -> Iterator[str]:
    """The address of a hub with this configuration, which is told more by its environment."""
    address = f"http://127.0.0.1:{_free_port()}"
    told = {
        "AUTOGRAD_LAB_HUB_ADDRESS": address,
        "JUPYTERHUB_CRYPT_KEY": secrets.token_hex(32),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH")))),
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])),
        **told,
    }
    ports = [
        f"--JupyterHub.hub_port={_free_port()}",
        f"--ConfigurableHTTPProxy.api_url=http://127.0.0.1:{_free_port()}",
    ]
    command = [sys.executable, "-m", "jupyterhub", "-f", config, *ports]
    with (folder / "hub.log").open("wb") as log:
        running = subprocess.Popen(command, cwd=folder, env={**os.environ, **told}, stdout=log, stderr=log)
    try:
        _wait(address, running, folder / "hub.log")
        yield address
    finally:
        running.terminate()
        running.wait(60)


def _wait(address: str, running: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        assert running.poll() is None and time.monotonic() < end, log.read_text("utf-8", "replace")[-3000:]
        try:
            if httpx.get(f"{address}/hub/api/").status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


def weights(folder: Path, students: Iterable[str]) -> dict[str, float]:
    """Memory of each student's server with its kernels, MiB: proportional set size, so shared pages are shared out."""
    found = dict.fromkeys(students, 0.0)
    for process in Path("/proc").iterdir():
        try:
            home = Path(os.readlink(process / "cwd"))
            rollup = (process / "smaps_rollup").read_text() if home.is_relative_to(folder / "homes") else ""
        except OSError:  # gone, or somebody else's
            continue
        pages = sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
        if pages:
            found[home.relative_to(folder / "homes").parts[0]] += pages / 1024
    return found
