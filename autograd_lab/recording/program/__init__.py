"""The user's program, as a recording sees it: the place that runs, the expression there, and what its names mean.

What is read of a place is the same in each recording, so it is read once (`expressions`), and has a number in each
(`source`). What a name means is asked while the program waits (`variables`), since it may mean something else after.
"""
