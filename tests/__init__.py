"""Tests, in the same rooms as what they test: those of `autograd_lab/view/layout/` are in `tests/view/layout/`.

Some ask of the whole, and have rooms of their own. `stories/`, `snippets/`, `differential/` and `any_program/` hold
programs that are to do the same here and in PyTorch, `torches/` has other versions of it, `browser/` what a real
Chromium makes of pages and notebooks, `bench/` how fast things are. What several rooms need is beside this file.
"""
