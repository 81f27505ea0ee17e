"""What files movies are, known without all that it takes to make one."""

PICTURES, VIDEOS = (".gif", ".apng", ".webp"), (".mp4", ".webm")
SUFFIXES = PICTURES + VIDEOS


class MovieUnavailable(RuntimeError):
    """What it takes to write such a file is not installed."""
