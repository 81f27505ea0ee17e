"""Pictures of what `compile` does: the captured graph, what each pass makes of it, the Python that comes of it.

`captured.py` is a compilation as the subject of a scene. `state.py` is what is true after each fact, `stages.py` its
moments; `inventory.py` is what is drawn of a whole trace, `places.py` where. `look.py`, `caption.py`, `about.py` and
`drawing.py` say and draw what is true at a step; `facts.py` says what was gained.
"""
