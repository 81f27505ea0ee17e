"""What is wrong with a run, and why: `diagnose(trace)` finds it in the facts that the run stated.

A finder is a small function from a `Case`, the index of a trace, to findings, in a file of its own: in `errors/` what a
program raised, in `numbers/` where numbers go astray, in `losses/` what a loss is given, in `training/` how a loop goes
wrong, in `graphs/` what a graph lacks or keeps.
"""
