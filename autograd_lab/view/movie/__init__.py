"""A trace as a movie: what is seen how long, which pixels a step changes, and the file."""
