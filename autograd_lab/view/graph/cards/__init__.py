"""What is drawn of a trace, at any fineness: cards, and wires between them.

`window_of(history, events, asked)` chooses the ops; `foldings(history, window, asked, most)` gives `Cards`, lazily,
from the finest to the coarsest; `inside(history, window, card)` does so for what one card hides; `Names(cards)` has
the words.

`card.py`: what cards and wires are; `asked.py`: what a user may ask for; `window.py`, `back_passes.py`: which
iteration, and which of its ops; `ground.py`: how these hang together; `opening.py`: which modules are closed;
`rounds.py`: loops; `written.py`: writes in place; `hooked.py`, `handed.py`, `updates.py`: hooks, gradients that the
program gets, and what an optimizer changes; `junctions.py`: where lines meet; `groups.py`: how two pieces become one;
`rules.py`: which do; `nesting.py`: what does where no rule finds anything; `fineness.py`: all of it, in order;
`deck.py`, `sharing.py`: the cards of one folding; `skips.py`: which of them hide a skip; `names.py`, `terms.py`: what
is written on them.
"""
