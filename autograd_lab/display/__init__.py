"""What users call from Python, and what commands share: pictures, players, comparisons; running a script as itself."""
