"""`kata watch`: a warm judge checks every save; single keys run other commands. A thread reads keys, another saves."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

import watchfiles
from rich.console import Console

from grader.files import make_folder
from grader.intake import Submission, SubmissionError
from grader.intake.names import REVIEWS
from grader.mismatch import Mismatches

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
KEYS = {
    "n": "next",
    "h": "hint",
    "l": "list",
    "s": "skip",
    "x": "reset",
    "r": "run again",
    "a": "run all",
    QUIT: "quit",
}


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
        self._is_busy = False
        self._wants_reset = False
        self._has_keys = False

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
        try:
            return work.path.read_bytes() != self._seen.get(work.path)
        except OSError:  # deleted, or not readable yet
            return work.path in self._seen or self._known().is_passed(work.exercise.id)

    def _check(self, works: Sequence[Work]) -> None:
        if not works:
            return
        self._current = self._last = works[-1]
        if there := [work for work in works if work.path.is_file()]:
            try:
                self._judge_files(there, submission_of(self._workspace, there))
            except SubmissionError as error:  # half written
                self._clear()
                self._say(str(error), "red")
                self._foot()
        else:
            self._tell_gone(works)

    def _judge_files(self, works: Sequence[Work], submission: Submission) -> None:
        sources = submission.sources
        self._seen |= {work.path: sources[work.exercise.id].content for work in works if work.exercise.id in sources}
        self._say(f"Checking {', '.join(sources)} ...", "dim")
        self._is_busy = True
        record, mismatches = judged(self._judge, submission, [work.exercise.id for work in works])
        self._is_busy = False
        if any(map(self._is_changed, works)):  # the newer content is judged next
            return
        self._clear()
        self._show(record, mismatches)
        self._note(submission, works, record)
        if all(result.status in ("passed", "partly") for result in record.exercises):
            if any(work.is_review for work in works):  # a review does not change the current exercise
                print_next(self._workspace, self._known(), self._console)
            else:
                self._go_on()
        self._foot()

    def _tell_gone(self, works: Sequence[Work]) -> None:
        self._clear()
        for work in works:
            self._seen.pop(work.path, None)
            still = ", which stays passed" if self._known().is_passed(work.exercise.id) else ""
            gone = f"{self._workspace.shown(work.path)} is gone, the file of {_name_of(work)}{still}."
            self._say(f"{gone} x puts the given file there.", "red")
        self._foot()

    def _note(self, submission: Submission, works: Sequence[Work], record: Record) -> None:
        """Note the results, and say what comes back for review and which passed exercises do not pass any more."""
        for sentence in note_record(self._workspace, submission, record, works):
            self._say(sentence, "bold")
        remarked = remarks(self._workspace, self._known())
        for work in works:
            if not work.is_review and work.exercise.id in remarked:
                self._say(f"{work.exercise.id} is passed, but {remarked[work.exercise.id]}", "yellow")

    # --- keys ------------------------------------------------------------------------------------------------

    def _answer(self, key: str) -> Sequence[Work]:
        """Do what a key asks for; return the files to check now."""
        wanted_reset, self._wants_reset = self._wants_reset, False
        again = self._last or self._current
        if key == "r" and again is not None:
            return [again]
        if key == "a" and (begun := works_started(self._workspace)):
            return begun
        actions: dict[str, Callable[[], None]] = {
            "n": self._next,
            "h": self._hint,
            "l": lambda: print_list(self._workspace, self._known(), self._console),
            "s": self._skip,
            "x": self._reset if wanted_reset else self._ask_for_reset,
            "a": lambda: self._say("Nothing is started yet: every file is still as it was given."),
        }
        if key in actions:
            self._clear()
            try:
                actions[key]()
            except OSError as error:
                self._say(str(error), "red")
            self._foot()
        return []

    def _next(self) -> None:
        before = self._current
        self._go_on()
        if before is not None and self._current == before:
            self._say("This one is still open; s skips it.")

    def _go_on(self) -> None:
        coming = print_next(self._workspace, self._known(), self._console)
        self._current = self._workspace.work_of(coming) if coming else None

    def _skip(self) -> None:
        if self._current is not None and not self._known().is_passed(self._current.exercise.id):
            self._file.skip(self._current.exercise.id)
            self._say(f"Skipped: {self._current.exercise.id}. It stays in the list (l).")
        self._go_on()

    def _hint(self) -> None:
        if self._current is None:
            self._say("There is no exercise to give a hint for.")
            return
        exercise = self._current.exercise
        sentences = open_hint(self._workspace, exercise)
        self._say(f"{exercise.title} ({exercise.id})", "bold")
        for sentence in sentences:
            self._say(sentence)

    def _ask_for_reset(self) -> None:
        if self._current is None:
            self._say("There is nothing to reset.")
            return
        file = self._workspace.shown(self._current.path)
        if self._current.is_review:
            self._say(f"Delete {file} and type `kata review {self._current.exercise.id}` to have it afresh.")
            return
        self._wants_reset = True
        self._say(f"Press x again to put the given file back as {file}; your work is kept. Any other key leaves it.")

    def _reset(self) -> None:
        assert self._current is not None
        kept = reset(self._workspace, self._current.exercise)
        self._seen[self._current.path] = self._current.path.read_bytes()
        where = f" Your old work is in {self._workspace.shown(kept)}" if kept else ""
        self._say(f"{self._current.exercise.id} is the given file again.{where}")

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
        current = f"{_name_of(self._current)} is current. " if self._current else ""
        self._say(f"{current}Save a file to have it checked.", "dim")

    def _known(self) -> Progress:
        try:
            known = self._file.read()
        except OSError as error:
            known = Progress(damage=str(error))
        if known.damage:
            self._say(known.damage, "red")
        return known


def _name_of(work: Work) -> str:
    return f"{work.exercise.id} (review)" if work.is_review else work.exercise.id


# --- keys and saves ---------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def listening(take: Callable[[str], None]) -> Iterator[bool]:
    """Pass each pressed key to `take`, from a thread; yields whether there is a terminal to read keys from.

    Afterwards the terminal is as before, also after a stop in between (Ctrl-Z).
    """
    if not sys.stdin.isatty():
        yield False
        return
    with contextlib.nullcontext(_console_keys) if os.name == "nt" else _terminal_keys() as read:

        def run(ended: threading.Event) -> None:
            while not ended.is_set() and (typed := read()) is not None:
                for key in typed:
                    take(key)

        with _running("keys", run):
            yield True


@contextlib.contextmanager
def watching(workspace: Workspace, take: Callable[[list[Work]], None]) -> Iterator[None]:
    """Pass saved files to `take`, from a thread; files saved at the same time come in one call."""
    reviews = workspace.root / REVIEWS
    make_folder(reviews, below=workspace.root)  # only an existing folder can be watched

    def run(ended: threading.Event) -> None:
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

    with _running("saves", run):
        yield


@contextlib.contextmanager
def _running(name: str, run: Callable[[threading.Event], None]) -> Iterator[None]:
    """A thread beside the block; the event that it is given is set at the block's end."""
    ended = threading.Event()
    threading.Thread(target=run, args=(ended,), name=name, daemon=True).start()
    try:
        yield
    finally:
        ended.set()


