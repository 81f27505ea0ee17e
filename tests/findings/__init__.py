"""Programs with a mistake, each found in both worlds; healthy ones, of which nothing is said."""
