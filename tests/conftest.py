"""Less work for the collector of cycles: it would walk again and again through thousands of tests that stay anyway."""

from __future__ import annotations

import gc


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
