"""`kata watch`: a warm judge grades every save; single keys run other commands.

The judge asks for submissions one after another; here they come from saves and keys, so checks are collected once and
torch is loaded once, however long the watch runs.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from grader.intake import Submission, SubmissionError
from grader.mismatch import Mismatch, Mismatches
from grader.render.safe_text import encodable, safe_line

from .checking import handed_in, note_record, reviews_among, started, submission_of
from .events import Inbox, Pressed, listening, watching
from .glance import next_exercise, print_glance, print_list, print_next
from .hints import HintsShut, next_hint, what_hints_cost
from .kept_up import remarks
from .progress import DamagedProgress, Progress, ProgressFile, now
from .workspace import Work, Workspace, reset

if TYPE_CHECKING:
    from grader.record import Record
    from grader.service.opening import AnyJudge

Show = Callable[["Record", Mismatches], None]
"""Prints a record as the terminal report does, with the mismatches of its checks."""

Asked = tuple[Submission, Sequence[Work]]
"""The submission being graded, and the files that it came from."""

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

    def __init__(self, workspace: Workspace, console: Console, show: Show) -> None:
        self._workspace = workspace
        self._console = console
        self._show = show
        self._inbox = Inbox()
        self._file = ProgressFile(workspace.state)
        coming = next_exercise(workspace.course, self._known())
        self._current = workspace.work_of(coming) if coming else None
        self._last: Work | None = None
        self._asked: Asked | None = None
        self._mismatches: dict[tuple[str, str], Mismatch] = {}
        self._seen: dict[Path, bytes] = {}
        self._wants_reset = False
        self._has_keys = False

    def run(self, judge: AnyJudge) -> None:
        """Watch until q or Ctrl-C. Raises what the judge raises when it cannot grade any more."""
        try:
            with listening(self._press) as self._has_keys, watching(self._workspace, self._inbox.save):
                judge.await_ready()
                judge.grade(self._submissions(), self._take, show=self._keep)
        except KeyboardInterrupt:
            pass
        self._say("The watch has ended. `kata watch` goes on from here.")

    # --- what comes in ---------------------------------------------------------------------------------------

    def _press(self, key: str) -> None:
        """Called from the thread that reads keys: quitting must not wait for a result."""
        if key == QUIT and self._asked is not None:
            os.kill(os.getpid(), signal.SIGINT)
        else:
            self._inbox.press(key)

    def _submissions(self) -> Iterator[Submission]:
        self._clear()
        print_glance(self._workspace, self._known(), self._console)
        self._foot()
        while True:
            event = self._inbox.take()
            if not isinstance(event, Pressed):
                to_grade: Sequence[Work] = [each for each in event.works if self._is_changed(each)]
            elif event.key == QUIT:
                return
            else:
                to_grade = self._answer(event.key)
            for works in _apart(to_grade):
                if submission := self._read(works):
                    self._asked = (submission, works)
                    sources = submission.sources
                    self._seen.update(
                        {w.path: sources[w.exercise.id].content for w in works if w.exercise.id in sources}
                    )
                    self._say(f"Checking {', '.join(sources)} ...", "dim")
                    yield submission

    def _is_changed(self, work: Work) -> bool:
        """Whether the file differs from the content last graded; a reset by `kata watch` is no change."""
        try:
            return work.path.read_bytes() != self._seen.get(work.path)
        except OSError:  # deleted, or not readable yet
            return work.path in self._seen or self._known().is_passed(work.exercise.id)

    def _read(self, works: Sequence[Work]) -> Submission | None:
        self._current = self._last = works[-1]
        files = {work.exercise.id: work.path for work in works if work.path.is_file()}
        if not files:
            self._say_gone(works)
            return None
        try:
            return submission_of(self._workspace, files)
        except SubmissionError as error:  # deleted again, or half written
            self._clear()
            self._say(str(error), "red")
            self._foot()
            return None

    def _say_gone(self, works: Sequence[Work]) -> None:
        self._clear()
        for work in works:
            self._seen.pop(work.path, None)
            still = ", which stays passed" if self._known().is_passed(work.exercise.id) else ""
            file = self._workspace.shown(work.path)
            self._say(f"{file} is gone, the file of {self._name_of(work)}{still}. x puts the given file there.", "red")
        self._foot()

    # --- what goes out ---------------------------------------------------------------------------------------

    def _keep(self, submission: str, exercise: str, check: str, mismatch: Mismatch) -> None:
        self._mismatches[exercise, check] = mismatch

    def _take(self, record: Record) -> None:
        assert self._asked is not None
        (submission, works), self._asked = self._asked, None
        mismatches, self._mismatches = self._mismatches, {}
        if self._inbox.was_saved_again(works):
            for work in works:  # the newer content is graded next
                self._seen.pop(work.path, None)
            return
        self._clear()
        self._show(handed_in(record), mismatches)
        self._note(submission, works, record)
        self._say_remarks(works)
        if len(works) > 1:
            self._say(_sum_of(handed_in(record)), "bold")
        if all(result.status in ("passed", "partly") for result in handed_in(record).exercises):
            if any(work.is_review for work in works):  # a review does not change the current exercise
                print_next(self._workspace, self._known(), self._console)
            else:
                self._go_on(self._known())
        self._foot()

    def _say_remarks(self, works: Sequence[Work]) -> None:
        """Say which passed exercises do not pass any more."""
        remarked = remarks(self._workspace, self._known())
        for work in works:
            if not work.is_review and work.exercise.id in remarked:
                self._say(f"{work.exercise.id} is passed, but {remarked[work.exercise.id]}", "yellow")

    def _note(self, submission: Submission, works: Sequence[Work], record: Record) -> None:
        from .review import when

        reviews = reviews_among(self._workspace, {work.exercise.id: work.path for work in works})
        try:
            coming = note_record(self._workspace, submission, record, reviews)
        except DamagedProgress as damage:
            self._say(str(damage), "red")
        except OSError as error:
            self._say(f"Your progress could not be noted: {error.strerror or error}.", "red")
        else:
            for id, due in coming.items():
                self._say(f"{id} comes back {when(due, now())}.", "bold")

    def _answer(self, key: str) -> Sequence[Work]:
        """Do what a key asks for; return the files to grade now."""
        wanted_reset, self._wants_reset = self._wants_reset, False
        again = self._last or self._current
        if key == "r" and again is not None:
            return [again]
        if key == "a":
            return self._all_started()
        actions: dict[str, Callable[[], None]] = {
            "n": self._next,
            "h": self._hint,
            "l": self._list,
            "s": self._skip,
            "x": self._reset if wanted_reset else self._ask_for_reset,
        }
        if key in actions:
            self._clear()
            try:
                actions[key]()
            except (DamagedProgress, OSError) as error:
                self._say(str(error), "red")
            self._foot()
        return []

    def _all_started(self) -> Sequence[Work]:
        begun = started(self._workspace, self._workspace.course.exercises)
        if not begun:
            self._clear()
            self._say("Nothing is started yet: every file is still as it was given.")
            self._foot()
        return [self._workspace.work_of(each) for each in begun]

    # --- keys ------------------------------------------------------------------------------------------------

    def _next(self) -> None:
        before = self._current
        self._go_on(self._known())
        if before is not None and self._current == before:
            self._say("This one is still open; s skips it.")

    def _go_on(self, known: Progress) -> None:
        coming = print_next(self._workspace, known, self._console)
        self._current = self._workspace.work_of(coming) if coming else None

    def _list(self) -> None:
        print_list(self._workspace, self._known(), self._console)

    def _skip(self) -> None:
        if self._current is not None and not self._known().is_passed(self._current.exercise.id):
            with self._file.change() as known:
                known.of(self._current.exercise.id).skipped = True
            self._say(f"Skipped: {self._current.exercise.id}. It stays in the list (l).")
        self._go_on(self._known())

    def _hint(self) -> None:
        if self._current is None:
            self._say("There is no exercise to give a hint for.")
            return
        exercise = self._current.exercise
        with self._file.change() as known:
            done = known.of(exercise.id)
            given = next_hint(exercise, done)
        self._say(f"{exercise.title} ({exercise.id})", "bold")
        if isinstance(given, HintsShut):
            for number, text in enumerate(given.given, start=1):
                self._say(f"Hint {number}: {text}")
            self._say("These are all." if given.is_last else "The next hint opens after another attempt.", "dim")
        else:
            self._say(
                (f"Hint {given.level} of {given.of}: " if given.level else "From your last attempt: ") + given.text
            )
        if cost := what_hints_cost(self._workspace.course, given, done):
            self._say(cost, "dim")

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
        self._console.print(Text(encodable(text, self._console.encoding), style=style))

    def _foot(self) -> None:
        self._console.print()
        current = f"{self._name_of(self._current)} is current. " if self._current else ""
        for line in self._key_lines() if self._has_keys else ["Ctrl-C ends it."]:
            self._say(line, "dim")
        self._say(f"{current}Save a file to have it checked.", "dim")

    def _key_lines(self) -> list[str]:
        """The keys and their actions, without a line break between key and action."""
        lines = [""]
        for key, what in KEYS.items():
            longer = f"{lines[-1]}  {key} {what}".strip()
            if len(longer) > self._console.width:
                lines.append(f"{key} {what}")
            else:
                lines[-1] = longer
        return lines

    @staticmethod
    def _name_of(work: Work) -> str:
        return safe_line(work.exercise.id) + (" (review)" if work.is_review else "")

    def _known(self) -> Progress:
        try:
            return self._file.read()
        except (DamagedProgress, OSError) as error:
            self._say(str(error), "red")
            return Progress()


def _apart(works: Sequence[Work]) -> list[list[Work]]:
    """Split works into submissions: an exercise and its review cannot be in the same one."""
    parts = [[work for work in works if work.is_review == is_review] for is_review in (False, True)]
    return [part for part in parts if part]


def _sum_of(record: Record) -> str:
    """How many of several exercises passed, as one line."""
    from grader.render.wording import counted, passed_count, score

    failed = [safe_line(result.id) for result in record.exercises if result.status not in ("passed", "partly")]
    points = f"{score(record.points)} of {score(record.max_points)} points"
    sum = f"{passed_count(record)} of {counted(len(record.exercises), 'exercise')} passed, {points}."
    return f"{sum} To do: {', '.join(failed)}" if failed else sum
