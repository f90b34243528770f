"""The bank of known mistakes: it proves the checks, and tells learners what they probably did."""

from __future__ import annotations

import ast
import runpy
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

from grader.course.model import FAMILIES

from .authored import fault, place
from .edits import Edit, edited
from .faults import BankError


@dataclass(frozen=True)
class Mistake:
    """One wrong answer, as an edit of the reference solution or as a whole file of its own.

    `edits`: (text of the reference, what stands there instead) pairs; each text must occur exactly once, unless
    `everywhere`. `message`: what the learner probably did and what to look at.
    `caught_by`: the check that must fail, if it is not the exercise's first main check.
    `remembers`: what it answers in a case depends on the cases before it in the same question.
    `same_as`: another mistake that gives the same numbers on every legal input, so that either name is right.
    `where`: the bank's file, and the line where the id stands if it stands there; for its author.
    """

    id: str
    message: str
    caught_by: str = ""
    edits: Sequence[Edit] = ()
    source: str = ""
    same_as: str = ""
    everywhere: bool = False
    remembers: bool = False
    where: str = field(default="", repr=False, compare=False)

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
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def load_bank(path: Path) -> tuple[Mistake, ...]:
    """Read MISTAKES from an exercise's bank (trusted, part of the course).

    Raises BankError when there is no bank, or when it cannot be used as written.
    """
    if not path.is_file():
        raise BankError(f"{place(path)}: there is no bank of mistakes")
    lines = path.read_text(encoding="utf-8").splitlines()
    mistakes = _run(path).get("MISTAKES")
    if not isinstance(mistakes, list) or not all(isinstance(mistake, Mistake) for mistake in mistakes):
        raise BankError(f"{place(path)}: MISTAKES must be a list of Mistake")
    ids = [mistake.id for mistake in mistakes]
    if twice := next((id for id in ids if ids.count(id) > 1), None):
        raise BankError(f"{place(path, _lines_of(twice, lines)[-1])}: {twice!r} is the id of two mistakes: rename one")
    return tuple(replace(mistake, where=place(path, _lines_of(mistake.id, lines)[0])) for mistake in mistakes)


def without(mistakes: Sequence[Mistake], *ids: str) -> list[Mistake]:
    """Those of a family but for some. Raises BankError for an id that is none of theirs."""
    if unknown := set(ids) - {mistake.id for mistake in mistakes}:
        raise BankError(f"without {min(unknown)!r}: there are only {', '.join(mistake.id for mistake in mistakes)}")
    return [mistake for mistake in mistakes if mistake.id not in ids]


def _run(path: Path) -> dict[str, Any]:
    try:
        with _families_beside(path.parents[2]):
            return runpy.run_path(str(path))
    except Exception as error:
        raise BankError(fault(error, path)) from None


@contextmanager
def _families_beside(kits: Path) -> Iterator[None]:
    """Meanwhile `from families import NAME` finds the files of this course, afterwards those of another."""
    writes_nothing, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, str(kits))
    invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(kits))
        sys.dont_write_bytecode = writes_nothing
        for name in [name for name in sys.modules if name.partition(".")[0] == FAMILIES]:
            del sys.modules[name]


def _lines_of(id: str, lines: Sequence[str]) -> list[int]:
    """The lines where the id stands; only 0 when a family gave it."""
    return [number for number, line in enumerate(lines, 1) if f'"{id}"' in line or f"'{id}'" in line] or [0]


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


def kept_in_evaluation(caught_by: str = "", *, forward: str = "def forward(self, ") -> Mistake:
    """A module that caches its first result in eval() while the shapes stay the same."""
    return Mistake(
        "kept-in-evaluation",
        "In eval() a second input of the same shape gets the result of the first: a result is kept from call to call. "
        "Each call computes its result from its own input.",
        caught_by,
        edits=[(forward, forward.replace("def forward(self, ", KEPT_BY_A_MODULE))],
    )


def kept_from_the_last_call(entry: str, caught_by: str = "") -> Mistake:
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
