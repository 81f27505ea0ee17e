"""Anomaly mode as context managers; what it does is told in engine/exact/anomaly.py."""

from __future__ import annotations

import warnings

from autograd_lab.engine.exact.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from autograd_lab.whose import users_level

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:
    """Switch anomaly mode, at once; as a context manager, until the end of its block."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev, self.prev_check_nan = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        set_anomaly_enabled(mode, check_nan)

    def __enter__(self) -> None:
        """It is on already."""

    def __exit__(self, *_: object) -> None:
        set_anomaly_enabled(self.prev, self.prev_check_nan)


class detect_anomaly:
    """Inside, errors in backward tell which lines of forward they come from, and nan in a gradient is an error."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        self.prev, self.prev_check_nan = is_anomaly_enabled(), is_anomaly_check_nan_enabled()
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=users_level(),
        )

    def __enter__(self) -> None:
        set_anomaly_enabled(True, self.check_nan)

    def __exit__(self, *_: object) -> None:
        set_anomaly_enabled(self.prev, self.prev_check_nan)
