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
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import watchfiles
from rich.console import Console

from grader.files import make_folder
from grader.intake import SubmissionError
from grader.intake.names import REVIEWS
from grader.record import Mismatches

from .checking import judged, note_record, submission_of, works_started
from .hints import open_hint
from .overview import next_exercise, print_list, print_next, print_overview, put, remarks
from .progress import Progress, ProgressFile
from .workspace import Work, Workspace, reset

if TYPE_CHECKING:
    from grader.record import Record
    from grader.service.client import AnyJudge

POLL_SECONDS = 0.1
SETTLED_MS = 10
"""Milliseconds without a change after which a save counts: an editor writes a file in several steps."""
LONGEST_MS = 200
Show = Callable[["Record", Mismatches], None]
"""Prints a record as the terminal report does, with the mismatches of its checks."""
QUIT = "q"
KEYS = {"n": "next", "h": "hint", "l": "list", "s": "skip", "x": "reset", "r": "run again", "a": "run all", "q": "quit"}


class Watch:
    """One session of watching a workspace: known file contents, the current exercise, what the screen shows."""

    def __init__(self, workspace: Workspace, console: Console, judge: AnyJudge, show: Show) -> None:
        self._workspace, self._console, self._judge, self._show = workspace, console, judge, show
        self._events: SimpleQueue[str | list[Work]] = SimpleQueue()
        """Pressed keys and saved files, in order."""
        self._file = ProgressFile(workspace.state)
        coming = next_exercise(workspace.course, self._known())
        self._current = workspace.work_of(coming) if coming else None
        self._last: Work | None = None
        self._seen: dict[Path, bytes] = {}
        """The contents that were judged last."""
        self._is_busy = self._wants_reset = self._has_keys = False

    def run(self) -> None:
        """Watch until q or Ctrl-C. Raises what the judge raises when it cannot grade any more."""
        try:
            with listening(self._press) as self._has_keys, watching(self._workspace, self._events.put):
                self._clear()
                print_overview(self._workspace, self._known(), self._console)
                self._foot()
                self._judge.grade([], lambda record: None)  # one in this process collects its checks now
                while (event := self._events.get()) != QUIT:
                    works = self._answer(event) if isinstance(event, str) else list(filter(self._is_changed, event))
                    for is_review in (False, True):  # an exercise and its review cannot be in one submission
                        self._check([work for work in works if work.is_review == is_review])
        except KeyboardInterrupt:
            pass
        self._say("The watch has ended. `kata watch` goes on from here.")

    def _press(self, key: str) -> None:
        """Called from the thread that reads keys: quitting must not wait for a result."""
        if key == QUIT and self._is_busy:
            os.kill(os.getpid(), signal.SIGINT)
        else:
            self._events.put(key)

    # --- checking --------------------------------------------------------------------------------------------

    def _is_changed(self, work: Work) -> bool:
        """Whether the file differs from the content last judged; a reset by `kata watch` is no change."""
        with contextlib.suppress(OSError):  # deleted, or not readable yet
            return work.path.read_bytes() != self._seen.get(work.path)
        return False

    def _check(self, works: Sequence[Work]) -> None:
        """Judge the files, and say what came of it."""
        if not works:
            return
        self._current = self._last = works[-1]
        try:
            if not self._judge_files(works):
                return
        except SubmissionError as error:  # half written, or gone
            self._clear()
            self._say(str(error), "red")
        self._foot()

    def _judge_files(self, works: Sequence[Work]) -> bool:
        """Judge files and show the verdict; False where one was saved again meanwhile, which is judged next."""
        submission, ids = submission_of(self._workspace, works), [work.exercise.id for work in works]
        sources = submission.sources
        self._seen |= {work.path: sources[work.exercise.id].content for work in works if work.exercise.id in sources}
        self._say(f"Checking {', '.join(sources)} ...", "dim")
        self._is_busy = True
        record, mismatches = judged(self._judge, submission, ids)
        self._is_busy = False
        if any(map(self._is_changed, works)):
            return False
        self._clear()
        self._show(record, mismatches)
        for sentence in note_record(self._workspace, submission, record, works):
            self._say(sentence, "bold")
        for id, remark in remarks(self._workspace, self._known()).items():
            if id in ids and not works[0].is_review:
                self._say(f"{id} is passed, but {remark}", "yellow")
        if all(result.status in ("passed", "partly") for result in record.exercises):
            current = self._current
            self._show_next()
            if works[0].is_review:  # a review does not change the current exercise
                self._current = current
        return True

    # --- keys ------------------------------------------------------------------------------------------------

    def _answer(self, key: str) -> Sequence[Work]:
        """Do what a key asks for; return the files to check now."""
        is_sure, self._wants_reset = self._wants_reset, False
        again, current = self._last or self._current, self._current
        begun = works_started(self._workspace) if key == "a" else [again] if key == "r" and again else []
        if begun or key == "r" or key not in KEYS:
            return begun
        self._clear()
        try:
            if key == "l":
                print_list(self._workspace, self._known(), self._console)
            elif key == "a":
                self._say("Nothing is started yet: every file is still as it was given.")
            elif key in "ns":
                self._go_on(skips=key == "s")
            elif current is None:
                self._say("There is no exercise to give a hint for." if key == "h" else "There is nothing to reset.")
            elif key == "x":
                self._reset(current, is_sure=is_sure)
            else:
                self._say(f"{current.exercise.title} ({current.exercise.id})", "bold")
                for sentence in open_hint(self._workspace, current.exercise):
                    self._say(sentence)
        except OSError as error:
            self._say(str(error), "red")
        self._foot()
        return []

    def _go_on(self, *, skips: bool) -> None:
        """Make the next exercise the current one; with `skips` the current one is left for later."""
        before = self._current
        if skips and before is not None and not self._known().of(before.exercise.id).is_passed:
            with self._file.change() as progress:
                progress.of(before.exercise.id).skipped = True
            self._say(f"Skipped: {before.exercise.id}. It stays in the list (l).")
        self._show_next()
        if before is not None and self._current == before and not skips:
            self._say("This one is still open; s skips it.")

    def _show_next(self) -> None:
        coming = print_next(self._workspace, self._known(), self._console)
        self._current = self._workspace.work_of(coming) if coming else None

    def _reset(self, current: Work, *, is_sure: bool) -> None:
        """Put the given file back, at the second key of two."""
        file, id = self._workspace.shown(current.path), current.exercise.id
        if current.is_review:
            self._say(f"Delete {file} and type `kata review {id}` to have it afresh.")
        elif not is_sure:
            self._wants_reset = True
            asked = f"Press x again to put the given file back as {file}"
            self._say(f"{asked}; your work is kept. Any other key leaves it.")
        else:
            kept = reset(self._workspace, current.exercise)
            self._seen[current.path] = current.path.read_bytes()
            where = f" Your old work is in {self._workspace.shown(kept)}" if kept else ""
            self._say(f"{id} is the given file again.{where}")

    # --- the screen ------------------------------------------------------------------------------------------

    def _clear(self) -> None:
        if self._console.is_terminal:
            self._console.clear()

    def _say(self, text: str, style: str = "") -> None:
        put(self._console, text, style)

    def _foot(self) -> None:
        self._console.print()
        keys = "  ".join(f"{key} {what}" for key, what in KEYS.items())
        self._say(keys if self._has_keys else "Ctrl-C ends it.", "dim")
        work = self._current
        current = f"{work.exercise.id}{' (review)' * work.is_review} is current. " if work else ""
        self._say(f"{current}Save a file to have it checked.", "dim")

    def _known(self) -> Progress:
        try:
            known = self._file.read()
        except OSError as error:
            known = Progress(damage=str(error))
        if known.damage:
            self._say(known.damage, "red")
        return known


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
