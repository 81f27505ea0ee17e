"""A recording as a picture: what holds, what is drawn of it, and what is said of it.

`facts/` is what holds at each step, `words/` what is said of it. Stills are made of cards: `cards/` says which,
`faces/` what stands where on them, `looks/` how they look in a state, `draw/` draws them; `pictured.py` joins all that.
Pages and movies are made of `plan/` and `look.py`, with `legend.py`, as the first edition had them.
"""
