"""The command line, `kata`. A command starts the zygote first, and imports what it needs itself after that."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup, TyperOption

import grader

from .endings import leave, sentences

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
            if isinstance(option, TyperOption):
                option.hidden = True
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


def main() -> None:
    """Run the command line."""
    try:
        with sentences():
            app()
    except SystemExit as end:
        if _was_swallowed(end):
            print("Stopped.", file=sys.stderr)
        leave(end.code)
    leave(0)


def _was_swallowed(end: SystemExit) -> bool:
    """Whether this is typer's exit after Ctrl-C, which prints nothing."""
    return isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt)


@app.callback(invoke_without_command=True)
def version(
    context: typer.Context,
    show: Annotated[bool, typer.Option("--version", help="Show the version and stop.")] = False,
) -> None:
    """A course on attention in PyTorch, and its grader.."""
    if show:
        from importlib.metadata import version as installed_version

        print(f"attention-kata {installed_version('attention-kata')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from .learn import overview

        overview()
