"""The command line: a file for each command, called as it is, and imported when it is called.

`cli.py` lists the commands, and `listed.py` is how it does without their files. `program.py` runs the script, and
`exits.py` says what an exit code means.
"""
