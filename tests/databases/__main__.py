"""`python -m tests.databases`: PyTorch's own databases of tests against the engine, and the score."""

from __future__ import annotations

from tests.installed import leave_without

if __name__ == "__main__":
    leave_without("tests.databases", "torch", "expecttest", "ml_dtypes", "typer", "numpy")
    import typer

    from tests.databases.score import main

    typer.run(main)
