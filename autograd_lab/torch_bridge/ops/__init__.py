"""Ops, and all that makes or writes to tensors where no op is told."""
