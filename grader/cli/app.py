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
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup, TyperOption

import grader
from grader.errors import EXIT_BAD_INPUT, EXIT_CANNOT_ISOLATE, EXIT_INTERRUPTED, KataError
from grader.sandbox.levels import MachineError

LEARN, TEACH, WRITE = "Learn", "Teach", "Write a course"
"""The headings of the groups of commands in `kata --help`."""
COMMANDS = {
    "init": "Make or update your workspace; your own files stay.",
    "next": "The next exercise: its file, its lesson, what to type.",
    "check": "Check your own work.",
    "watch": "Check each file as soon as you save it.",
    "hint": "A hint; each further one opens after another failed try.",
    "play": "See your own code attend, in a small trained model.",
    "list": "All exercises: passed, tried, open, later.",
    "review": "Write a passed exercise again, before you forget it.",
    "report": "Your progress, as a page.",
    "solution": "After passing: your answer beside the course's.",
    "reset": "Begin an exercise again; your old work is kept.",
    "doctor": "What this machine can isolate, and what to install.",
    "grade": "Grade one submission.",
    "grade-class": "Grade a class.",
    "explain": "Show where a learner lost points, and why.",
    "diff": "Compare two gradings of a class.",
    "override": "Set a learner's points by hand, with the reason.",
    "export": "Write marks and feedback for other programs.",
    "forget": "Remove one learner from a graded class.",
    "release": "Make the learners' copy of the course.",
    "notebooks": "Write a course folder for nbgrader.",
    "autograder": "Make an autograder for Gradescope or GitHub.",
    "new": "Begin a new exercise.",
    "verify": "Prove that an exercise's checks hold.",
}
"""What `kata --help` says of each command, in the order in which people need them."""


class CommandTable(TyperGroup):
    """Lists the commands in that order, a line each, to fit on one screen; in a wheel, those of learners."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands that are shown; the others work too."""
        shown = [name for name in COMMANDS if name in self.commands]
        return [name for name in shown if self._panel(name) == LEARN] if _is_wheel() else shown

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        if _is_wheel():
            self.epilog = f"To teach or to write a course: {', '.join(n for n in COMMANDS if self._panel(n) != LEARN)}."
        super().format_help(ctx, formatter)

    def _panel(self, name: str) -> str:
        return str(getattr(self.commands[name], "rich_help_panel", ""))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of this name, with its line."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            command.short_help = COMMANDS[cmd_name]
        return command

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
    except MachineError as error:
        missing = f"This machine cannot isolate submissions (missing: {error})."
        stop(f"{missing} No grade was recorded. See `kata doctor`.", EXIT_CANNOT_ISOLATE)
    except KeyboardInterrupt:
        stop("Stopped.", EXIT_INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KataError as error:
        stop(str(error), error.exit_status)
    except OSError as error:
        stop(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), EXIT_BAD_INPUT)


def say(sentence: str) -> None:
    """Print a sentence on standard error, with control characters in quoted text made safe."""
    from grader.render.safe_text import visible

    print(visible(sentence), file=sys.stderr)


def stop(sentence: str, status: int) -> NoReturn:
    """Print the reason and exit."""
    say(sentence)
    sys.exit(status)
