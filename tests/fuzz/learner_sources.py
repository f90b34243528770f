"""Learners' files: nonsense, references with slips, and right and wrong answers in a disguise that changes nothing."""

from __future__ import annotations

import ast
import io
import keyword
import random
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial

from grader.authoring.mutants import mutants
from grader.course import Course, Exercise, load_course
from grader.intake import Submission
from grader.intake.collector import Collector
from grader.intake.names import ExerciseNames
from grader.judge.mistakes import load_bank
from grader.record import ExerciseResult, Record
from tests.fuzz.watching import ROOT

COURSE_FILE = ROOT / "course.yml"
CPU_SECONDS = 3
"""Many of these files loop. This ends them soon, and is many times what an honest answer takes, however busy the
machine is; the limits on the clock are then so wide that they never count."""

REQUEST_SECONDS, EXERCISE_SECONDS = 120.0, 600.0


TRAINED = ("tiny_gpt",)
"""The reference and all known mistakes are trained for a diagnosis: that takes longer than all the rest together."""


@dataclass(frozen=True)
class Handed:
    """A learner's file for one exercise. `kind` says what it must come to: see `fault_in`."""

    kind: str
    exercise: str
    source: bytes


def hurried_course() -> Course:
    """The course, with little of the processor's time for each answer and much on the clock."""
    course = load_course(COURSE_FILE)
    return course.model_copy(
        update={
            "units": tuple(
                unit.model_copy(update={"exercises": tuple(map(_hurried, unit.exercises))}) for unit in course.units
            )
        }
    )


def _hurried(exercise: Exercise) -> Exercise:
    limits = exercise.limits.model_copy(
        update={"cpu_seconds": CPU_SECONDS, "request_seconds": REQUEST_SECONDS, "seconds": EXERCISE_SECONDS}
    )
    return exercise.model_copy(update={"limits": limits})


def plain_exercises(course: Course) -> list[str]:
    """Exercises in which a learner may write what and as much as they like: no repairs of a given file."""
    return [exercise.id for exercise in course.exercises if exercise.kind == "implement" and exercise.id not in TRAINED]


# --- what is handed in -----------------------------------------------------------------------------------------------


class Sources:
    """Makes files for the exercises of a course, at random."""

    def __init__(self, course: Course, chance: random.Random) -> None:
        self._course = course
        self._chance = chance

    def honest(self, id: str) -> Handed:
        """The reference as it is."""
        return Handed("honest", id, self._reference(id).encode())

    def any(self, id: str) -> Handed:
        """One file of any kind."""
        kinds: tuple[Callable[[str], Handed], ...] = (
            self.nonsense, self.torn, self.torn, self.slipped, self.slipped, self.right, self.wrong, self.wrong,
        )  # fmt: skip
        return self._chance.choice(kinds)(id)

    def nonsense(self, id: str) -> Handed:
        """Bytes, letters or words of Python in no order; nothing of it can be an answer."""
        chance = self._chance
        made: Callable[[], bytes] = chance.choice(
            (
                lambda: chance.randbytes(chance.randint(0, 400)),
                lambda: "".join(chr(chance.choice((9, 10, 13, 32, 40, 92, 0x2028, 0xFEFF, chance.randint(1, 0xD7FF))))
                                for _ in range(200)).encode(),
                lambda: " ".join(chance.choice(WORDS) for _ in range(120)).encode(),
                lambda: b"import torch\n" + chance.choice(NOT_ANSWERS),
            )
        )  # fmt: skip
        return Handed("nonsense", id, made())

    def torn(self, id: str) -> Handed:
        """The reference with a few of its words left out, doubled, swapped or replaced, or with bytes changed."""
        text = self._reference(id)
        for _ in range(self._chance.randint(1, 3)):
            text = self._with_other_words(text)
        source = bytearray(text.encode())
        if self._chance.random() < 0.2:
            source[self._chance.randrange(len(source))] ^= 1 << self._chance.randrange(8)
        return Handed("torn", id, bytes(source))

    def slipped(self, id: str) -> Handed:
        """The reference with one to three slips, each of which leaves it valid Python."""
        text = self._reference(id)
        for _ in range(self._chance.randint(1, 3)):
            if not (found := mutants(text)):
                break
            text = self._chance.choice(found).source
        return Handed("slipped", id, text.encode())

    def right(self, id: str) -> Handed:
        """A right answer in a disguise."""
        exercise = self._course.exercise(id)
        place = ROOT / "tests" / "alternatives" / exercise.unit / exercise.file_name.removesuffix(".py")
        others = [path.read_text(encoding="utf-8") for path in sorted(place.glob("*.py"))]
        return Handed("right", id, self._disguised(self._chance.choice([self._reference(id), *others])))

    def wrong(self, id: str) -> Handed:
        """A known mistake in a disguise."""
        wrong = _mistakes(self._course.mistakes_path(self._course.exercise(id)), self._reference(id))
        return Handed("wrong", id, self._disguised(self._chance.choice(wrong)))

    def _reference(self, id: str) -> str:
        return self._course.solution_path(self._course.exercise(id)).read_text(encoding="utf-8")

    def _with_other_words(self, text: str) -> str:
        words = [word for word in _words(text) if word.string.strip()]
        if len(words) < 2:
            return text
        place = self._chance.randrange(len(words) - 1)
        word, following = words[place], words[place + 1]
        new = self._chance.choice(
            (
                "",
                f"{word.string} {word.string}",
                following.string,
                self._chance.choice(words).string,
                self._chance.choice(WORDS),
            )
        )
        lines = text.splitlines(keepends=True)
        if word.start[0] != word.end[0]:
            return text
        line = lines[word.start[0] - 1]
        lines[word.start[0] - 1] = line[: word.start[1]] + new + line[word.end[1] :]
        return "".join(lines)

    def _disguised(self, text: str) -> bytes:
        """The same program, written otherwise."""
        for disguise in self._chance.sample(DISGUISES, self._chance.randint(0, 3)):
            text = disguise(text)
        source = text.encode()
        if self._chance.random() < 0.2:
            source = source.replace(b"\n", b"\r\n")
        return b"\xef\xbb\xbf" + source if self._chance.random() < 0.2 else source


