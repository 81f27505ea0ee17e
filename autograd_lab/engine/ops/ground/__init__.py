"""What ops of several kinds are made of: formulas, dimensions, writes, grids."""
