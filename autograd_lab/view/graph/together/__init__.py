"""Recordings whose pictures are laid out together, so that what they share stands at the same place in all."""
