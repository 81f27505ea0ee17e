"""How a function becomes a graph: symbols in the place of tensors, a tape of ops, and what a capture depends on."""
