"""What holds in a recorded graph.

`history.py`: which boxes and ops there ever are; `timeline.py`: the state at each step.
"""
