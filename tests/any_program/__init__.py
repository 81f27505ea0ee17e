"""Random programs as people may write them, well or badly, and everything that can be shown of what was recorded."""
