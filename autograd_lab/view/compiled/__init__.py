"""Pictures of what `compile` does: the captured graph, what each pass makes of it, the Python that comes of it.

Whoever compiles tells it in the words of `told.py`; nothing here knows of compilers. `graph.py` draws a stage,
`sheet.py` a listing with the lifetimes of its values beside it; `picture.py` puts them on one sheet, `page.py` on a
page.
"""
