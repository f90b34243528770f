"""The course's answers as a bundle may hold them: unreadable at a glance, and opened by `kata solution` after passing.

This keeps nothing secret. Whoever reads this file can open every seal, for what opens them is in the bundle too. It
only keeps an answer from being come upon: by a search through the files, say, or by a curious look.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path

HEAD = b"Sealed: `kata solution` opens it once the exercise is passed.\n"


class BrokenSeal(Exception):
    """A sealed file that cannot be opened; the text is one sentence for people."""


def sealed(text: str, course: str, exercise: str) -> bytes:
    """The text of an exercise's solution, sealed."""
    content = zlib.compress(text.encode("utf-8"), 9)
    return HEAD + _mixed(content, course, exercise)


def opened(path: Path, course: str, exercise: str) -> str:
    """The text in a sealed file. Raises BrokenSeal when it is damaged, OSError when it is not there."""
    content = path.read_bytes()
    try:
        if not content.startswith(HEAD):
            raise ValueError("not sealed")
        return zlib.decompress(_mixed(content[len(HEAD) :], course, exercise)).decode("utf-8")
    except (ValueError, zlib.error):
        raise BrokenSeal(f"{path.name} is damaged: unzip the bundle again") from None


def _mixed(content: bytes, course: str, exercise: str) -> bytes:
    """Mix bytes with a stream that follows from two names; done twice, they are as before."""
    return bytes(one ^ other for one, other in zip(content, _stream(course, exercise), strict=False))


def _stream(course: str, exercise: str) -> Iterator[int]:
    for number in count():
        yield from hashlib.sha256(f"{course}\0{exercise}\0{number}".encode()).digest()
