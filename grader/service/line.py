"""The line between a command and the judge that is kept warm, and the proof on both ends that it is the user's own.

What goes over it is JSON, as bytes; nothing is pickled.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import socket
import struct
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, answer_challenge, deliver_challenge
from typing import Any, Literal

from grader.intake import Problem, SourceFile, Submission
from grader.mismatch import Mismatch

from .place import Registration, ServiceError

What = Literal["grade", "checks", "end"]
"""Grade a submission; name the checks; end."""


@dataclass(frozen=True)
class Request:
    """What a command asks. `only` names the exercises: none for all.

    tries_references: nothing is graded before the references have got full marks with this seed.
    """

    what: What
    seed: int = 0
    only: tuple[str, ...] = ()
    submission: Submission | None = None
    tries_references: bool = False

    def to_bytes(self) -> bytes:
        """As it is sent."""
        told: dict[str, Any] = {"what": self.what, "seed": self.seed, "only": list(self.only)}
        told["tries"] = self.tries_references
        if self.submission is not None:
            told["submission"] = _submission_told(self.submission)
        return _told(told)

    @classmethod
    def read(cls, message: bytes) -> Request:
        """A request as it came."""
        told = json.loads(message)
        submission = _submission_read(told["submission"]) if "submission" in told else None
        return cls(told["what"], told["seed"], tuple(told["only"]), submission, told["tries"])


@dataclass(frozen=True)
class Reply:
    """A part of an answer; `kind` says which, and whether it is the last one. "waiting": others were first."""

    kind: Literal["waiting", "begun", "advance", "mismatch", "record", "checks", "done", "machine", "broken", "stale"]
    value: Any = None

    @property
    def is_last(self) -> bool:
        """Whether nothing more comes."""
        return self.kind not in ("waiting", "begun", "advance", "mismatch")

    def to_bytes(self) -> bytes:
        """As it is sent."""
        return _told({"kind": self.kind, "value": self.value})

    @classmethod
    def read(cls, message: bytes) -> Reply:
        """A reply as it came."""
        told = json.loads(message)
        return cls(told["kind"], told["value"])


def mismatch_told(exercise: str, check: str, mismatch: Mismatch) -> list[Any]:
    """What there is to see of a check, as a value of a reply."""
    planes = (mismatch.came, mismatch.expected, mismatch.wrong)
    return [exercise, check, mismatch.what, mismatch.axes, *planes, mismatch.note, mismatch.start]


def mismatch_read(told: Sequence[Any]) -> tuple[str, str, Mismatch]:
    """The names of exercise and check, and the mismatch."""
    exercise, check, what, axes, came, expected, wrong, note, start = told
    planes: Mapping[str, Any] = {"came": _plane(came), "expected": _plane(expected), "wrong": _plane(wrong)}
    return exercise, check, Mismatch(what=what, axes=tuple(axes), note=note, start=(start[0], start[1]), **planes)


def _plane(rows: Sequence[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, rows))


def _submission_told(submission: Submission) -> dict[str, Any]:
    return {
        "name": submission.name,
        "sources": [
            [each.exercise, each.name, base64.b64encode(each.content).decode("ascii")]
            for each in submission.sources.values()
        ],
        "problems": [[each.file, each.kind, each.message, each.exercise] for each in submission.problems],
    }


def _submission_read(told: Mapping[str, Any]) -> Submission:
    sources = [SourceFile(id, name, base64.b64decode(content)) for id, name, content in told["sources"]]
    problems = tuple(Problem(*each) for each in told["problems"])
    return Submission(told["name"], {each.exercise: each for each in sources}, problems)


def _told(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii")


GREET_SECONDS = 10.0
"""For each word of a greeting: who is stopped, or never speaks, is waited for no longer."""
REFUSALS = (OSError, EOFError, ValueError, AssertionError, AuthenticationError)
SOCKET = "socket"
MOST_BYTES_OF_ROOM = 80
"""Of the name of a folder for sockets: on macOS a socket's may have 103 bytes."""
LOCAL_PEERCRED, SOL_LOCAL, XUCRED_BYTES = 1, 0, 76  # macOS: <sys/un.h>, <sys/ucred.h>


def listen() -> tuple[Listener, str, str]:
    """A new line to be reached on; its address and the family of it. Raises OSError."""
    if os.name == "nt":
        address, family = rf"\\.\pipe\attention-kata-{secrets.token_hex(16)}", "AF_PIPE"
    else:
        address, family = os.path.join(tempfile.mkdtemp(prefix="kata-", dir=_room()), SOCKET), "AF_UNIX"
    return Listener(address, family, backlog=16), address, family


def _room() -> str:
    """The temporary folder, or where that has a long name /tmp: the names of sockets must be short."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= MOST_BYTES_OF_ROOM else "/tmp"


def take_down(address: str, family: str) -> None:
    """Take away what `listen` made."""
    if family == "AF_UNIX":
        for remove, place in ((os.unlink, address), (os.rmdir, os.path.dirname(address))):
            with suppress(OSError):
                remove(place)


def call(registration: Registration) -> Connection:
    """A line to a judge that is known. Raises ServiceError when it is not there, or is not the user's own."""
    try:
        key = bytes.fromhex(registration.key)
        line = Client(registration.address, registration.family)
    except (OSError, ValueError) as error:
        if isinstance(error, ConnectionRefusedError):  # it was killed
            take_down(registration.address, registration.family)
        raise ServiceError("The judge that was kept warm is gone.") from None
    try:
        demand_own(line)
        greeting: Any = _Greeting(line)
        answer_challenge(greeting, key)
        deliver_challenge(greeting, key)
    except (*REFUSALS, ServiceError) as error:
        line.close()
        raise ServiceError("The judge that was kept warm does not know this user.") from error
    return line


def admit(line: Connection, key: bytes) -> bool:
    """Whether who called is the user, and knows the key."""
    try:
        demand_own(line)
        greeting: Any = _Greeting(line)
        deliver_challenge(greeting, key)
        answer_challenge(greeting, key)
    except (*REFUSALS, ServiceError):
        return False
    return True


class _Greeting:
    """A line on which nobody is waited for without end; what is sent here fits into it at once."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self.send_bytes = line.send_bytes

    def recv_bytes(self, most: int) -> bytes:
        """The next word. Raises EOFError when none comes in time."""
        if not self._line.poll(GREET_SECONDS):
            raise EOFError
        return self._line.recv_bytes(most)


def demand_own(line: Connection) -> None:
    """Raise ServiceError when another user's process is at the other end. Where nobody can tell, the key decides."""
    other = peer_of(line)
    if other is not None and other != os.geteuid():
        raise ServiceError("Another user's process is at the other end.")


def peer_of(line: Connection) -> int | None:
    """The user whose process is at the other end of a line; None where the system doesn't say."""
    if os.name == "nt":
        return None
    with socket.socket(fileno=os.dup(line.fileno())) as end:
        if hasattr(socket, "SO_PEERCRED"):
            told = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", told)[1])
        if sys.platform == "darwin":
            return int(struct.unpack_from("=II", end.getsockopt(SOL_LOCAL, LOCAL_PEERCRED, XUCRED_BYTES))[1])
    return None
