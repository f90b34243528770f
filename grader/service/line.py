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

from .place import Registration, ServiceError

REFUSALS = (OSError, EOFError, ValueError, AuthenticationError)
SOCKET = "socket"
LOCAL_PEERCRED, SOL_LOCAL, XUCRED_BYTES = 1, 0, 76  # macOS: <sys/un.h>, <sys/ucred.h>


def listen() -> tuple[Listener, str, str]:
    """A new line to be reached on; its address and the family of it. Raises OSError."""
    if os.name == "nt":
        address, family = rf"\\.\pipe\attention-kata-{secrets.token_hex(16)}", "AF_PIPE"
    else:
        # a folder of its own in the temporary one: the names of sockets must be short
        address, family = os.path.join(tempfile.mkdtemp(prefix="kata-"), SOCKET), "AF_UNIX"
    return Listener(address, family, backlog=16), address, family


def take_down(address: str, family: str) -> None:
    """Take away what `listen` made."""
    if family == "AF_UNIX":
        for remove, place in ((os.unlink, address), (os.rmdir, os.path.dirname(address))):
            with suppress(OSError):
                remove(place)


def call(registration: Registration) -> Connection:
    """A line to a judge that is known. Raises ServiceError when it is not there, or is not the user's own."""
    key = bytes.fromhex(registration.key)
    try:
        line = Client(registration.address, registration.family)
    except OSError:
        raise ServiceError("The judge that was kept warm is gone.") from None
    try:
        demand_own(line)
        answer_challenge(line, key)
        deliver_challenge(line, key)
    except (*REFUSALS, ServiceError) as error:
        line.close()
        raise ServiceError("The judge that was kept warm does not know this user.") from error
    return line


def admit(line: Connection, key: bytes) -> bool:
    """Whether who called is the user, and knows the key."""
    try:
        demand_own(line)
        deliver_challenge(line, key)
        answer_challenge(line, key)
    except (*REFUSALS, ServiceError):
        return False
    return True


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
