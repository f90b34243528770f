"""The command line, `kata`. A command starts the zygote first, and imports what it needs itself after that."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from grader import __version__

from .endings import leave, sentences

LEARN, TEACH, WRITE = "Learn", "Teach", "Write a course"
"""The headings of the groups of commands in `kata --help`."""
ORDER = ("init", "next", "check", "watch", "hint", "play", "list", "review", "report", "solution", "reset", "doctor",
         "grade", "grade-class", "explain", "diff", "override", "export", "feedback", "policy", "similar", "forget",
         "release", "notebooks", "hand-in", "autograder",
         "new", "verify")  # fmt: skip
"""The commands in the order in which people need them."""


class InOrder(TyperGroup):
    """Lists commands in that order."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all commands."""
        return sorted(self.commands, key=ORDER.index)


app = typer.Typer(
    name="kata",
    cls=InOrder,
    help="A course on attention in PyTorch, and its grader.",
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
    """A course on attention in PyTorch, and its grader."""
    if show:
        print(f"attention-kata {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from .practising import glance

        glance()
