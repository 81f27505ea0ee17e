"""The plugin in a pytest of its own, as a user's tests have it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

TESTS = """
import autograd_lab as torch
from autograd_lab import nn

def test_flows(assert_gradients_flow, no_graph_leak, autograd_trace):
    model = nn.Linear(2, 1)
    with no_graph_leak():
        assert_gradients_flow(model, lambda: model(torch.ones(1, 2)).sum())
    assert len(autograd_trace) > 0

def test_fails():
    w = torch.tensor([2.0], requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    assert w.grad.item() == 5

def test_of_helpers_shows_the_line_of_the_test(assert_gradients_flow):
    w = nn.Linear(2, 1)
    assert_gradients_flow(w, w(torch.ones(1, 2)).sum().detach())

def test_fails_without_tensors():
    assert 1 == 2

def test_of_leaks_shows_the_line_of_the_test(no_graph_leak):
    w, total = torch.tensor([2.0], requires_grad=True), 0
    with no_graph_leak():
        for _ in range(3):
            loss = (w * w).sum()
            loss.backward()
            total += loss

def test_that_breaks_off_shows_no_line_of_the_recorder():
    (torch.ones(3, requires_grad=True) * 2) @ torch.ones(4)
"""
TRAINS = """
import autograd_lab as torch

def test_trains_for_long():
    w = torch.tensor([2.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.001)
    for _ in range(200):
        optimizer.zero_grad()
        loss = (w * w).square().sum()
        loss.backward()
        optimizer.step()
    assert loss.item() == 5
"""
WITHOUT = "test_fails_without_tensors"
"""Fails, and leaves nothing to draw."""


def plugin() -> list[str]:
    """What has pytest load the plugin, unless it is installed, and loaded by itself."""
    known = {point.name for point in entry_points(group="pytest11")}
    return [] if "autograd_lab" in known else ["-p", "pytest_autograd_lab"]


def reported(folder: Path, tests: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_mine.py").write_text(tests)
    words = [sys.executable, "-m", "pytest", *plugin(), "-q", "--autograd-report", "seen"]
    path = os.pathsep.join([str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(words, cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)


def test_of_a_long_run_the_page_shows_the_last_iteration_and_that_is_said(tmp_path: Path) -> None:
    said = reported(tmp_path, TRAINS).stdout
    assert re.search(r"iteration \d+ of 200 is shown, the last one recorded; the error came after iteration 200", said)
    assert (tmp_path / "seen" / "test_mine.py-test_trains_for_long.html").stat().st_size < 1_000_000


def test_fixtures_and_a_page_of_each_test_that_fails(tmp_path: Path) -> None:
    said = reported(tmp_path, TESTS)
    assert "5 failed, 1 passed" in said.stdout, said.stdout + said.stderr
    assert "test_mine.py:19: AssertionError" in said.stdout and "test_mine.py:26: AssertionError" in said.stdout
    assert not any(name in said.stdout for name in ("gradient_flows.py", "leak.py", "contextlib.py"))
    assert "test_mine.py:33: RuntimeError" in said.stdout and os.path.join("autograd_lab", "engine") not in said.stdout
    failed = [name for name in re.findall(r"def (test_\w+)", TESTS) if name not in ("test_flows", WITHOUT)]
    pages = {f"test_mine.py-{name}{suffix}" for name in failed for suffix in (".html", ".png")}
    assert {each.name for each in (tmp_path / "seen").iterdir()} == pages
    assert (tmp_path / "seen" / "test_mine.py-test_fails.html").as_uri() in said.stdout
    assert "no page: " in said.stdout


def test_to_load_the_plugin_imports_no_engine() -> None:
    code = "import sys, pytest_autograd_lab; assert not {'autograd_lab', 'numpy', 'torch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
