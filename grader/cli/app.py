"""The command line, `kata`: its commands' table, and how a command ends.

A command starts the zygote first, and imports what it needs itself after that. An error that people can cause or meet
is printed as one sentence, with an exit status.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import grader
from grader.course.installed import CARRIED
from grader.errors import EXIT_BAD_INPUT, EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.sandbox.levels import MachineError

IN_WHEEL = Path(grader.__file__).with_name(CARRIED).is_dir()
"""Whether this is what learners get, with the course in the package. `kata --help` lists their commands alone then."""

app = typer.Typer(
    name="kata",
    help="A course on attention in PyTorch, and its grader. Help: kata NAME --help",
    pretty_exceptions_enable=False,
)
learners_command = partial(app.command, rich_help_panel="Learn")
teachers_command = partial(app.command, rich_help_panel="Teach", hidden=IN_WHEEL)
authors_command = partial(app.command, rich_help_panel="Write a course", hidden=IN_WHEEL)


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
    commands = {each.name or getattr(each.callback, "__name__", ""): each for each in app.registered_commands}
    if IN_WHEEL:
        others = ", ".join(name for name, each in commands.items() if each.hidden)
        app.info.epilog = f"To teach or to write a course: {others}."
    if typed := [commands[word] for word in sys.argv[1:2] if word in commands]:
        app.registered_commands = typed  # typer works out the options of every command that it knows
    status: str | int | None = 0
    try:
        with sentences():
            app()
    except SystemExit as end:
        status = end.code
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            print("Stopped.", file=sys.stderr)  # typer exits after Ctrl-C without a word
    if isinstance(status, str):
        sys.exit(status)
    with suppress(OSError):  # the reader of the output has gone
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status or 0)  # a normal exit unloads everything first: a third of a second for torch


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
    except ModuleNotFoundError as error:  # of a package that only instructors have
        missing = f"{error.name} is not installed; notebooks need the instructor's extra"
        how = "`make instructor` in a copy of the course, or pip install '.[instructor]' there (Python 3.11 or newer)"
        sentence, status = f"{missing}: {how}.", EXIT_BAD_INPUT
    except OSError as error:
        sentence, status = f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), EXIT_BAD_INPUT
    say(sentence)
    sys.exit(status)


def say(sentence: str) -> None:
    """Print a sentence on standard error, with control characters in quoted text made safe."""
    from grader.render.safe_text import visible

    print(visible(sentence), file=sys.stderr)
