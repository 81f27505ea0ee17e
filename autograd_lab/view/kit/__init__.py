"""What all pictures are made of: letters, numbers, strokes, colours, parts, and a table that keeps all its states."""
