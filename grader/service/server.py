"""The process of the warm judge of one course, until course or program change or nobody has asked for a while.

The main thread grades, one request after another: torch's settings belong to a thread. Each caller has a thread that
takes the request, and ends the judge if the caller goes while it works for that caller.
"""

from __future__ import annotations

import os
import secrets
import sys
import tempfile
import threading
import time
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, Listener, answer_challenge, deliver_challenge
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NoReturn, cast

from grader.errors import KataError
from grader.intake import Submission
from grader.record import Mismatch
from grader.sandbox.levels import Level, MachineError, launch_ahead

from .client import (
    REPLY,
    REQUEST,
    Registration,
    Reply,
    Request,
    course_stamp,
    judges_folder,
    register,
    registered,
    unregister,
)

if TYPE_CHECKING:
    from grader.judge.grading import Judge
    from grader.record import Record

IDLE_SECONDS = 15 * 60.0
LOOK_SECONDS = 3.0
"""How often an idle judge checks whether it should end."""
ABANDONED_SECONDS = 2.0
"""A judge ends this long after its caller has gone, if it is still at work on that request."""
SEND_SECONDS = 10.0


class Server:
    """Accepts requests, answers one after another, and ends when it is no longer needed."""

    def __init__(self, name: str, course: Path, level: Level, stamp: str) -> None:
        """Register, and accept callers from now on. Raises OSError, ServiceError, MachineError."""
        self._course, self._level, self._stamp = course, level, stamp
        self._launched = launch_ahead(level)  # first, so that torch loads there meanwhile
        self._judge: Judge | None = None
        self._queue: SimpleQueue[tuple[Request, Connection]] = SimpleQueue()
        self._caller: Connection | None = None
        """Whose request is being graded."""
        self._folder = judges_folder()
        if os.name != "nt":
            tempfile.tempdir = "/tmp"  # on macOS a socket's path may have 103 bytes
        listener = Listener(backlog=16)  # on Windows a pipe; elsewhere a socket in a folder that is the user's alone
        self._key = secrets.token_bytes(32)
        self._known = Registration(name, os.getpid(), str(listener.address), self._key.hex(), str(course), level)
        register(self._folder, self._known)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener: Listener) -> None:
        while True:
            try:
                connection = listener.accept()
            except OSError:
                time.sleep(LOOK_SECONDS)  # such as too many open files
                continue
            threading.Thread(target=self._attend, args=(connection,), daemon=True).start()

    def _attend(self, caller: Connection) -> None:
        """Take the request of a caller who has the key; end the judge if the caller goes while it is graded."""
        with caller, suppress(OSError, EOFError, ValueError, AssertionError, AuthenticationError):
            deliver_challenge(caller, self._key)
            answer_challenge(caller, self._key)
            self._queue.put((REQUEST.validate_json(caller.recv_bytes()), caller))
            with suppress(OSError):
                caller.poll(None)  # a caller sends nothing more, so it has gone then
            time.sleep(ABANDONED_SECONDS)
            if self._caller is caller:  # the others ask a new judge, and need not wait for the end of this
                self._leave()

    def run(self) -> NoReturn:
        """Answer one request after another, until this judge is no longer needed."""
        worked = time.monotonic()
        while True:
            try:
                request, caller = self._queue.get(timeout=LOOK_SECONDS)
            except Empty:
                is_idle = time.monotonic() - worked > IDLE_SECONDS
                if is_idle or self._is_stale() or self._known not in registered(self._folder, self._known.name):
                    self._leave()
                continue
            self._caller = caller
            with suppress(OSError):  # the caller has gone, and there is nothing more to do
                self._answer(request, caller)
            worked, self._caller = time.monotonic(), None

    def _answer(self, request: Request, caller: Connection) -> None:
        """Send all replies to a request. Raises OSError when the caller has gone before it begins."""
        if caller.poll():  # a caller sends nothing more, so it has gone then
            return
        submission = None if self._is_stale() else request.submission
        last = Reply("ended") if submission is None else self._graded(request, submission, caller)
        sending = threading.Thread(target=_send, args=(last, caller), daemon=True)  # one that was stopped takes nothing
        if last.kind == "graded":
            sending.start()
            return
        unregister(self._folder, self._known)  # after an error its state is unknown
        sending.start()
        sending.join(SEND_SECONDS)
        self._leave()

    def _graded(self, request: Request, submission: Submission, caller: Connection) -> Reply:
        """The record, or why there is none. The judge is loaded for the first request."""
        from grader.course import load_course
        from grader.judge.grading import Judge

        records: list[Record] = []
        mismatches: list[tuple[str, str, Mismatch]] = []
        try:
            if self._judge is None:
                self._judge = Judge(load_course(self._course), self._level, 0, launched=self._launched)
            self._judge.choose(request.only)
            self._judge.seed = request.seed
            self._judge.grade(
                [submission],
                records.append,
                lambda exercise: _send(Reply("advance", exercise), caller),
                lambda _, *shown: mismatches.append(shown),
            )
        except (MachineError, KataError) as error:
            return Reply("machine" if isinstance(error, MachineError) else "broken", str(error))
        except Exception as error:
            return Reply("broken", f"The judge broke ({type(error).__name__}: {error}). That is no fault of your code.")
        return Reply("graded", records[0].to_json(), tuple(mismatches))

    def _is_stale(self) -> bool:
        """Whether the course or the program have changed."""
        return course_stamp(self._course) != self._stamp

    def _leave(self) -> NoReturn:
        """Unregister and exit, with the zygote and all workers."""
        unregister(self._folder, self._known)
        with suppress(Exception):
            if self._judge is not None:
                self._judge.close()
        os._exit(0)


def _send(reply: Reply, caller: Connection) -> None:
    with suppress(OSError):  # the caller is gone: its thread finds out
        caller.send_bytes(REPLY.dump_json(reply))


if __name__ == "__main__":
    _, name, course, level, stamp = sys.argv
    Server(name, Path(course), cast(Level, level), stamp).run()
