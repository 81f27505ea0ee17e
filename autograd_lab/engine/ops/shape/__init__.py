"""Ops that give elements another shape or order: views, joining and splitting, flipping, repeating."""
