"""The guide, and what builds it."""
