"""A real JupyterLab, with nothing of this user's own settings, for as long as a test needs it."""

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
def jupyterlab(folder: Path) -> Iterator[str]:
    """A JupyterLab over a folder; gives its address, and is gone afterwards."""
    own, port = folder / ".jupyter", _free_port()
    settings = own / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
    (own / "config").mkdir()
    (own / "config" / "jupyter_server_config.json").write_text(json.dumps(_config(folder, port)))
    places = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    environment = {f"JUPYTER_{name}": str(own / place) for name, place in places.items()}
    environment |= {"JUPYTERLAB_SETTINGS_DIR": str(own / "settings"), "JUPYTERLAB_WORKSPACES_DIR": str(own / "spaces")}
    environment |= {"IPYTHONDIR": str(own / "ipython"), "PYTHONPATH": str(Path(__file__).parents[2])}
    with (own / "log").open("wb") as log:
        command = [sys.executable, "-m", "jupyterlab"]
        server = subprocess.Popen(command, env=os.environ | environment, stdout=log, stderr=log, cwd=folder)
    try:
        _await(f"http://127.0.0.1:{port}/api/status", server, own / "log")
        yield f"http://127.0.0.1:{port}"
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


def open_notebook(page: Any, address: str, name: str, *, run: bool = True) -> None:
    """Open a notebook, and run all of it."""
    page.goto(f"{address}/lab/tree/{name}?reset")
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
    return {"ServerApp": server, "IdentityProvider": {"token": ""}, "LabApp": lab}


def _free_port() -> int:
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
    raise RuntimeError(f"JupyterLab does not answer:\n{log.read_text(errors='replace')[-3000:]}")
