"""Who listens to an engine and takes down events.

Read `recorder.py`, which has the parts of a recorder, and of these what an engine calls; and `recording.py`, which
has it listen for a while. What the parts share is `tape.py`: `reader.py` reads an engine's things, `ids.py`,
`values.py` and `ledger.py` say who is who and what it held, `source.py` and `naming.py` where the program is and what
it calls them. The parts, each made of those before it: `on_the_way.py`, `notices.py`, `first_sight.py`,
`new_parts.py`, `results.py`, `whereabouts.py`, `writes.py`, `modules.py`, `forward.py`, `backward.py`, `hooks.py`,
`settings.py`, `errors.py`, `holding.py`. `decode.py` makes events of raw notes. `iterations/` says which turns of a
training loop are recorded.
"""
