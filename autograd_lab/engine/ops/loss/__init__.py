"""Losses, by what they compare: classes, numbers, probabilities, vectors."""
