"""Faces: what stands where on a card in each style, and which folding, style and form fit a pane."""
