"""Numbers: dtypes, devices, the memory that they lie in, and how they are printed."""
