"""Random numbers: of the same seed those that PyTorch draws, to the last bit."""
