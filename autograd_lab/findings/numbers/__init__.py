"""Numbers that go astray: not finite, too small, too large, all zero."""
