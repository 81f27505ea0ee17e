"""`python -m autograd_lab.demos` records the demos that come along anew, after a change of theirs or of the engine."""

from autograd_lab.demos.demo import record_bundled

record_bundled()
