"""What a loss is given: not logits, two shapes that do not fit, or twice the same."""
