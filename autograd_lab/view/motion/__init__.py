"""How pictures move from step to step: what changes when inside of a step, and what rides, slides or drains.

Verbs live here, as data. Whoever shows them, a browser or a movie, evaluates channels and knows nothing of gradients.
"""
