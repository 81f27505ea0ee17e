"""Every PyTorch that people have: `python -m tests.torches 2.4 2.8 2.15` makes an environment for each, and tries it.

Environments lie in a cache folder, never in the repository; see `environment.py`. What is tried is in `checks.py`.
"""
