"""What a browser plays: a film, its questions, and the inspector's sheets.

`static/` is the player, built from `widgets/`.
"""
