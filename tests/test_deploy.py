"""What is in deploy/ and .binder/ can be read by whom it is for."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import start

ROOT = Path(start.__file__).parent
CONFIG = ROOT / "deploy" / "jupyterhub_config.py"
CHART = {
    "hub": {"config"},
    "proxy": {"https"},
    "singleuser": {"image", "defaultUrl", "extraEnv", "cpu", "memory", "storage", "networkPolicy"},
    "cull": {"enabled", "timeout", "every"},
}
"""As many of the chart's values as are used here; a word that it does not know, it refuses."""


def test_the_values_are_yaml_and_of_words_that_the_chart_knows() -> None:
    yaml = pytest.importorskip("yaml")
    values = yaml.safe_load((ROOT / "deploy" / "values.yaml").read_text("utf-8"))
    assert {word: set(inner) for word, inner in values.items()} == CHART
    assert values["singleuser"]["memory"] == {"limit": "512M", "guarantee": "200M"}


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ({"AUTOGRAD_LAB_HUB": "class"}, '"spawner_class": "systemd"'),
        ({}, '"authenticator_class": "pam"'),
        ({"AUTOGRAD_LAB_HUB": "trial", "AUTOGRAD_LAB_HUB_PASSWORD": "x"}, '"spawner_class": "simple"'),
    ],
)
def test_the_configuration_loads_either_way(way: dict[str, str], said: str, tmp_path: Path) -> None:
    pytest.importorskip("jupyterhub")
    shown = configured(way, tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert said in shown.stdout and '"mem_limit": "512M"' in shown.stdout


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
def test_a_configuration_that_would_let_everybody_in_is_refused(way: dict[str, str], said: str, tmp_path: Path) -> None:
    pytest.importorskip("jupyterhub")
    assert said in configured(way, tmp_path).stderr


def configured(way: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jupyterhub", "--show-config-json", "-f", CONFIG]
    return subprocess.run(command, cwd=folder, env={**os.environ, **way}, capture_output=True, text=True)


def test_binder_gets_what_the_notebooks_need() -> None:
    build = ROOT / ".binder" / "postBuild"
    assert build.stat().st_mode & stat.S_IXUSR or os.name == "nt"
    assert "pip install --no-cache-dir '.[lab]'" in build.read_text("utf-8")
    assert "lab" in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    major, minor = (ROOT / ".binder" / "runtime.txt").read_text("utf-8").strip().removeprefix("python-").split(".")
    assert (int(major), int(minor)) >= start.OLDEST
