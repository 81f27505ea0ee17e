"""The shapes of the picture's language: functions from plain numbers and texts to SVG, styled by classes alone."""
