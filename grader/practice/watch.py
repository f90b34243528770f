"""`kata watch`: a warm judge checks every save; single keys run other commands. A thread reads keys, another saves."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import watchfiles
from rich.console import Console

from grader.files import make_folder
from grader.intake import SubmissionError
from grader.intake.names import REVIEWS

from .checking import Checked, check_works, works_started
from .hints import open_hint
from .overview import next_exercise, print_list, print_next, print_overview, put, remarks
from .workspace import Work, Workspace, reset

if TYPE_CHECKING:
    from grader.service.client import AnyJudge

POLL_SECONDS = 0.1
SETTLED_MS = 10
"""Milliseconds without a change after which a save counts: an editor writes a file in several steps."""
LONGEST_MS = 200
QUIT = "q"
KEYS = {"n": "next", "h": "hint", "l": "list", "s": "skip", "x": "reset", "r": "run again", "a": "run all", "q": "quit"}


class Watch:
    """One session of watching a workspace: the current exercise, what was judged last, what the screen shows."""

    def __init__(
        self, workspace: Workspace, console: Console, judge: AnyJudge, show: Callable[[Checked], None]
    ) -> None:
        """show: prints verdicts. Raises OSError, KataError where the progress cannot be read."""
        self._workspace, self._console, self._judge, self._show = workspace, console, judge, show
        self._say = partial(put, console)
        self._events: SimpleQueue[str | list[Work]] = SimpleQueue()
        """Pressed keys and saved files, in order."""
        coming = next_exercise(workspace.course, self._workspace.progress.read())
        self._current = workspace.work_of(coming) if coming else None
        self._last = [self._current] if self._current else []
        self._seen: dict[Path, bytes] = {}
        """The contents that were judged last, or put there by a reset."""
        self._is_busy = self._has_keys = False

    def run(self) -> None:
        """Watch until q or Ctrl-C. Raises what the judge raises when it cannot grade any more."""
        try:
            with listening(self._press) as self._has_keys, watching(self._workspace, self._events.put):
                self._console.clear()
                print_overview(self._workspace, self._workspace.progress.read(), self._console)
                self._foot()
                self._judge.grade([], lambda record: None)  # one in this process collects its checks now
                while (event := self._events.get()) != QUIT:
                    try:
                        self._take(event)
                    except (SubmissionError, OSError) as error:  # such as a file that is half written, or gone
                        self._console.clear()
                        self._say(str(error), "red")
                        self._foot()
        except KeyboardInterrupt:
            pass
        self._say("The watch has ended. `kata watch` goes on from here.")

    def _press(self, key: str) -> None:
        """Called from the thread that reads keys: quitting must not wait for a result."""
        if key == QUIT and self._is_busy:
            os.kill(os.getpid(), signal.SIGINT)
        else:
            self._events.put(key)

    def _take(self, event: str | Sequence[Work]) -> None:
        """Judge saved files, or do what a key asks for."""
        if not isinstance(event, str):
            works = list(filter(self._is_changed, event))
        elif event == "a":
            works = works_started(self._workspace)
        else:
            works = self._last if event == "r" else []
        if works:
            self._check(works)
        elif isinstance(event, str) and event in KEYS and event != "r":
            self._console.clear()
            self._answer(event)
        else:
            return
        self._foot()

    # --- saves -----------------------------------------------------------------------------------------------

    def _is_changed(self, work: Work) -> bool:
        """Whether the file differs from the content last judged; a reset by `kata watch` is no change."""
        with contextlib.suppress(OSError):  # deleted, or not readable yet
            return work.path.read_bytes() != self._seen.get(work.path)
        return False

    def _check(self, works: list[Work]) -> None:
        """Judge the files, and say what came of it."""
        self._current, self._last = works[-1], works
        for work in works:
            with contextlib.suppress(OSError):
                self._seen[work.path] = work.path.read_bytes()
        self._say(f"Checking {', '.join(work.exercise.id for work in works)} ...", "dim")
        self._is_busy = True
        try:
            checked = check_works(self._judge, self._workspace, works)
        finally:
            self._is_busy = False
        self._console.clear()
        self._show(checked)
        for sentence in checked.told:
            self._say(sentence, "bold")
        if self._current.is_review:  # a review does not change the current exercise
            return
        for id, remark in remarks(self._workspace, self._workspace.progress.read()).items():
            if any(id == work.exercise.id for work in works):
                self._say(f"{id} is passed, but {remark}", "yellow")
        if checked.is_right:
            self._show_next()

    # --- keys ------------------------------------------------------------------------------------------------

    def _answer(self, key: str) -> None:
        """Do what a key asks for, other than checking."""
        if key == "l":
            print_list(self._workspace, self._workspace.progress.read(), self._console)
        elif key == "a":
            self._say("Nothing is started yet: every file is still as it was given.")
        elif key in "ns":
            self._go_on(skips=key == "s")
        elif self._current is None:
            self._say("There is no exercise to give a hint for." if key == "h" else "There is nothing to reset.")
        elif key == "x":
            self._reset(self._current)
        else:
            self._say(f"{self._current.exercise.title} ({self._current.exercise.id})", "bold")
            self._say("\n".join(open_hint(self._workspace, self._current.exercise)))

    def _go_on(self, *, skips: bool) -> None:
        """Make the next exercise the current one; with `skips` the current one is left for later."""
        before = self._current
        if skips and before is not None and not self._workspace.progress.read().of(before.exercise.id).is_passed:
            with self._workspace.progress.change() as progress:
                progress.of(before.exercise.id).skipped = True
            self._say(f"Skipped: {before.exercise.id}. It stays in the list (l).")
        self._show_next()
        if before is not None and self._current == before and not skips:
            self._say("This one is still open; s skips it.")

    def _show_next(self) -> None:
        coming = print_next(self._workspace, self._workspace.progress.read(), self._console)
        self._current = self._workspace.work_of(coming) if coming else None

    def _reset(self, current: Work) -> None:
        kept = reset(self._workspace, current)
        self._seen[current.path] = current.path.read_bytes()
        where = f" Your old work is in {self._workspace.shown(kept)}" if kept else ""
        self._say(f"{self._workspace.shown(current.path)} is the given file again.{where}")

    def _foot(self) -> None:
        """Below all else: the keys, and which exercise is current."""
        self._console.print()
        keys = "  ".join(f"{key} {what}" for key, what in KEYS.items())
        self._say(keys if self._has_keys else "Ctrl-C ends it.", "dim")
        work = self._current
        current = f"{work.exercise.id}{' (review)' * work.is_review} is current. " if work else ""
        self._say(f"{current}Save a file to have it checked.", "dim")


# --- keys and saves ---------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def watching(workspace: Workspace, take: Callable[[list[Work]], None]) -> Iterator[None]:
    """Pass saved files to `take`, from a thread; files saved at the same time come in one call."""
    reviews, ended = workspace.root / REVIEWS, threading.Event()
    make_folder(reviews, below=workspace.root)  # only an existing folder can be watched

    def run() -> None:
        for change in watchfiles.watch(
            workspace.root / "exercises",
            reviews,
            debounce=LONGEST_MS,
            step=SETTLED_MS,
            stop_event=ended,
            raise_interrupt=False,
            ignore_permission_denied=True,
        ):
            saved = {work.path: work for _, path in change if (work := workspace.work_at(Path(path)))}
            if saved:
                take([saved[path] for path in sorted(saved)])

    threading.Thread(target=run, name="saves", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


@contextlib.contextmanager
def listening(take: Callable[[str], None]) -> Iterator[bool]:
    """Pass each pressed key to `take`, from a thread; yields whether there is a terminal to read keys from.

    Afterwards the terminal is as before, also after a stop in between (Ctrl-Z).
    """

    def run(keys: Iterable[str]) -> None:
        with contextlib.suppress(OSError):  # the terminal has closed
            for key in keys:
                take(key)

    if not sys.stdin.isatty():
        yield False
        return
    keys = _console_keys() if os.name == "nt" else _terminal_keys(sys.stdin.fileno())
    with contextlib.nullcontext() if os.name == "nt" else _without_line_ends(sys.stdin.fileno()):
        threading.Thread(target=run, args=(keys,), name="keys", daemon=True).start()
        yield True


@contextlib.contextmanager
def _without_line_ends(fd: int) -> Iterator[None]:
    """A POSIX terminal gives each key at once, and does not show it."""
    import termios
    import tty

    before = termios.tcgetattr(fd)
    tty.setcbreak(fd)
    former = signal.signal(signal.SIGCONT, lambda *_: tty.setcbreak(fd))
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, former)
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _terminal_keys(fd: int) -> Iterator[str]:
    """The keys of a POSIX terminal until it closes, without arrow and function keys, which are escape sequences."""
    while typed := os.read(fd, 64):
        yield from "" if typed.startswith(b"\x1b") else typed.decode("utf-8", "ignore")


def _console_keys() -> Iterator[str]:
    """The keys of a Windows console, without function keys, which have two halves."""
    console: Any = importlib.import_module("msvcrt")
    while True:
        if not console.kbhit():
            time.sleep(POLL_SECONDS)
        elif (key := console.getwch()) in ("\x00", "\xe0"):
            console.getwch()
        else:
            yield key
