"""What an error says beside PyTorch's own message: names, lines, and what to write instead.

Nothing here is imported before an error is raised.
"""
