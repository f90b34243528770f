"""The line between a command and the judge that is kept warm, and the proof on both ends that it is the user's own."""

from __future__ import annotations

import os
import secrets
import socket
import struct
import sys
import tempfile
from contextlib import suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, answer_challenge, deliver_challenge
from typing import Any

from .place import Registration, ServiceError

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
