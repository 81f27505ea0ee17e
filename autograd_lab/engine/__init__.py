"""The autograd engine: tensors on numpy arrays, the graph that their ops record, and the backward pass through it."""

import numpy as np

# glibc gives freed blocks back to the kernel until it has seen a large one freed; then large temporaries cost no page
# faults any more, and convolutions and transformer blocks take half the time. The block is never touched.
np.empty(2**25 - 2**16, np.uint8)
