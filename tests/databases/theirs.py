"""PyTorch's databases. To import them forbids flags of `torch.backends` to be set for good, which other tests do."""

from __future__ import annotations

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db

torch.backends.flags_frozen.__globals__["__allow_nonbracketed_mutation_flag"] = True

__all__ = ["module_db", "op_db", "optim_db"]
