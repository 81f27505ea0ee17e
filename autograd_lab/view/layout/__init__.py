"""Boxes and links in, places and routes out. Nothing here knows what a graph is about."""
