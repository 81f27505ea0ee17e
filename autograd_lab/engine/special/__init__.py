"""Special functions of arrays, which numpy does not have."""
