"""The plan: what an exercise's checks ask with one seed and what is expected, worked out once, before grading.

What a check asks does not depend on what it is answered (`kata verify` holds it to that). So each check is run on the
reference, and the plan keeps what it drew, what it asked and what the reference answered. A learner's code is sent the
plan's questions. A check that then runs draws the same numbers again, and its first question has the first answer, its
second the second. Only a check that trains a model has no plan: it converses.

A course without answers has the plan as a file in their place: a digest, a JSON object, and frames as of what goes to
workers. Nothing is ever pickled. Of what each known mistake answers the file has a sample.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import accumulate, count, pairwise
from typing import Any

import torch

from grader.course import Course, Exercise
from grader.course.stubs import stub_of
from grader.sandbox.inside import wire
from grader.sandbox.worker import Parts

from .bank import Mistake, names_in
from .checks import CHECK_ERRORS, Check, Draw, Drawn, LearnerModule
from .compare import largest
from .course_code import CourseCode, TrustedModule
from .failure import error_identity
from .faults import CheckFailed, GraderBroken, NotInPlan, place
from .questions import DIGEST_BYTES, Answers, Case, Exchange, Question, digest_of, same_answers


class Kit:
    """An exercise with what the judge has for it; a course without answers has plans in their place."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self.course = course
        self.exercise = exercise
        self.checks_path = course.checks_path(exercise)

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """The hidden checks, in the order of their file. Raises GraderBroken when there are none that can be run.

        They are collected as pytest would, and called one after another: pytest itself would cost every submission more
        than the checks.
        """
        if not self.checks_path.is_file():
            raise GraderBroken(f"there are no checks for {self.exercise.id}")
        names = names_in(self.checks_path)
        for name, each in names.items():
            if name.startswith("test") and inspect.isfunction(each):
                where = place(self.checks_path, each.__code__.co_firstlineno)
                raise GraderBroken(f"{where}: {name} has no @points: write above it what it is worth")
        return tuple(each for each in names.values() if isinstance(each, Check))

    @cached_property
    def code(self) -> CourseCode | None:
        """The reference and the known mistakes; none in a course without answers."""
        if not self.course.has_answers:
            return None
        return CourseCode(self.course.solution_path(self.exercise), self.course.mistakes_path(self.exercise))

    @cached_property
    def stub(self) -> str:
        """The file as a learner is given it."""
        return stub_of(self.course, self.exercise)


@dataclass
class PlannedCheck:
    """One check as it ran on the reference: what it drew, what it asked, and the reference's answers.

    No exchanges: it looks at the source only, converses, or cannot be run. What it asks then, it asks on the spot.
    `passes`: with exactly these answers it passes, and it looks at nothing else.
    """

    name: str
    is_visible: bool
    drawn: Sequence[Drawn] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    passes: bool = False

    @cached_property
    def right(self) -> list[Parts] | None:
        """The bytes of a worker's right reply to each question; None if the check has to run all the same."""
        return [_right_reply(each) for each in self.exchanges] if self.passes else None


def _right_reply(planned: Exchange) -> Parts:
    reply = [
        {"answers": {str(n): answers[name] for n, name in case.returned.items()}, "error": None}
        for case, answers in zip(planned.question.cases, planned.answers, strict=True)
    ]
    return wire.parts_of(wire.pack(reply, wire.TRUSTED_BYTES))


@dataclass
class KnownAnswers:
    """What a known mistake answers whose code is not at hand.

    answers: for each question's digest, a packed sample of the answer to each case.
    """

    answers: Mapping[bytes, Sequence[bytes]]

    def gives(self, came: Answers, question: Question, number: int) -> bool:
        """Whether a learner's answer to one case of a question is this mistake's. Raises NotInPlan."""
        samples = self.answers.get(question.digest)
        if not samples:
            raise NotInPlan("it is not known here what the known mistakes answer")
        return same_answers(sampled(came), _unpacked(samples[number]))


GivesAnswers = TrustedModule | KnownAnswers
"""A known mistake's code, or samples of its answers: whether its answer is the learner's."""


