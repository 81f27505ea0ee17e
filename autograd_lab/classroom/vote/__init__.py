"""A class votes on the questions of a demo, with phones, on the teacher's own machine.

`poll.py` is what is voted on, `rates.py` how often one may ask, `room.py` answers browsers, `serve.py` opens the door.
Nothing is written to a disk, no names are asked for, and no other machine takes part.
"""
