"""The engine itself: tensors with a graph, nodes, edges, calls that record, and the backward pass.

Read `variable.py` (what a tensor adds to an array), `node.py` (what an op leaves behind), `apply.py` (a call that
records), `edges.py` (where gradients go next) and `backward.py` (the pass), in that order.
"""