@dataclass
class Plan:
    """What is expected of one exercise with one seed: its checks as they ran, and what only wrong answers need.

    code: the course's own, which is asked what is not planned. Where it is not at hand, `sampled` has the mistakes, and
    what is not planned raises NotInPlan.
    slacks: how far rounding alone may move the answers, by the question's digest; worked out at the first need.
    """

    exercise: str
    seed: int
    code: CourseCode | None = None
    checks: Mapping[str, PlannedCheck] = field(default_factory=dict)
    slacks: dict[bytes, list[Answers]] = field(default_factory=dict)
    sampled: list[tuple[Mistake, KnownAnswers]] = field(default_factory=list)

    @property
    def rounds(self) -> list[list[PlannedCheck]]:
        """Visible checks, then hidden ones: an error message that shows numbers must not know a hidden input."""
        checks = [check for check in self.checks.values() if check.exchanges]
        rounds = [[check for check in checks if check.is_visible is visible] for visible in (True, False)]
        return [each for each in rounds if each]

    @cached_property
    def asked(self) -> Mapping[bytes, Exchange]:
        """All questions with the reference's answers, by digest, in the order in which they are asked."""
        return {each.question.digest: each for checks in self.rounds for check in checks for each in check.exchanges}

    def draw(self, check: str) -> Draw:
        """The hidden inputs of one check."""
        planned = self.checks.get(check)
        again = planned.drawn if planned is not None and planned.exchanges else None
        return Draw(self.seed, self.exercise, check, self.code.reference.namespace if self.code else {}, again)

    def answers_to(self, question: Question) -> list[Answers]:
        """The reference's answers."""
        planned = self.asked.get(question.digest)
        return self._reference().answer(question) if planned is None else planned.answers

    def slack(self, question: Question) -> list[Answers]:
        """How far rounding alone may move a number of each tensor of these answers, in the same structure."""
        if (kept := self.slacks.get(question.digest)) is not None:
            return kept
        pairs = zip(self.answers_to(question), self._reference().answer_rounded(question), strict=True)
        found = [Answers(_distance(right.values, moved.values)) for right, moved in pairs]
        return self.slacks.setdefault(question.digest, found)

    @property
    def mistakes(self) -> Sequence[tuple[Mistake, GivesAnswers]]:
        """The known mistakes, ready to be compared with a learner's answers."""
        return self.sampled if self.code is None else self.code.mistakes

    def _reference(self) -> TrustedModule:
        if self.code is None:
            raise NotInPlan("there is no answer here to what is asked")
        return self.code.reference


def _distance(expected: Any, moved: Any) -> Any:
    if isinstance(expected, torch.Tensor) and isinstance(moved, torch.Tensor) and expected.shape == moved.shape:
        return largest(expected.double() - moved.double())
    if isinstance(expected, Mapping) and isinstance(moved, Mapping):
        return {key: _distance(value, moved.get(key)) for key, value in expected.items()}
    if isinstance(expected, (list, tuple)) and isinstance(moved, (list, tuple)) and len(expected) == len(moved):
        return [_distance(one, other) for one, other in zip(expected, moved, strict=True)]
    return None


# --- made with the reference ------------------------------------------------------------------------------------------


def expected_of(kit: Kit, seed: int, by: Callable[[Question], list[Answers]] | None = None) -> Plan:
    """What is expected of an exercise with a seed: its checks are run on the reference, or the plan is read.

    by: answers in place of the reference, to see what a check asks of others.
    Raises GraderBroken for a file that is missing, damaged or of another seed.
    """
    if kit.code is None:
        return read_plan(kit, seed)
    plan = Plan(kit.exercise.id, seed, kit.code)
    checks = {check.name: _rehearsed(check, plan, kit.stub, by or plan.answers_to) for check in kit.checks}
    return replace(plan, checks=checks)


def _rehearsed(check: Check, expected: Plan, given: str, by: Callable[[Question], list[Answers]]) -> PlannedCheck:
    planned = PlannedCheck(check.name, check.visible)
    if check.converses:
        return planned

    def exchange(cases: Sequence[Case]) -> Exchange:
        question = Question.of([case.copied() for case in cases])  # a check may go on changing them
        planned.exchanges.append(Exchange(question, expected.answers_to(question)))
        return Exchange(question, by(question))

    draw = expected.draw(check.name)
    planned.drawn = draw.drawn
    learner = LearnerModule(exchange, expected, draw, source=given, given=given)
    try:
        check.run(learner, draw)
        has_error = any(answers.error is not None for each in planned.exchanges for answers in each.answers)
        planned.passes = bool(planned.exchanges) and not has_error and not learner.looked_at_source
    except CheckFailed:
        pass  # the reference fails its own check: that is reported when the check runs for a learner
    except CHECK_ERRORS:
        planned.exchanges.clear()  # it will end so for every learner
    return planned


# --- as a file --------------------------------------------------------------------------------------------------------

VERSION = 9
"""Version of the format, and of how checks ask and answers are compared: raise it whenever older plans are stale."""

SIZE_BYTES = 8


def read_plan(kit: Kit, seed: int) -> Plan:
    """The plan of an exercise in a course without answers. Raises GraderBroken when it is missing or cannot be used."""
    try:
        about, plan = plan_of(kit.course.plan_path(kit.exercise).read_bytes())
        if about != identity(kit, seed):
            raise ValueError("the plan of something else")
    except Exception as error:  # from JSON or from a frame, for a truncated file
        told = f"the plan of {kit.exercise.id} is missing, damaged or of other checks: install the wheel again"
        raise GraderBroken(told) from error
    return plan


