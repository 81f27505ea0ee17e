"""Real notebook servers, with nothing of this user's own settings, for as long as a test needs them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 90.0
"""How long a server may take to answer, in seconds."""

IDLE = """() => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  const kernel = panel?.sessionContext?.session?.kernel;
  const cells = panel?.content.widgets.filter(cell => cell.model.type === "code") ?? [];
  return kernel?.status === "idle" && cells.every(cell => cell.model.executionState === "idle");
}"""
"""Whether the kernel and all cells have nothing left to do."""

LISTEN = """() => {
  window.told = [];
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  kernel.anyMessage.connect((_, {direction, msg}) => {
    if (direction === "send" && msg.header.msg_type.startsWith("comm")) window.told.push(msg.header.msg_type);
  });
}"""
"""From then on, `window.told` has what widgets tell the kernel."""


@contextmanager
def jupyter(folder: Path, app: str = "jupyterlab") -> Iterator[str]:
    """A JupyterLab, or a Notebook 7 (`app="notebook"`), over a folder; gives its address, and is gone afterwards."""
    own, port = folder / ".jupyter", free_port()
    settings = own / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    (own / "config").mkdir()
    (own / "config" / "jupyter_server_config.json").write_text(json.dumps(_config(folder, port)))
    places = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    environment = {f"JUPYTER_{name}": str(own / place) for name, place in places.items()}
    environment |= {"JUPYTERLAB_SETTINGS_DIR": str(own / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(own / "spaces")}
    environment |= {"IPYTHONDIR": str(own / "ipython")}
    with served([app], f"http://127.0.0.1:{port}/api/status", folder, environment):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def served(words: list[str], answers: str, folder: Path, environment: dict[str, str]) -> Iterator[None]:
    """`python -m words…` as a server in a folder, once the address `answers` does; it is gone afterwards."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])} | environment
    log = folder / ".log"
    with log.open("wb") as file:
        server = subprocess.Popen([sys.executable, "-m", *words], env=environment, stdout=file, stderr=file, cwd=folder)
    try:
        _await(answers, server, log)
        yield
    finally:
        server.terminate()
        server.wait(30)


def write_notebook(path: Path, *cells: str) -> None:
    """A notebook with these code cells."""
    code = [
        {"cell_type": "code", "id": f"c{n}", "metadata": {}, "execution_count": None, "outputs": [], "source": cell}
        for n, cell in enumerate(cells)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": code}))


def open_notebook(page: Any, address: str, name: str, *, run: bool = True, at: str = "lab/tree") -> None:
    """Open a notebook, which JupyterLab and Notebook 7 show `at` addresses of their own, and run all of it."""
    page.goto(f"{address}/{at}/{name}?reset")
    page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook", timeout=60_000)
    page.wait_for_function(IDLE, timeout=60_000)
    if run:
        page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        page.wait_for_function(IDLE, timeout=60_000)


def _config(folder: Path, port: int) -> dict[str, Any]:
    server = {"ip": "127.0.0.1", "port": port, "port_retries": 0, "open_browser": False, "allow_root": True}
    server |= {"root_dir": str(folder), "password": "", "disable_check_xsrf": True}
    quiet = {"news_url": None, "check_for_updates_class": "jupyterlab.NeverCheckForUpdate"}
    lab = quiet | {"expose_app_in_browser": True, "extension_manager": "readonly"}
    notebook = {"expose_app_in_browser": True}
    return {"ServerApp": server, "IdentityProvider": {"token": ""}, "LabApp": lab, "JupyterNotebookApp": notebook}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=2).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server does not answer:\n{log.read_text(errors='replace')[-3000:]}")
