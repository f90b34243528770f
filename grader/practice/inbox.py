"""What happened while the watch was busy: saves melt into one, keys stay in order."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .workspace import Work


@dataclass(frozen=True)
class Saved:
    """These files were saved, each once."""

    works: tuple[Work, ...]


@dataclass(frozen=True)
class Pressed:
    """This key was pressed."""

    key: str


class Inbox:
    """Filled by the threads that listen, emptied by the one that grades."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._saved: dict[Path, Work] = {}
        self._keys: deque[str] = deque()

    def save(self, works: Iterable[Work]) -> None:
        """Note that these were saved."""
        with self._changed:
            self._saved.update({work.path: work for work in works})
            self._changed.notify()

    def press(self, key: str) -> None:
        """Note that a key was pressed."""
        with self._changed:
            self._keys.append(key)
            self._changed.notify()

    def take(self) -> Saved | Pressed:
        """Wait for the next thing to do: a key before a save, as it may be the one that quits."""
        with self._changed:
            self._changed.wait_for(lambda: self._keys or self._saved)
            if self._keys:
                return Pressed(self._keys.popleft())
            saved, self._saved = tuple(self._saved.values()), {}
            return Saved(saved)

    def was_saved_again(self, works: Iterable[Work]) -> bool:
        """Whether one of these was saved since it was taken."""
        with self._changed:
            return any(work.path in self._saved for work in works)
