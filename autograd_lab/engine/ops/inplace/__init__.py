"""Ops that write to a tensor."""
