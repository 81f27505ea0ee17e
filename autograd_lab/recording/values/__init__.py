"""What arrays held, taken down in a moment and written out later.

`snapshot` runs inside the program that is being watched, so it copies bytes of what is small and does no more. Of what
is large it takes a summary (`large_array`): statistics, the largest element of each block (`blocks`) and a sample.
`value_of` makes the readable `Value` when somebody reads the trace, in few digits (`digits`).
"""
