"""The command line, `kata`: its commands' table, and how a command ends.

A command starts the zygote first, and imports what it needs itself after that. An error that people can cause or meet
is printed as one sentence, with an exit status.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup, TyperOption

import grader
from grader.errors import EXIT_BAD_INPUT, EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.sandbox.levels import MachineError

LEARN, TEACH, WRITE = PANELS = ("Learn", "Teach", "Write a course")
"""The headings of the groups of commands in `kata --help`; below each, the first line of each command's docstring."""


class CommandTable(TyperGroup):
    """Lists the commands to fit on one screen; in a wheel, those of learners."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands that are shown; the others work too."""
        return [name for name in self._in_order() if self._panel(name) == LEARN or not _is_wheel()]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        if _is_wheel():
            others = [name for name in self._in_order() if self._panel(name) != LEARN]
            self.epilog = f"To teach or to write a course: {', '.join(others)}."
        super().format_help(ctx, formatter)

    def _in_order(self) -> list[str]:
        return sorted(self.commands, key=lambda name: PANELS.index(self._panel(name)))

    def _panel(self, name: str) -> str:
        return str(getattr(self.commands[name], "rich_help_panel", ""))

    def get_params(self, ctx: Any) -> Any:
        """The options of `kata` itself; they work, and are left out of the list."""
        options: list[Any] = super().get_params(ctx)
        for option in options:
            option.hidden = isinstance(option, TyperOption)
        return options


def _is_wheel() -> bool:
    """Whether this is what learners get, with the course in the package."""
    from grader.course.installed import CARRIED

    return Path(grader.__file__).with_name(CARRIED).is_dir()


app = typer.Typer(
    name="kata",
    cls=CommandTable,
    help="A course on attention in PyTorch, and its grader. Help: kata NAME --help",
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def version(
    context: typer.Context,
    show: Annotated[bool, typer.Option("--version", help="Show the version and stop.")] = False,
) -> None:
    """A course on attention in PyTorch, and its grader."""
    if show:
        from importlib.metadata import version as installed_version

        print(f"attention-kata {installed_version('attention-kata')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from .learn import overview

        overview()


# --- how a command ends -----------------------------------------------------------------------------------------------


def main() -> None:
    """Run the command line."""
    status: str | int | None = 0
    try:
        with sentences():
            app()
    except SystemExit as end:
        status = end.code
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            print("Stopped.", file=sys.stderr)  # typer exits after Ctrl-C without a word
    if "torch" not in sys.modules or isinstance(status, str):
        sys.exit(status)
    with suppress(OSError):  # the reader of the output has gone
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status or 0)  # a normal exit would take a third of a second longer, to unload torch


@contextmanager
def sentences() -> Iterator[None]:
    """Print errors that people can cause or meet as one sentence, with the exit status that the docs promise."""
    try:
        yield
        return
    except MachineError as error:
        missing = f"This machine cannot isolate submissions (missing: {error})."
        sentence, status = f"{missing} No grade was recorded. See `kata doctor`.", EXIT_CANNOT_ISOLATE
    except KeyboardInterrupt:
        sentence, status = "Stopped.", EXIT_INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KataError as error:
        sentence, status = str(error), error.exit_status
    except OSError as error:
        sentence, status = f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), EXIT_BAD_INPUT
    say(sentence)
    sys.exit(status)


def say(sentence: str) -> None:
    """Print a sentence on standard error, with control characters in quoted text made safe."""
    from grader.render.safe_text import visible

    print(visible(sentence), file=sys.stderr)
