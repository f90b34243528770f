"""pytest-timeout's limit for one check, in seconds in which the judge runs: while it is stopped (Ctrl-Z) none pass.

The limit is there in case the judge's own deadlines fail. By the clock on the wall, a judge that was stopped for some
minutes would find its limit passed, in the middle of whatever it does, and blame the answer that it has at hand.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType

import pytest

TICK_SECONDS = 1.0


class Overdue(Exception):
    """A check that was not done in time."""


class Limit:
    """A pytest plugin that takes the place of pytest-timeout's own timer where there are signals."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: object) -> bool | None:
        """Count the seconds until the limit. None where only pytest-timeout itself can: in another thread."""
        if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
            return None
        self._left = float(settings.timeout)  # type: ignore[attr-defined]
        self._before = signal.signal(signal.SIGALRM, self._tick)
        # however long the process is stopped, one tick at most comes of it
        signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS, TICK_SECONDS)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_timeout_cancel_timer(self, item: pytest.Item) -> bool | None:
        """Stop counting."""
        if not hasattr(self, "_before"):
            return None
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        del self._before
        return True

    def _tick(self, number: int, frame: FrameType | None) -> None:
        self._left -= TICK_SECONDS
        if self._left <= 0:
            raise Overdue("it was not done in time")
