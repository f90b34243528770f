"""What the course knows of wrong and of other right answers, each written as an edit of the reference.

Known mistakes prove the checks, and tell learners what they probably did. Alternatives are right answers written
differently: they keep the checks fair, and `kata solution` shows them.
"""

from __future__ import annotations

import ast
import runpy
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

from grader.course import Course, Exercise
from grader.course.model import FAMILIES

from .faults import BankError, fault, place, told

Edit = tuple[str, str]


def edited(text: str, edits: Sequence[Edit], whose: str, *, everywhere: bool = False) -> str:
    """Apply edits one after another; each passage occurs exactly once, or at least once with `everywhere`.

    Raises BankError, which begins with `whose`, when a passage does not fit.
    """
    for old, new in edits:
        count = text.count(old)
        if count == 0 or (count > 1 and not everywhere):
            remedy = "take more of the line, or set everywhere=True" if count else "copy it from there"
            raise BankError(f"{whose}: {old!r} occurs {count} times in the reference: {remedy}")
        text = text.replace(old, new)
    return text


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
    mistakes = _run(path).get("MISTAKES")
    if not isinstance(mistakes, list) or not all(isinstance(mistake, Mistake) for mistake in mistakes):
        raise BankError(f"{place(path)}: MISTAKES must be a list of Mistake")
    lines = path.read_text(encoding="utf-8").splitlines()
    known: dict[str, Mistake] = {}
    for mistake in mistakes:
        id = mistake.id
        stands = [number for number, line in enumerate(lines, 1) if f'"{id}"' in line or f"'{id}'" in line] or [0]
        if id in known:
            raise BankError(f"{place(path, stands[-1])}: {id!r} is the id of two mistakes: rename one")
        known[id] = replace(mistake, where=place(path, stands[0]))
    return tuple(known.values())


def without(mistakes: Sequence[Mistake], *ids: str) -> list[Mistake]:
    """Those of a family but for some. Raises BankError for an id that is none of theirs."""
    if unknown := set(ids) - {mistake.id for mistake in mistakes}:
        raise BankError(f"without {min(unknown)!r}: there are only {', '.join(mistake.id for mistake in mistakes)}")
    return [mistake for mistake in mistakes if mistake.id not in ids]


def _run(path: Path) -> dict[str, Any]:
    """The names that a kit's file defines; in it `from families import NAME` finds the files of its own course."""
    kits, writes_nothing = str(path.parents[2]), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    sys.path.insert(0, kits)
    invalidate_caches()
    try:
        return runpy.run_path(str(path))
    except Exception as error:
        raise BankError(fault(error, path)) from None
    finally:
        sys.path.remove(kits)
        sys.dont_write_bytecode = writes_nothing
        for name in [name for name in sys.modules if name.partition(".")[0] == FAMILIES]:
            del sys.modules[name]  # another course has others


KEPT_BY_A_MODULE = """def forward(self, *inputs, **options):
        shapes = [getattr(each, "shape", None) for each in (*inputs, *options.values())]
        if self.training:
            return self._computed(*inputs, **options)
        if getattr(self, "_shapes", None) != shapes:
            self._shapes, self._kept = shapes, self._computed(*inputs, **options)
        return self._kept

    def _computed(self, """

KEPT_IMPORTS = "import weakref\n\nimport torch\nfrom torch.utils._pytree import tree_leaves, tree_map_only\n"

