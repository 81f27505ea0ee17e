"""The programs are scripts: pytest is not to import them."""

collect_ignore = ["programs", "mended", "healthy"]
