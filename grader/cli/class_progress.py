"""The progress bar of a class: how many are graded, at what rate, and how long it will take."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MINUTE = 60


@contextmanager
def class_progress(total: int) -> Iterator[Callable[[str, bool], None]]:
    """A progress bar on standard error when that is a terminal.

    What it yields is told of each learner, and whether there was anything to grade: who keeps an earlier record is
    taken off the total, so that rate and time left are those of grading.
    """
    if not sys.stderr.isatty():
        yield lambda name, was_graded: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, Task, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Rate(TextColumn):
        def render(self, task: Task) -> Text:
            return Text(rate_in_words(task.speed))

    columns = (TextColumn("Grading"), BarColumn(), MofNCompleteColumn(), Rate(""), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        left_out = 0

        def heard(name: str, was_graded: bool) -> None:
            nonlocal left_out
            if was_graded:
                bar.advance(task)
            else:
                left_out += 1
                bar.update(task, total=total - left_out)

        yield heard


def rate_in_words(speed: float | None) -> str:
    """Submissions a second as people say it; nothing while it is not known."""
    if not speed:
        return ""
    return f"{speed:.1f} a second" if speed >= 1 else f"{speed * MINUTE:.1f} a minute"
