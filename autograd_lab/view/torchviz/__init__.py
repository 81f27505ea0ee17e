"""`make_dot` with torchviz's signature and its graph, and pictures as Graphviz source."""
