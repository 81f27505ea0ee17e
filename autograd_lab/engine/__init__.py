"""The autograd engine: tensors on numpy arrays, the graph that their ops record, and the backward pass through it."""

import warnings

# Infinities and NaNs are results, as in PyTorch. numpy would warn of them; `np.errstate` costs more than most ops.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autograd_lab\.(engine|autograd)")
