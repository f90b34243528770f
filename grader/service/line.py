"""The connection between a command and the warm judge, and how both ends authenticate each other.

Messages are JSON, as bytes; nothing is pickled.
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
"""Grade a submission; list the checks; end."""


@dataclass(frozen=True)
class Request:
    """A command's request. `only` names the exercises; empty means all.

    tries_references: grade nothing until the references have got full marks with this seed.
    """

    what: What
    seed: int = 0
    only: tuple[str, ...] = ()
    submission: Submission | None = None
    tries_references: bool = False

    def to_bytes(self) -> bytes:
        """Encode it for sending."""
        told: dict[str, Any] = {"what": self.what, "seed": self.seed, "only": list(self.only)}
        told["tries"] = self.tries_references
        if self.submission is not None:
            told["submission"] = _submission_told(self.submission)
        return _told(told)

    @classmethod
    def read(cls, message: bytes) -> Request:
        """Decode a request."""
        told = json.loads(message)
        submission = _submission_read(told["submission"]) if "submission" in told else None
        return cls(told["what"], told["seed"], tuple(told["only"]), submission, told["tries"])


@dataclass(frozen=True)
class Reply:
    """One message of an answer; `kind` says which, and whether it is the last. "waiting": other requests come first."""

    kind: Literal["waiting", "begun", "advance", "mismatch", "record", "checks", "done", "machine", "broken", "stale"]
    value: Any = None

    @property
    def is_last(self) -> bool:
        """Whether no more messages follow."""
        return self.kind not in ("waiting", "begun", "advance", "mismatch")

    def to_bytes(self) -> bytes:
        """Encode it for sending."""
        return _told({"kind": self.kind, "value": self.value})

    @classmethod
    def read(cls, message: bytes) -> Reply:
        """Decode a reply."""
        told = json.loads(message)
        return cls(told["kind"], told["value"])


def mismatch_told(exercise: str, check: str, mismatch: Mismatch) -> list[Any]:
    """Encode a check's mismatch as the value of a reply."""
    planes = (mismatch.came, mismatch.expected, mismatch.wrong)
    return [exercise, check, mismatch.what, mismatch.axes, *planes, mismatch.note, mismatch.start]


def mismatch_read(told: Sequence[Any]) -> tuple[str, str, Mismatch]:
    """Decode exercise, check and mismatch."""
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
"""Timeout for each message of the handshake, for a peer that is stopped or silent."""
REFUSALS = (OSError, EOFError, ValueError, AssertionError, AuthenticationError)
SOCKET = "socket"
MOST_BYTES_OF_ROOM = 80
"""Limit for the name of the folder that holds the sockets: on macOS a socket's path may have 103 bytes."""
LOCAL_PEERCRED, SOL_LOCAL, XUCRED_BYTES = 1, 0, 76  # macOS: <sys/un.h>, <sys/ucred.h>


def listen() -> tuple[Listener, str, str]:
    """Listen on a new socket or pipe; return the listener, its address and the address family. Raises OSError."""
    if os.name == "nt":
        address, family = rf"\\.\pipe\attention-kata-{secrets.token_hex(16)}", "AF_PIPE"
    else:
        address, family = os.path.join(tempfile.mkdtemp(prefix="kata-", dir=_room()), SOCKET), "AF_UNIX"
    return Listener(address, family, backlog=16), address, family


def _room() -> str:
    """The temporary folder, or /tmp where that has a long name: paths of sockets must be short."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= MOST_BYTES_OF_ROOM else "/tmp"


def remove_socket(address: str, family: str) -> None:
    """Remove what `listen` created."""
    if family == "AF_UNIX":
        for remove, place in ((os.unlink, address), (os.rmdir, os.path.dirname(address))):
            with suppress(OSError):
                remove(place)


def call(registration: Registration) -> Connection:
    """Connect to a registered judge. Raises ServiceError when it is gone, or is not the user's own."""
    try:
        key = bytes.fromhex(registration.key)
        line = Client(registration.address, registration.family)
    except (OSError, ValueError) as error:
        if isinstance(error, ConnectionRefusedError):  # the judge was killed
            remove_socket(registration.address, registration.family)
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
    """Whether the caller is the same user and knows the key."""
    try:
        demand_own(line)
        greeting: Any = _Greeting(line)
        deliver_challenge(greeting, key)
        answer_challenge(greeting, key)
    except (*REFUSALS, ServiceError):
        return False
    return True


class _Greeting:
    """The handshake's view of a connection, with a timeout for reading; what is sent fits into the buffer at once."""

    def __init__(self, line: Connection) -> None:
        self._line = line
        self.send_bytes = line.send_bytes

    def recv_bytes(self, most: int) -> bytes:
        """The next message. Raises EOFError when none comes in time."""
        if not self._line.poll(GREET_SECONDS):
            raise EOFError
        return self._line.recv_bytes(most)


def demand_own(line: Connection) -> None:
    """Raise ServiceError when the peer is another user's process. Where the system can't tell, the key decides."""
    other = peer_of(line)
    if other is not None and other != os.geteuid():
        raise ServiceError("Another user's process is at the other end.")


def peer_of(line: Connection) -> int | None:
    """The user id of the peer's process; None where the system doesn't say."""
    if os.name == "nt":
        return None
    with socket.socket(fileno=os.dup(line.fileno())) as end:
        if hasattr(socket, "SO_PEERCRED"):
            told = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
            return int(struct.unpack("3i", told)[1])
        if sys.platform == "darwin":
            return int(struct.unpack_from("=II", end.getsockopt(SOL_LOCAL, LOCAL_PEERCRED, XUCRED_BYTES))[1])
    return None
