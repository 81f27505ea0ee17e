"""A command in a file of its own: the list has its name and one line, and the file is imported when it is called."""

from __future__ import annotations

import importlib
from keyword import iskeyword
from typing import Any

import typer
from typer.core import TyperCommand


def command_file(**settings: Any) -> typer.Typer:
    """The `app` of a file that has one command, or of one that has a group of them."""
    usual: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}
    return typer.Typer(**(usual | settings))


def file_of(command: str | None) -> Any:
    """The module of a command, imported now if it was not before; a word of Python's own has a `_` behind it there."""
    return importlib.import_module(f"autograd_lab.commands.{command}{'_' * iskeyword(command or '')}")


class Listed(TyperCommand):
    """Stands in the list for the command of `autograd_lab/commands/NAME.py`, and gives way to it when it is called."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """The context of the real command."""
        return self.real.make_context(info_name, args, parent, **extra)

    @property
    def real(self) -> Any:
        """The command itself, whose file is imported now."""
        command = typer.main.get_command(file_of(self.name).app)
        command.name = self.name
        return command
