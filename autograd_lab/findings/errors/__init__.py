"""What a program raised, and why."""
