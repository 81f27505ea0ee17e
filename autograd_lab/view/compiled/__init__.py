"""Pictures of what `compile` does: the captured graph, what each pass makes of it, the Python that comes of it.

`state.py` is the reducer's part for the facts of compiling; `cards.py` is what is drawn of a whole trace, `places.py`
where. `look.py`, `caption.py`, `about.py` and `drawing.py` say and draw what is true at a step; `facts.py` says what
was gained, and `picture.py` puts before and after on one sheet.
"""
