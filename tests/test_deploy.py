"""What is in deploy/ and .binder/ can be read by whom it is for."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import start

ROOT = Path(start.__file__).parent
CONFIG = ROOT / "deploy" / "jupyterhub_config.py"
CHART = {
    "hub": {"config", "extraEnv", "extraFiles"},
    "proxy": {"https"},
    "singleuser": {
        "image", "uid", "allowPrivilegeEscalation", "defaultUrl", "extraEnv", "cpu", "memory", "storage",
        "networkPolicy",
    },
    "cull": {"enabled", "timeout", "every"},
}  # fmt: skip
"""As many of the chart's values as are used here; a word that it does not know, it refuses."""
HASHED = re.compile(r"[\w.-]+==[^\n]* \\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n)+")


def values() -> Any:
    """Those for the chart."""
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "deploy" / "values.yaml").read_text("utf-8"))


def test_the_values_are_yaml_and_of_words_that_the_chart_knows() -> None:
    found = values()
    assert {word: set(inner) for word, inner in found.items()} == CHART
    assert found["singleuser"]["memory"] == {"limit": "512M", "guarantee": "200M"}


def test_nothing_runs_as_root_or_unpinned() -> None:
    found = values()
    assert found["singleuser"]["uid"] > 0 and found["singleuser"]["allowPrivilegeEscalation"] is False
    assert "@sha256:" in found["singleuser"]["image"]["tag"]
    assert re.search(r"--version \d+\.\d+\.\d+ ", (ROOT / "deploy" / "values.yaml").read_text("utf-8"))


@pytest.mark.parametrize("name", ["locked.txt", "deploy/requirements.txt", ".binder/requirements.txt"])
def test_whatever_is_installed_for_tests_images_and_hubs_is_pinned_with_its_hashes(name: str) -> None:
    lines = (ROOT / name).read_text("utf-8").splitlines(keepends=True)
    pins = "".join(line for line in lines if not line.startswith("#"))
    assert HASHED.sub("", pins) == "" and len(HASHED.findall(pins)) > 50


def test_all_of_them_have_the_versions_that_the_tests_are_run_with() -> None:
    tested = versions("constraints.txt")
    assert versions("locked.txt") == tested
    for name in ("deploy/requirements.txt", ".binder/requirements.txt"):
        assert {pin: found for pin, found in versions(name).items() if not found <= tested.get(pin, found)} == {}


def versions(name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for pin, version in re.findall(r"^([\w.-]+)==([\w.+!-]+)", (ROOT / name).read_text("utf-8"), re.MULTILINE):
        found.setdefault(pin, set()).add(version)
    return found


@pytest.mark.parametrize(
    ("way", "named"),
    [
        ({"AUTOGRAD_LAB_HUB": "class"}, {"spawner_class": "systemd"}),
        ({}, {"authenticator_class": "pam"}),
        ({"CONFIGPROXY_AUTH_TOKEN": "x" * 32}, {"cleanup_servers": False}),
        ({"AUTOGRAD_LAB_HUB_SUBDOMAINS": "https://hub.example.org"}, {"subdomain_host": "https://hub.example.org"}),
        ({"AUTOGRAD_LAB_HUB": "trial", "AUTOGRAD_LAB_HUB_PASSWORD": "x"}, {"spawner_class": "simple"}),
    ],
)
def test_the_configuration_loads_either_way(
    way: dict[str, str], named: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = configured(way, monkeypatch)
    assert named.items() <= loaded.JupyterHub.items() and loaded.Spawner.mem_limit == "512M"


def test_jupyterhub_takes_it(tmp_path: Path) -> None:
    pytest.importorskip("jupyterhub")
    command = [sys.executable, "-m", "jupyterhub", "--show-config-json", "-f", str(CONFIG)]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert '"spawner_class": "systemd"' in shown.stdout


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ({"AUTOGRAD_LAB_HUB": "klass"}, "it should be class or trial"),
        (
            {"AUTOGRAD_LAB_HUB": "trial", "AUTOGRAD_LAB_HUB_ADDRESS": "http://0.0.0.0:8000"},
            "it listens on 127.0.0.1 only",
        ),
    ],
)
def test_a_configuration_that_would_let_everybody_in_is_refused(
    way: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SystemExit, match=said):
        configured(way, monkeypatch)


def configured(way: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """As JupyterHub reads it, which takes two seconds to start."""
    loader = pytest.importorskip("traitlets.config.loader").PyFileConfigLoader(str(CONFIG))
    for name, value in way.items():
        monkeypatch.setenv(name, value)
    return loader.load_config()


def test_binder_gets_what_the_notebooks_need() -> None:
    build = ROOT / ".binder" / "postBuild"
    assert build.stat().st_mode & stat.S_IXUSR or os.name == "nt"
    assert "pip install --no-cache-dir '.[lab]'" in build.read_text("utf-8")
    assert "lab" in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    major, minor = (ROOT / ".binder" / "runtime.txt").read_text("utf-8").strip().removeprefix("python-").split(".")
    assert (int(major), int(minor)) >= start.OLDEST
