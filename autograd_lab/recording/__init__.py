"""Who listens to an engine and takes down events.

Read `recorder.py`, what an engine calls, and `recording.py`, which has it listen for a while. Beside them are the
parts of a recorder (`modules.py`, `backward.py`, `first_sight.py`, `notices.py`), what it knows of a program
(`source.py`, `naming.py`) and of its tensors (`ids.py`, `values.py`, `ledger.py`), and how raw notes become events
(`decode.py`). `iterations/` says which turns of a training loop are recorded.
"""
