"""Two traces beside each other: what belongs together, what differs, and both in one picture or film."""
