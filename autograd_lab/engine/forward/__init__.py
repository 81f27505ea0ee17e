"""Forward mode's rules: how the tangent of an op's result comes about, from those of its operands.

Each op declares its kind, as its `tangent`. `push.py` says what a rule is, and `kinds.py` has one for each kind;
`exact/levels.py` says when they are asked.
"""
