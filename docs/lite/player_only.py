"""autograd_lab in a browser without numpy: recorded demos and traces play, programs do not run.

The site puts this file in the place of the package's front door where it was built without a numpy for Pyodide.
"""

from __future__ import annotations

import importlib

LATE = {"demo": "classroom.demos.show", "make_scene": "view.scene", "Player": "display.widget", "Trace": "trace"}


def __getattr__(name: str) -> object:
    if name in LATE:
        return getattr(importlib.import_module(f"autograd_lab.{LATE[name]}"), name)
    if name.startswith("_"):
        raise AttributeError(name)
    raise AttributeError(
        f"autograd_lab.{name} needs numpy, which this site was built without; demo('arriving-at-b') plays all the same"
    )
