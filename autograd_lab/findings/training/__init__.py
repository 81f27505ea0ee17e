"""How a training loop goes wrong: what it does in which order, to what."""
