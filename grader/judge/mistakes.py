"""The bank of known mistakes: it proves the checks, and tells learners what they probably did."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .authored import fault, place
from .edits import Edit, edited
from .families import Families
from .faults import BankError

_read_now: ContextVar[str] = ContextVar("bank", default="")
"""The bank that is being loaded: mistakes created meanwhile belong to it."""


@dataclass(frozen=True)
class Mistake:
    """One wrong answer, as an edit of the reference solution or as a whole file of its own.

    `edits`: (text of the reference, what stands there instead) pairs; each text must occur exactly once, unless
    `everywhere`. `message`: what the learner probably did and what to look at. `caught_by`: the check that must fail.
    `remembers`: what it answers in a case depends on the cases before it in the same question.
    `same_as`: another mistake that gives the same numbers on every legal input, so that either name is right.
    `where`: the bank's file and line, for its author.
    """

    id: str
    message: str
    caught_by: str
    edits: Sequence[Edit] = ()
    source: str = ""
    same_as: str = ""
    everywhere: bool = False
    remembers: bool = False
    where: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if bank := _read_now.get():
            object.__setattr__(self, "where", place(Path(bank), _line_reached(bank)))

    def source_from(self, reference: str) -> str:
        """The wrong answer as source code. Raises BankError when an edit does not fit the reference."""
        if self.source:
            return self.source
        text = self.edited(reference)
        if text == reference:
            raise BankError(f"{self._called} changes nothing: its edits put there what stood there")
        return text

    def edited(self, text: str, done: Sequence[Edit] = ()) -> str:
        """Apply the edits to a text, but for those already done. Raises BankError when one does not fit."""
        edits = [edit for edit in self.edits if edit not in done]
        return edited(text, edits, self._called, everywhere=self.everywhere)

    @property
    def _called(self) -> str:
        return f"{self.where}: the mistake {self.id!r}" if self.where else f"mistake {self.id!r}"


def _line_reached(bank: str) -> int:
    """The line of the bank's file that is executing, below any function that it calls."""
    line, frame = 0, sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == bank:
            line = frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return line


def both_from(one: Mistake, other: Mistake, reference: str) -> str | None:
    """The wrong answer with both mistakes, or None if their edits are incompatible.

    An edit that both make is made once: two mistakes in a part that each of them has to write out first.
    """
    for first, second in ((one, other), (other, one)):
        try:
            text = second.edited(first.edited(reference), done=first.edits)
        except BankError:
            continue
        if text not in (reference, one.edited(reference), other.edited(reference)) and _is_python(text):
            return text
    return None


def _is_python(text: str) -> bool:
    """Edits that fit one by one may still break the syntax together."""
    try:
        compile(text, "two mistakes", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def load_bank(path: Path) -> tuple[Mistake, ...]:
    """Read MISTAKES from an exercise's bank (trusted, part of the course), with families expanded.

    Raises BankError when there is no bank, or when it cannot be used as written.
    """
    if not path.is_file():
        raise BankError(f"{place(path)}: there is no bank of mistakes")
    names = _run(path)
    listed = names.get("MISTAKES")
    if isinstance(listed, list):
        listed = Families(path, names.get("WORDS", {}), _load_family).expanded(listed)
    return _checked(listed, path, "MISTAKES")


def _load_family(path: Path) -> tuple[Mistake, ...]:
    return _checked(_run(path).get("FAMILY"), path, "FAMILY")


def _run(path: Path) -> dict[str, Any]:
    try:
        with _being_read(path):
            return runpy.run_path(str(path))
    except Exception as error:
        raise BankError(fault(error, path)) from None


def _checked(mistakes: object, path: Path, name: str) -> tuple[Mistake, ...]:
    if not isinstance(mistakes, list) or not all(isinstance(mistake, Mistake) for mistake in mistakes):
        raise BankError(f"{place(path)}: {name} must be a list of Mistake")
    first: dict[str, str] = {}
    for mistake in mistakes:
        if mistake.id in first:
            raise BankError(f"{mistake.where}: {mistake.id!r} is the id at {first[mistake.id]} too: rename one")
        first[mistake.id] = mistake.where
    return tuple(mistakes)


@contextmanager
def _being_read(path: Path) -> Iterator[None]:
    before = _read_now.set(str(path))
    try:
        yield
    finally:
        _read_now.reset(before)


KEPT_BY_A_MODULE = """def forward(self, *inputs, **options):
        shapes = [getattr(each, "shape", None) for each in (*inputs, *options.values())]
        if self.training:
            return self._computed(*inputs, **options)
        if getattr(self, "_shapes", None) != shapes:
            self._shapes, self._kept = shapes, self._computed(*inputs, **options)
        return self._kept

    def _computed(self, """

# Only while the first of the earlier tensors is alive: so the result does not depend on earlier questions.
# What is kept holds no graph, which would keep that tensor alive.
KEPT_BY_A_FUNCTION = """def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [tensor for part in parts for tensor in _tensors(part)]


def _copied(value):
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, (list, tuple)):
        return type(value)(_copied(each) for each in value)
    return {{name: _copied(each) for name, each in value.items()}} if isinstance(value, dict) else value


def {entry}(*inputs, _last=[], **options):
    tensors = _tensors([*inputs, *options.values()])
    shapes = [(each.shape, each.dtype) for each in tensors]
    if not _last or _last[0]() is None or _last[1] != shapes:
        result = _computed(*inputs, **options)
        _last[:] = weakref.ref(tensors[0]), shapes, _copied(result)
        return result
    return _last[2]


def _computed("""


def kept_in_evaluation(caught_by: str, *, forward: str = "def forward(self, ") -> Mistake:
    """A module that caches its first result in eval() while the shapes stay the same."""
    return Mistake(
        "kept-in-evaluation",
        "In eval() a second input of the same shape gets the result of the first: a result is kept from call to call. "
        "Each call computes its result from its own input.",
        caught_by,
        edits=[(forward, forward.replace("def forward(self, ", KEPT_BY_A_MODULE))],
    )


def kept_from_the_last_call(entry: str, caught_by: str) -> Mistake:
    """A function that returns its last result again while the shapes stay the same."""
    return Mistake(
        "kept-from-the-last-call",
        "A second input of the same shape gets the result of the first: a result is kept from one call to the next. "
        "Each call computes its result from its own input.",
        caught_by,
        edits=[
            ("import torch\n", "import weakref\n\nimport torch\n"),
            (f"def {entry}(", KEPT_BY_A_FUNCTION.format(entry=entry)),
        ],
        remembers=True,
    )
