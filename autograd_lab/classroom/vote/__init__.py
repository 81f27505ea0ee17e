"""A class votes on the questions of a demo, with phones, on the teacher's own machine.

`poll.py` is what is voted on, `roll.py` who takes part, `ballots.py` what is on the disk until the vote is over.
`room.py` answers browsers, with `headers.py` above each answer, and `rates.py` is how often one may ask; `serve.py`
opens the door, and `line.py` is what comes in by it. No names are asked for, and no other machine takes part.
"""
