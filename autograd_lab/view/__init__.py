"""From a trace to what a person sees.

At the door: `scene.py` (a trace, laid out), `track.py` (what changes when), `svg.py`, `png.py` and `page.py` (drawn).
`graph/` and `compiled/` are what a scene can be of: a recording, or a compilation.
"""
