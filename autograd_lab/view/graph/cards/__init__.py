"""What is drawn of a trace, at any fineness: cards, and wires between them.

`card.py`: what they are; `asked.py`: what a user may ask for; `window.py`: which ops; `ground.py`: how these hang
together; `contraction.py`: folding; `rules.py`: what is folded into what; `opening.py`: which modules are closed;
`turns.py`: loops; `fineness.py`: all of it, from the finest to the coarsest; `assembly.py`: the cards of one folding;
`names.py`: what is written on a card.
"""
