"""Backward passes, seen by hooks on the nodes that they may reach."""
