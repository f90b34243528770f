"""Python's debugger for a learner's file: it stops only in the learner's lines, and hides the grader's frames."""

from __future__ import annotations

import pdb
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

CONSTRUCTORS = ("__init__", "__post_init__")


class Debugger(pdb.Pdb):
    """Python's debugger, restricted to one file."""

    def __init__(self, file: str) -> None:
        super().__init__(nosigint=True)
        self._file = self.canonic(file)
        self._passes_over: tuple[str, ...] = ()
        self.has_stopped = False

    def step_through(self, run: Callable[[], object], *, from_constructor: bool) -> None:
        """Run something and stop at the learner's first line; in a constructor only if from_constructor.

        Raises what it raises, BdbQuit when the learner quits.
        """
        self._passes_over = () if from_constructor else CONSTRUCTORS
        self.reset()
        sys.settrace(self.trace_dispatch)
        try:
            run()
        finally:
            sys.settrace(None)

    def look_back(self, trace: TracebackType) -> None:
        """Open the debugger where an exception was raised."""
        self.has_stopped = True
        self.reset()
        self.interaction(None, trace)

    @contextmanager
    def at_breakpoints(self) -> Iterator[None]:
        """Make `breakpoint()` and `pdb.set_trace()` open this debugger."""

        def stop(*_: object, **__: object) -> None:
            self._passes_over = ()
            self.set_trace(sys._getframe(1))

        with _instead_of_breakpoints(stop):
            try:
                yield
            finally:
                sys.settrace(None)

    def stop_here(self, frame: FrameType) -> bool:
        """Whether to stop in this frame."""
        return self._is_own(frame) and frame.f_code.co_name not in self._passes_over and bool(super().stop_here(frame))

    def user_call(self, frame: FrameType, argument_list: None) -> None:
        """Do nothing at a call: stop at the function's first line instead."""

    def user_line(self, frame: FrameType) -> None:
        """Stop at a line."""
        self.has_stopped, self._passes_over = True, ()
        super().user_line(frame)

    def get_stack(self, f: FrameType | None, t: TracebackType | None) -> tuple[list[tuple[FrameType, int]], int]:
        """The stack from the learner's first frame on, so that `up` never shows the grader's frames."""
        stack, current = super().get_stack(f, t)
        ours = next((place for place, (frame, _) in enumerate(stack) if self._is_own(frame)), 0)
        return stack[ours:], max(0, current - ours)

    def _is_own(self, frame: FrameType) -> bool:
        return bool(self.canonic(frame.f_code.co_filename) == self._file)


@contextmanager
def no_breakpoints() -> Iterator[None]:
    """Ignore `breakpoint()` and `pdb.set_trace()`."""

    def go_on(*_: object, **__: object) -> None:
        """Do nothing."""

    with _instead_of_breakpoints(go_on):
        yield


@contextmanager
def _instead_of_breakpoints(do: Callable[..., None]) -> Iterator[None]:
    before = sys.breakpointhook, pdb.set_trace
    sys.breakpointhook = pdb.set_trace = do
    try:
        yield
    finally:
        sys.breakpointhook, pdb.set_trace = before
