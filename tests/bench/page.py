"""How large the page of a run is, how long it takes to make, and how it plays in Chromium.

The program is a chain of tensors of two numbers, of which every node is drawn; *folded* is what users get by default.
Each page is made in a process of its own, whose peak of memory counts. In the browser, offline and without a graphics
card, it is opened at its last step, then gone through step by step, one a frame. *Paint* is the time until there is
something to see, by the clock; all else is time of the processor, so that it can be compared on a busy machine: of the
page's main thread until it is open, and for each step with its frame, once with the picture standing still and once
with the camera following.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

QUIET = ["quic", "background-networking", "component-update", "sync", "gpu"]
STEPS = 100
"""Steps that are gone through, around the middle of the run."""
PATIENCE = 120_000
"""Milliseconds that a page may take to open."""

PLAY = """
async ([count, follow]) => {
  const root = document.querySelector(".autograd-lab").shadowRoot;
  const slider = root.querySelector("input[type=range]");
  const go = step => { slider.value = step; slider.dispatchEvent(new Event("input")); };
  const button = [...root.querySelectorAll(".camera button")].find(button => button.textContent === "follow");
  if ((button.getAttribute("aria-pressed") === "true") !== follow) button.click();
  const first = Math.max(1, (slider.max >> 1) - (count >> 1));
  for (let step = first; step < Math.min(slider.max, first + count); step++) {
    go(step);
    await new Promise(requestAnimationFrame);
  }
}
"""
PAINTED = """
new Promise(found => new PerformanceObserver(entries => {
  const [paint] = entries.getEntriesByName("first-contentful-paint");
  if (paint) found(paint.startTime);
}).observe({ type: "paint", buffered: true }))
"""


def make(nodes: int, fold: bool, file: Path) -> dict[str, float]:
    """Write the page of a chain with so many nodes, and tell seconds of the processor and bytes."""
    import resource

    import autograd_lab as torch
    from autograd_lab import record
    from autograd_lab.view.page import packed, to_page
    from autograd_lab.view.pages.player import film_of
    from autograd_lab.view.scene import make_scene

    with record() as trace:
        y = torch.tensor([1.0, 2.0], requires_grad=True)
        for _ in range(nodes // 2):
            y = (y * 1.01).tanh()
        y.sum().backward()
    assert trace.events
    times = [time.process_time()]
    scene = make_scene(trace, fold=fold)
    times.append(time.process_time())
    film = len(packed(film_of(scene)))
    times.append(time.process_time())
    text = to_page(scene).encode()
    file.write_bytes(text)
    layout, filming = (after - before for before, after in pairwise(times))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)
    return {
        "parts": len(scene.parts), "steps": scene.steps, "layout": layout, "film": filming, "packed": film,
        "page": len(text), "peak": peak,
    }  # fmt: skip


def play(browser: Any, file: Path, steps: int) -> dict[str, float]:
    """Open the page and go through steps of it, and tell milliseconds."""
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    chromium = page.context.new_cdp_session(page)
    chromium.send("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        """Milliseconds that the main thread has had the processor."""
        found = {each["name"]: each["value"] for each in chromium.send("Performance.getMetrics")["metrics"]}
        return 1000 * found["TaskDuration"]

    page.goto(f"{file.as_uri()}#step={steps}")
    page.get_by_role("status").wait_for(timeout=PATIENCE)
    times = {"painted": page.evaluate(PAINTED), "open": worked()}
    for name, follow in (("still", False), ("following", True)):
        page.evaluate(PLAY, [2, follow])
        before = worked()
        page.evaluate(PLAY, [STEPS, follow])
        times[name] = (worked() - before) / min(STEPS, steps)
    page.close()
    return times


def run(options: argparse.Namespace) -> None:
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("there is no Chromium to play the pages in")
    print("   nodes          parts  layout ms  film ms  page kB  peak MB | paint ms  open ms  step ms  following ms")
    with sync_playwright() as running, tempfile.TemporaryDirectory() as folder:
        browser = running.chromium.launch(
            executable_path=chromium, args=["--no-first-run", *(f"--disable-{what}" for what in QUIET)]
        )
        for nodes in options.nodes:
            for fold in (False, True) if nodes > 60 else (False,):
                file = Path(folder) / f"{nodes}{fold}.html"
                command = [sys.executable, "-W", "ignore", "-m", "tests.bench.page", str(nodes), str(fold), str(file)]
                made = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
                runs = [play(browser, file, made["steps"]) for _ in range(options.rounds)]
                seen = {name: median(run[name] for run in runs) for name in runs[0]}
                print(
                    f"{nodes:8,} {'folded' if fold else '':6}{made['parts']:8,}{made['layout'] * 1000:11.0f}"
                    f"{made['film'] * 1000:9.0f}{made['page'] / 1000:9.0f}{made['peak']:9.0f} |"
                    f"{seen['painted']:9.0f}{seen['open']:9.0f}{seen['still']:9.1f}{seen['following']:14.1f}",
                    flush=True,
                )
        browser.close()


if __name__ == "__main__":
    print(json.dumps(make(int(sys.argv[1]), sys.argv[2] == "True", Path(sys.argv[3]))))
