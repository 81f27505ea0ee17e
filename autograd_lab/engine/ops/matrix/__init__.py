"""Ops on matrices: products, contractions, linear algebra."""
