"""`autograd-lab schema`: what a line of a trace may be, for programs that write traces."""

from __future__ import annotations

import json

from autograd_lab.commands.listed import command_file
from autograd_lab.commands.terminal import say
from autograd_lab.trace.json_schema import line_schema

EPILOG = """\b
Examples:
  autograd-lab schema > line.schema.json                each line of a trace.jsonl is valid by it"""
app = command_file()


@app.command(epilog=EPILOG)
def schema() -> None:
    """Print a JSON schema of the lines of a trace, for programs that write traces."""
    say(json.dumps(line_schema(), indent=2))
