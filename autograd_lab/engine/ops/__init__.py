"""The ops, by kind. Each is a node class, its calculus in one docstring, and the function that users call."""