@contextlib.contextmanager
def _terminal_keys() -> Iterator[Callable[[], str | None]]:
    """Reads the keys of a POSIX terminal, for a short while; None when it has closed."""
    import select
    import termios
    import tty

    fd = sys.stdin.fileno()
    before = termios.tcgetattr(fd)

    def read() -> str | None:
        if not select.select([fd], [], [], POLL_SECONDS)[0]:
            return ""
        try:
            typed = os.read(fd, 64)
        except OSError:
            return None
        # an arrow or function key is an escape sequence: ignore all of it
        return ("" if typed.startswith(b"\x1b") else typed.decode("utf-8", "ignore")) if typed else None

    def go_on(*_: Any) -> None:
        tty.setcbreak(fd)

    tty.setcbreak(fd)
    former = signal.signal(signal.SIGCONT, go_on)
    try:
        yield read
    finally:
        signal.signal(signal.SIGCONT, former)
        termios.tcsetattr(fd, termios.TCSADRAIN, before)


def _console_keys() -> str:
    """Reads the keys of a Windows console, for a short while."""
    console: Any = importlib.import_module("msvcrt")
    typed = ""
    while console.kbhit():
        key = console.getwch()
        if key in ("\x00", "\xe0"):  # a function key: ignore its second half
            console.getwch()
        else:
            typed += key
    time.sleep(POLL_SECONDS)
    return typed
