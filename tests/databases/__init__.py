"""PyTorch's own databases of tests as the standard: every op, module and optimizer of theirs that exists here, too."""
