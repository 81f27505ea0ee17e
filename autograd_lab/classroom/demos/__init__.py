"""Demonstrations for a class: small programs that ask before they show.

A demo is one script. Its docstring is the note for the teacher (the first line is the title), its comments hold the
questions (`questions.py` has the grammar), and running it gives the trace that is played. All else is made from that.
"""
