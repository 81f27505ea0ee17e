"""What is drawn of a recorded graph: `piece.py` and `fold.py` choose what is drawn as one, `cell.py` what stands in it,
`plan.py` the lines between. A part is drawn, a cell is placed, a piece is folded.
"""
