"""The patterns: one for each fact that deserves a motion of its own. Times are shares of a step.

A gradient takes two steps for its ride: in that of its sending it comes as far as its number stands on the line, and in
the next one it goes on to whoever receives it, who changes only then.
"""

from __future__ import annotations

from autograd_lab.view.motion.manner import HOME, Frames, Manner

FAR = 0.56
"""How far a gradient on its way has come at the end of a step, where no place is kept for its number."""
ARRIVAL = 0.45
"""The share of a step in which what was sent in the step before rides in; all else happens after that."""
RIDE = 400
"""How long it takes, ms."""
SMALL = 0.92
"""How large a number is where it comes out of a card and goes into one, beside its size on the way: it can be read
wherever it is seen."""
AT_ONCE = 0.001
"""A share of a step that nobody sees."""
UNTIL_NOW = 0, 1, AT_ONCE, 0
"""Of a line: what is there stays there until it is drawn anew."""

QUIET = Manner(0, 0.3, (("g", 0.3, 1, 0.8, 0),))
"""Only a light goes out: nobody waits for that."""
YIELDS = Manner(0, 0.05, (("g", 0.05, 1, 0.3, 0),))
"""What was told makes way for what comes."""
CROSS = Manner(320, 0.15, (("g", 0.15, 1, 0.85, 0),))
"""One look becomes another."""
BLEND = Manner(320, 0.15, (("g", 0.15, 1, 0.6, 0), ("o", 0.15, 1, 0.15, 0, 0.85, 1)))
"""The same for what one can look through: texts and lines."""

APPEAR = Manner(420, 0.1, (("g", 0.1, 1, 0.6, 0), ("o", 0.1, 1, 0.1, 0, 0.7, 1), ("s", 0.1, 1, 0.4, 1.04, 0.8, 1)))
"""A tensor is made."""
MADE = Manner(850, 0.5, (("g", 0.5, 1, 0.85, 0), ("o", 0.5, 1, 0.5, 0, 0.85, 1), ("s", 0.5, 1, 0.7, 1.04, 0.95, 1)))
"""An op is there once its operands have come in."""
TAKEN = Manner(850, AT_ONCE, (("g", 0, 1, 0.55, 1, 0.8, 0), ("d", *UNTIL_NOW, 0.05, 0, 0.55, 1)))
"""A line is drawn while a value rides in along it."""
RIDES_IN: tuple[Frames, ...] = (
    ("u", 0.05, 0, 0.55, 1),
    ("o", 0.02, 0, 0.1, 1, 0.46, 1, 0.56, 0),
    ("s", 0.02, SMALL, 0.14, 1, 0.44, 1, 0.56, SMALL),
)
SAVED = Manner(460, 0.05, (("y", 0.05, -24, 0.85, 0), ("o", 0.05, 0, 0.25, 1)))
"""A pocket slides out from behind its card."""
FREED = Manner(420, 0.05, (("g", 0, 1, 1, 1), ("c", 0.08, 0, 0.95, 1)))
"""It drains."""
POURED = Manner(600, 0.1, (("g", 0, 1, 1, 1), ("c", 0.15, 0, 0.95, -1)))
"""A gradient fills `.grad` from below."""
STRUCK = Manner(520, 0.3, (("g", 0.3, 1, 0.5, 0), ("s", 0.2, 1, 0.4, 1.06, 0.8, 1)))
"""A value is written over, and its version ticks."""
CRACKED = Manner(760, 0.6, (("g", 0.6, 1, 0.7, 0), ("x", 0.58, 0, 0.64, -4, 0.7, 4, 0.76, -3, 0.82, 2, 0.9, 0)))
"""What was saved of it is not what it was."""
SHAKEN = Manner(
    700, 0.25, (("g", 0.25, 1, 0.45, 0), ("x", 0.15, 0, 0.25, -7, 0.37, 7, 0.49, -5, 0.61, 4, 0.73, -2, 0.85, 0))
)
"""An error."""
LIT = Manner(420, 0.1, (("g", 0.1, 1, 0.6, 0), ("s", 0.05, 1, 0.4, 1.03, 0.85, 1)))
"""It is a card's turn, or gradients have met there."""
GROWN = Manner(600, 0.05, (("o", 0.05, 0, 0.8, 1), ("s", 0.05, 0.9, 0.4, 1)))
"""A second layer, or an update: as large as it is to be before it can be read."""

SENT = Manner(650, 0.04, (("u", 0.04, 1, 0.96, HOME), ("o", 0.04, 0, 0.16, 1), ("s", 0.04, SMALL, 0.24, 1)))
"""A number leaves its op."""
FILLED = Manner(650, AT_ONCE, (("g", 0, 1, 0.8, 1, 1, 0), ("d", *UNTIL_NOW, 0.04, 0, 0.96, 1)))
"""The ribbon behind it."""
GOES: tuple[Frames, ...] = (
    ("u", 0.04, 1, 0.96, 1 - FAR),
    ("o", 0.02, 0, 0.14, 1, 0.9, 1, 1, 0),
    ("s", 0.04, SMALL, 0.24, 1),
)
"""It, on a line without a place for numbers."""
ARRIVED = Manner(
    RIDE,
    ARRIVAL + 0.03,
    (
        ("u", 0, HOME, ARRIVAL - 0.03, 0, ARRIVAL + 0.03, 0, ARRIVAL + 0.03, HOME),
        ("o", ARRIVAL - 0.1, 1, ARRIVAL, 0, ARRIVAL + 0.06, 0, 0.9, 1),
        ("s", ARRIVAL - 0.12, 1, ARRIVAL, SMALL, ARRIVAL + 0.03, SMALL, ARRIVAL + 0.03, 1),
    ),
)
"""It rides on and goes into its receiver; what is left on the line is how much came this way."""
THROUGH = Manner(RIDE, AT_ONCE, (("g", 0, 1, ARRIVAL, 1, ARRIVAL + 0.1, 0), ("d", 0.0, FAR, ARRIVAL - 0.03, 1)))
"""The ribbon behind it."""
COMES: tuple[Frames, ...] = (
    ("u", 0, 1 - FAR, ARRIVAL - 0.03, 0),
    ("o", 0, 1, ARRIVAL - 0.1, 1, ARRIVAL, 0),
    ("s", ARRIVAL - 0.12, 1, ARRIVAL, SMALL),
)
HOOKED = Manner(700, 0.25, (("g", 0.25, 1, 0.5, 0), ("o", 0.25, 1, 0.25, 0, 0.5, 1), ("s", 0.1, 1, 0.3, 1.05, 0.6, 1)))
"""A hook makes another number of one."""
PASSED = Manner(700, 0.6, (("g", 0.6, 1, 0.85, 0), ("o", 0.6, 1, 0.6, 0, 0.85, 1)))
"""That number stays beside the hook, once it has ridden past that place."""
RIDES_ON: tuple[Frames, ...] = (
    ("u", 0.3, 0.45, 0.92, 0),
    ("o", 0.25, 0, 0.35, 1, 0.84, 1, 0.94, 0),
    ("s", 0.25, SMALL, 0.4, 1, 0.82, 1, 0.94, SMALL),
)
"""What the hook has made of it."""
