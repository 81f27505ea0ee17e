"""A recording as a picture: how each part looks at each step.

`facts/` is what holds, `plan/` is what is drawn, `words/` is what is said.
"""
