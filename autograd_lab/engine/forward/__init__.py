"""Forward mode's rules: how the tangent of an op's result comes about, from those of its operands.

`push.py` says what a rule is, `kinds.py` and `own.py` are the rules; `exact/levels.py` says when they are asked.
"""