# Only while the first of the earlier tensors is alive: so the result does not depend on earlier questions.
# What is kept holds no graph, which would keep that tensor alive.
KEPT_BY_A_FUNCTION = """def {entry}(*inputs, _last=[], **options):
    tensors = [each for each in tree_leaves([inputs, options]) if isinstance(each, torch.Tensor)]
    shapes = [(each.shape, each.dtype) for each in tensors]
    if not _last or _last[0]() is None or _last[1] != shapes:
        result = _computed(*inputs, **options)
        kept = tree_map_only(torch.Tensor, lambda each: each.detach().clone(), result)
        _last[:] = weakref.ref(tensors[0]), shapes, kept
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
            ("import torch\n", KEPT_IMPORTS),
            (f"def {entry}(", KEPT_BY_A_FUNCTION.format(entry=entry)),
        ],
        remembers=True,
    )


# --- right answers that are written differently -----------------------------------------------------------------------

IMPORTS = (ast.Import, ast.ImportFrom)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MARKERS = ("# BEGIN SOLUTION", "# END SOLUTION")


def load_alternatives(course: Course, exercise: Exercise) -> dict[str, str]:
    """The sources of an exercise's alternatives by id; none where the course has none.

    Raises BankError when they cannot be used as written.
    """
    path = course.alternatives_path(exercise)
    if not path.is_file():
        return {}
    listed = _run(path).get("ALTERNATIVES")
    if not isinstance(listed, dict) or not all(isinstance(each, (str, list)) for each in listed.values()):
        raise BankError(f"{place(path)}: ALTERNATIVES must be a dict of ids, each with definitions or a list of edits")
    begun_from = course.stub_path if exercise.kind == "debug" else course.solution_path
    text = begun_from(exercise).read_text(encoding="utf-8")
    return {
        id: (defined_anew if isinstance(written, str) else edited)(text, written, f"{place(path)}: {id!r}")
        for id, written in listed.items()
    }


def defined_anew(reference: str, text: str, whose: str) -> str:
    """The reference, less its docstring, with the definitions of `text` in place of those of the same name.

    A class without `__init__` keeps the reference's methods that it does not write. What else stands in front of a
    definition comes along with it. Raises BankError, which begins with `whose`, when `text` defines nothing anew.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise BankError(f"{whose}: {told(error)} in line {error.lineno} of its definitions. Mend that line") from None
    reference = "\n".join(line for line in reference.splitlines() if line.strip() not in MARKERS)
    new, old = list(_statements(text, tree)), list(_statements(reference, ast.parse(reference)))
    named = {_name(node): node for node, _ in old if _name(node)}
    imports = [
        passage for part in (_statements(text, tree), old) for node, passage in part if isinstance(node, IMPORTS)
    ]
    imports.sort(key=lambda passage: passage.split()[1])  # by module: math, then torch, then torch.nn.functional
    ahead, anew = list[str](), dict[str, str]()
    for node, passage in new:
        if isinstance(node, IMPORTS):
            continue
        ahead.append(passage)
        if known := named.get(_name(node)):
            ahead[-1] = _completed(node, passage, known, reference)
            anew[_name(node)] = "\n\n\n".join(ahead)
            ahead = []
    if not anew:
        raise BankError(f"{whose}: define at least one of {', '.join(named)} anew, or write a list of edits")
    others = [anew.get(_name(node), passage) for node, passage in old if not isinstance(node, IMPORTS)]
    return "\n\n\n".join(["\n".join(imports), *others, *ahead]).strip() + "\n"


def _completed(node: ast.stmt, passage: str, old: ast.stmt, reference: str) -> str:
    """A definition; a class without `__init__` begins with those of the old one's methods that it does not write."""
    if not (isinstance(node, ast.ClassDef) and isinstance(old, ast.ClassDef)):
        return passage
    written = {each.name for each in node.body if isinstance(each, FUNCTIONS)}
    if "__init__" in written:
        return passage
    methods = [(each, text) for each, text in _statements(reference, old) if isinstance(each, FUNCTIONS)]
    kept = [text for each, text in methods if each.name not in written]
    head, gap = (node.body[0].end_lineno, [""]) if ast.get_docstring(node) is not None else (node.lineno, [])
    lines = passage.splitlines()
    cut = len(lines) - ((node.end_lineno or 0) - (head or 0))
    return "\n".join([*lines[:cut], *gap, "\n\n".join([*kept, "\n".join(lines[cut:]).strip("\n")])])


def _statements(source: str, tree: ast.Module | ast.ClassDef) -> Iterator[tuple[ast.stmt, str]]:
    """Each statement of a module or class, its docstring aside, as it is written, with the comments in front of it."""
    lines, begin = source.splitlines(), getattr(tree, "lineno", 0)
    docstring = tree.body[0] if ast.get_docstring(tree) is not None else None
    for node in tree.body:
        end = node.end_lineno or begin
        if node is not docstring:
            yield node, "\n".join(lines[begin:end]).strip("\n")
        begin = end


def _name(node: ast.stmt) -> str:
    """What a statement defines: a function, a class, or a name that it assigns; "" for any other."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else []
    return next((target.id for target in targets if isinstance(target, ast.Name)), "")
