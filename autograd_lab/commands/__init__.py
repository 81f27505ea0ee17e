"""The command line: a file for each command, imported when it is called.

`cli.py` lists the commands, `program.py` runs the script, and `exits.py` says what an exit code means.
"""
