"""Numbers: dtypes, half precision, formulas on arrays, devices, randomness, and how numbers are printed."""
