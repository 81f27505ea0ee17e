"""Ops that take elements from given places, or put them there: `x[...]`, gather, scatter, index_add."""
