"""Sheets of the picture's language, drawn by its own functions: `python -m tests.view.kit.specimen FOLDER`."""
