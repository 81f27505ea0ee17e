"""Ops that make few elements of many, or put them in order: sums, extremes, norms, running totals, sorting."""
