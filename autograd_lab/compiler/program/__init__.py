"""How a captured graph becomes a Python function on numpy: buffers, order, tiles, the listing, the kernel."""
