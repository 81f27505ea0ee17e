"""What programs ask of hardware, or set on it, that this engine does not have."""

import sys
from types import ModuleType

from autograd_lab.backends import cuda, cudnn, mps

__all__ = ["cuda", "cudnn", "mps"]
LIBRARIES = "mkl", "mkldnn", "openmp", "opt_einsum", "nnpack", "xeon", "cusparselt"
"""What PyTorch computes with on a CPU, or a GPU: here it is numpy."""
for _name in LIBRARIES:
    _library = ModuleType(f"{__name__}.{_name}", "Not there: this engine computes with numpy.")
    vars(_library).update(is_available=cudnn.is_available, enabled=False, deterministic=False)
    globals()[_name] = sys.modules[_library.__name__] = _library
