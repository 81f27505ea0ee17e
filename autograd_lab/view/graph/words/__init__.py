"""What is said of a recorded graph: captions, what one thing is, what happened to it, and why it has no gradient."""
