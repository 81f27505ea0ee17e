"""What ops of several kinds are made of: base classes, formulas, dimensions, writes, copies, grids."""