def identity(kit: Kit, seed: int) -> dict[str, Any]:
    """What a plan is for: an exercise, a seed, and the text of its checks with their families, however lines end."""
    checks = hashlib.sha256()
    for path in (kit.checks_path, *kit.course.families_of(kit.checks_path)):
        checks.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return {"version": VERSION, "exercise": kit.exercise.id, "seed": seed, "checks": checks.hexdigest()}


def file_of(plan: Plan, about: Mapping[str, Any]) -> bytes:
    """The plan as a file; `about` says what it is for. The same plan gives the same bytes."""
    frames: dict[bytes, int] = {}

    def placed(frame: bytes) -> int:
        """The place of a frame, which is there once."""
        return frames.setdefault(frame, len(frames))

    def checked(check: PlannedCheck) -> int:
        asked = [
            [
                list(map(vars, each.question.cases)),
                _plain(each.answers),
                _plain(plan.slacks.get(each.question.digest, [])),
            ]
            for each in check.exchanges
        ]
        parts = [check.name, check.is_visible, check.drawn, check.passes, asked]
        return placed(wire.pack(parts, wire.TRUSTED_BYTES))

    head = {
        "about": about,
        "checks": list(map(checked, plan.checks.values())),
        "mistakes": [
            [each.id, each.message, [list(map(placed, known.answers[digest])) for digest in plan.asked]]
            for each, known in plan.sampled
        ],
        "sizes": list(map(len, frames)),
    }
    written = json.dumps(head, separators=(",", ":")).encode()
    content = b"".join((len(written).to_bytes(SIZE_BYTES, "little"), written, *frames))
    return digest_of(content) + content


def _plain(answers: Sequence[Answers]) -> list[Any]:
    return [[dict(each.values), each.error] for each in answers]


def plan_of(file: bytes) -> tuple[dict[str, Any], Plan]:
    """What a file is for, and its plan. Raises an exception of any kind for a damaged file."""
    digest, content = file[:DIGEST_BYTES], file[DIGEST_BYTES:]
    if digest != digest_of(content):
        raise ValueError("other bytes than were written")
    start = SIZE_BYTES + int.from_bytes(content[:SIZE_BYTES], "little")
    head = json.loads(content[SIZE_BYTES:start])
    frames = [content[begin:end] for begin, end in pairwise(accumulate(head["sizes"], initial=start))]

    checks, slacks = dict[str, PlannedCheck](), dict[bytes, list[Answers]]()
    for number in head["checks"]:
        name, is_visible, drawn, passes, asked = wire.unpack_frame(frames[number])
        check = checks[name] = PlannedCheck(name, is_visible, drawn, passes=passes)
        for cases, *known in asked:
            answers, moved = ([Answers(*each) for each in of] for of in known)
            question = Question.of(Case(**case) for case in cases)
            check.exchanges.append(Exchange(question, answers))
            slacks |= {question.digest: moved} if moved else {}
    plan = Plan(head["about"]["exercise"], head["about"]["seed"], None, checks, slacks)
    for id, message, known in head["mistakes"]:
        samples = ([frames[number] for number in of] for of in known)
        plan.sampled.append((Mistake(id, message), KnownAnswers(dict(zip(plan.asked, samples, strict=True)))))
    return head["about"], plan


# --- what known mistakes answer ---------------------------------------------------------------------------------------

MOST_NUMBERS = 100
"""Of a tensor that are sampled. A learner's wheel would be three times as large with all of them."""


def sampled(answers: Answers) -> Answers:
    """A sample of an answer, which is compared as answers are: of a large tensor some numbers, and the largest one.

    A sampled tensor's shape is in its name, so that one of another shape is another value. Of an error there is what it
    is recognised by, nothing of the code.
    """
    error = None if answers.error is None else error_identity(answers.error)
    return Answers(_sampled(answers.values), error)


def _sampled(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_sampled({"": part} if _is_large(part) else part) for part in value]
    if isinstance(value, Mapping):
        return {
            f"{name} {list(part.shape)}" if _is_large(part) else name: _sampled(part) for name, part in value.items()
        }
    if not _is_large(value):
        return value
    size = value.numel()
    # no common divisor with the size: numbers of every row and every column are among them
    step = next(step for step in count(-(-size // MOST_NUMBERS)) if math.gcd(step, size) == 1)
    numbers = value.detach().reshape(-1)
    largest = [numbers.abs().max().reshape(1)] if value.is_floating_point() else []  # what is rounding is told by it
    return torch.cat([numbers[::step], *largest])


def _is_large(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() > MOST_NUMBERS


def packed_sample(answers: Answers) -> bytes:
    """The sample of an answer, packed. Equal samples give equal bytes."""
    return wire.pack(_plain([sampled(answers)]), wire.TRUSTED_BYTES)


@lru_cache(maxsize=4096)
def _unpacked(sample: bytes) -> Answers:
    ((values, error),) = wire.unpack_frame(sample)
    return Answers(values, error)
