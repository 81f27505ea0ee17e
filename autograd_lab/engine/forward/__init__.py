"""Forward mode: tangents that travel beside values. `levels.py` says when, `push.py` what a rule is, `kinds.py` and
`own.py` are the rules, which `tangents.py` gathers.
"""
