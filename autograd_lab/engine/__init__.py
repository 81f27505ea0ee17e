"""The autograd engine: tensors on numpy arrays, the graph that their ops record, and the backward pass through it."""
