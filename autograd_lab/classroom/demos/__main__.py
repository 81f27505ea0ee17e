"""`python -m autograd_lab.classroom.demos` records the demos anew, after a change of theirs or of the engine."""

from autograd_lab.classroom.demos.demo import record_bundled

record_bundled()
