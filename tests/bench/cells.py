"""What a notebook weighs while one cell is run again and again: `python -m tests.bench.cells --runs 200`."""

from __future__ import annotations

import argparse
import os

from jupyter_client.manager import KernelManager

from tests.display.test_in_a_kernel import ROOT, Notebook

CELL = """%%lab
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.ones(3, 4)).square().mean().backward()
    optimizer.step()
"""
WEIGHT = """
gc.collect()
pages = next(line for line in open("/proc/self/status") if line.startswith("VmRSS"))
print(int(pages.split()[1]) >> 10, "MiB,", len(widgets.widget._instances), "widgets")
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.cells", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--world", default="autograd_lab")
    asked = parser.parse_args()
    os.environ["PYTHONPATH"] = str(ROOT)
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    try:
        client = manager.blocking_client()
        client.start_channels()
        client.wait_for_ready(timeout=120)
        run(Notebook(client), asked.runs, asked.world)
    finally:
        manager.shutdown_kernel(now=True)


def run(notebook: Notebook, runs: int, world: str) -> None:
    """Run the cell, and say ten times on the way what there is."""
    notebook.run(f"%load_ext autograd_lab\nimport gc\nimport {world} as torch\nfrom ipywidgets import widgets")
    for number in range(1, runs + 1):
        notebook.run(CELL, "a")
        if number % max(1, runs // 10) == 0:
            print(f"{number:5d} runs: {notebook.printed(WEIGHT)}", end="", flush=True)


if __name__ == "__main__":
    main()
