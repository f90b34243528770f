"""A real pseudo-terminal with a command in it, and what a person would see on its screen."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pexpect
import pyte
import pytest

COLUMNS, LINES = 100, 60


class Terminal:
    """Runs a command in a pseudo-terminal and keeps its screen."""

    def __init__(self, command: Sequence[str], cwd: Path, variables: Mapping[str, str]) -> None:
        environment = {**os.environ, **variables, "TERM": "xterm-256color"}
        for name in ("COLUMNS", "LINES", "NO_COLOR"):
            environment.pop(name, None)
        self.child = pexpect.spawn(
            command[0], list(command[1:]), cwd=str(cwd), env=environment, dimensions=(LINES, COLUMNS), encoding=None
        )
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)

    def read(self, seconds: float = 0.02) -> str:
        """Take what was written within some time; return the screen's text, without blanks at the ends of its lines."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                self._stream.feed(self.child.read_nonblocking(65536, timeout=max(0.0, deadline - time.monotonic())))
            except (pexpect.TIMEOUT, pexpect.EOF):
                return self.text
            if time.monotonic() >= deadline:
                return self.text

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display).strip()

    def wait_for(self, holds: str | Callable[[str], bool], seconds: float = 60.0) -> str:
        """Read until the screen shows a text, or until `holds` of it; fail with the screen when it never does."""
        is_there = (lambda screen: holds in screen) if isinstance(holds, str) else holds
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if is_there(self.read()):
                return self.text
            if not self.child.isalive() and is_there(self.read(0.2)):
                return self.text
        raise AssertionError(f"not seen within {seconds:g} s: {holds}\n{self.text}")

    def press(self, key: str) -> None:
        self.child.send(key)

    def await_end(self, seconds: float = 20.0) -> int:
        """Wait for the command's end; return its exit status."""
        deadline = time.monotonic() + seconds
        while self.child.isalive() and time.monotonic() < deadline:
            self.read()
        assert not self.child.isalive(), f"still running\n{self.text}"
        self.child.close()
        return self.child.exitstatus if self.child.exitstatus is not None else -(self.child.signalstatus or 0)

    def close(self, seconds: float = 20.0) -> None:
        """End the command. pexpect waits a tenth of a second after its last signal, which is short on a busy machine."""
        with suppress(pexpect.ExceptionPexpect):
            self.child.close(force=True)
        deadline = time.monotonic() + seconds
        while self.child.isalive() and time.monotonic() < deadline:
            time.sleep(0.05)


@pytest.fixture(scope="module")
def open_terminal(course_in: Callable[[Path], dict[str, str]]) -> Iterator[Callable[..., Terminal]]:
    """Opens a terminal with `kata` and these arguments in it, in a folder; it is closed after the tests of the file."""
    opened: list[Terminal] = []

    def open_one(*arguments: str, cwd: Path) -> Terminal:
        opened.append(Terminal([str(Path(sys.executable).with_name("kata")), *arguments], cwd, course_in(cwd)))
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()
