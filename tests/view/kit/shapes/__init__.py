"""Of the shapes of the picture's language."""