WORDS = (
    *keyword.kwlist,
    *[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        ".",
        "=",
        "==",
        "+",
        "-",
        "*",
        "/",
        "@",
        "**",
        "-1",
        "0",
        "1",
        "2.5",
        "x",
        "y",
        "self",
        "torch",
        "nn",
        "softmax",
        "sum",
        "dim",
        "\n",
        "\n\t",
        "'a'",
        "#",
    ],
)
NOT_ANSWERS = (
    b"raise SystemExit(0)\n",
    b"raise KeyboardInterrupt\n",
    b"import os\nos._exit(0)\n",
    b"while True:\n    pass\n",
    b"x = [0] * 10**12\n",
    b"def f():\n    f()\nf()\n",
    b"print('passed ' * 10**7)\n",
    b"__import__('grader.record')\n",
    b"class torch: pass\n",
)


def _words(text: str) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return []


@cache
def _mistakes(bank: object, reference: str) -> tuple[str, ...]:
    return tuple(mistake.source_from(reference) for mistake in load_bank(bank))  # type: ignore[arg-type]


def _written_anew(text: str) -> str:
    return ast.unparse(ast.parse(text)) + "\n"


def _with_comments(text: str) -> str:
    return "".join(f"{line}  # as it should be\n" if line.rstrip().endswith(")") and '"' not in line else f"{line}\n"
                   for line in _written_anew(text).split("\n"))  # fmt: skip


def _with_more(text: str) -> str:
    return text + "\n\nNOTES = {'a': [1, 2]}\n\n\ndef _not_asked_for(x):\n    return [x for _ in range(3)]\n"


def _below_if(text: str) -> str:
    body = "".join(f"    {line}\n" if line else "\n" for line in _written_anew(text).split("\n"))
    return f"if __name__ != '__main__':\n{body}" if "from __future__" not in text else text


def _with_alias(text: str) -> str:
    return text + "\n\nimport torch as _t, math as _m\n_pi = _t.tensor(_m.pi)\n"


DISGUISES: tuple[Callable[[str], str], ...] = (_written_anew, _with_comments, _with_more, _below_if, _with_alias)


# --- what it must come to --------------------------------------------------------------------------------------------


def submission(name: str, files: list[Handed], course: Course) -> Submission:
    """One learner's work, as the intake reads it from files."""
    collector = Collector(name, ExerciseNames(course))
    for each in files:
        collector.offer(course.exercise(each.exercise).file_name, partial(_read, each.source))
    return collector.submission()


def _read(source: bytes, limit: int) -> bytes:
    return source[: limit + 1]


def fault_in(record: Record, files: list[Handed]) -> list[tuple[Handed, str]]:
    """The files of which this record says what it must not, each with a sentence."""
    results = {result.id: result for result in record.exercises}
    return [(each, fault) for each in files if (fault := _fault(each, results[each.exercise]))]


def _fault(handed: Handed, result: ExerciseResult) -> str:
    reasons = "; ".join(check.message for check in result.checks if check.outcome != "passed")[:300]
    said = f"{result.status}, {result.points:g} of {result.max_points:g} points ({reasons})"
    is_whole = result.points >= result.max_points
    if result.status == "error":
        return f"the grader's own fault: {said}"
    if handed.kind in ("honest", "right") and not is_whole:
        return f"a right answer lost points: {said}"
    if handed.kind == "wrong" and is_whole:
        return "a known mistake got full points"
    if handed.kind == "nonsense" and result.points:
        return f"nonsense got points: {said}"
    return ""


def survivors(record: Record, files: list[Handed], course: Course) -> list[Handed]:
    """Files with slips that got full points although they say something else than the reference."""
    results = {result.id: result for result in record.exercises}
    return [
        each
        for each in files
        if each.kind in ("torn", "slipped")
        and results[each.exercise].points >= results[each.exercise].max_points
        and _meaning(each.source) != _meaning(course.solution_path(course.exercise(each.exercise)).read_bytes())
    ]


def _meaning(source: bytes) -> str:
    """The program without its comments, texts and hints at types."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return repr(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        body = getattr(node, "body", None)
        if isinstance(body, list):
            body[:] = [
                each for each in body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
            ]
    return ast.dump(tree)
