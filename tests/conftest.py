"""Less work for the collector of cycles: it would walk again and again through what stays anyway."""

from __future__ import annotations

import gc

import pytest


def pytest_collection_finish() -> None:
    _settle()
    gc.set_threshold(50_000, 20, 20)


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What is there when a file is done, as modules and caches, is nobody's garbage any more."""
    if nextitem is not None and nextitem.path != item.path:
        _settle()


def _settle() -> None:
    gc.collect()
    gc.freeze()
