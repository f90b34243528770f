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
import json
import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate, count, pairwise
from typing import TYPE_CHECKING, Any

import torch

from grader.sandbox.inside import wire
from grader.sandbox.worker import Parts

from .answers import Answers, Exchange, error_identity, same_answers
from .bank import Mistake
from .case import Case, Question
from .course_code import CourseCode, TrustedModule
from .draw import Draw, Drawn
from .faults import GraderBroken, NotInPlan

if TYPE_CHECKING:
    from .checks import Kit


@dataclass
class PlannedCheck:
    """One check as it ran on the reference: what it drew, what it asked, and the reference's answers.

    No exchanges: it looks at the source only, or converses, and then asks on the spot.
    `passes`: with exactly these answers it passes, and it looks at nothing else.
    `broken`: the error that ended it on the reference, if it cannot be run at all.
    """

    name: str
    is_visible: bool
    drawn: Sequence[Drawn] = field(default_factory=list)
    exchanges: list[Exchange] = field(default_factory=list)
    passes: bool = False
    broken: BaseException | None = None

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
class KnownMistake:
    """A known mistake whose code is not at hand: for each question's digest, a packed sample of each case's answer."""

    id: str
    message: str
    answers: Mapping[bytes, Sequence[bytes]] = field(default_factory=dict)

    def gives(self, came: Answers, question: Question, number: int) -> bool:
        """Whether a learner's answer to one case of a question is this mistake's. Raises NotInPlan."""
        samples = self.answers.get(question.digest)
        if not samples:
            raise NotInPlan("it is not known here what the known mistakes answer")
        return same_answers(sampled(came), _unpacked(samples[number]))


GivesAnswers = TrustedModule | KnownMistake
"""A known mistake, as code or as samples of its answers: whether its answer is the learner's."""


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
    sampled: Sequence[KnownMistake] = ()

    @property
    def rounds(self) -> list[list[PlannedCheck]]:
        """Visible checks, then hidden ones: an error message that shows numbers must not know a hidden input."""
        checks = [check for check in self.checks.values() if check.exchanges]
        rounds = [[check for check in checks if check.is_visible is visible] for visible in (True, False)]
        return [each for each in rounds if each]

    @property
    def questions(self) -> list[Question]:
        """All questions, in the order in which they are asked."""
        return [each.question for checks in self.rounds for check in checks for each in check.exchanges]

    def draw(self, check: str) -> Draw:
        """The hidden inputs of one check. Raises what the check raised on the reference, if it cannot be run."""
        planned = self.checks.get(check)
        if planned is not None and planned.broken is not None:
            raise planned.broken
        if planned is not None and planned.exchanges:
            return Draw(self.seed, self.exercise, check, {}, again=planned.drawn)
        return Draw(self.seed, self.exercise, check, self.code.reference.namespace if self.code else {})

    @cached_property
    def _answers(self) -> Mapping[bytes, list[Answers]]:
        return {each.question.digest: each.answers for check in self.checks.values() for each in check.exchanges}

    def answers_to(self, question: Question) -> list[Answers]:
        """The reference's answers."""
        planned = self._answers.get(question.digest)
        return self._reference().answer(question) if planned is None else planned

    def slack(self, question: Question) -> list[Answers]:
        """How far rounding alone may move each number of these answers, in the same structure."""
        if (kept := self.slacks.get(question.digest)) is not None:
            return kept
        pairs = zip(self.answers_to(question), self._reference().answer_rounded(question), strict=True)
        found = [Answers(_distance(right.values, moved.values)) for right, moved in pairs]
        return self.slacks.setdefault(question.digest, found)

    @property
    def mistakes(self) -> Sequence[tuple[Mistake, GivesAnswers]]:
        """The known mistakes, ready to be compared with a learner's answers."""
        if self.code is not None:
            return self.code.mistakes
        return [(Mistake(each.id, each.message), each) for each in self.sampled]

    def pair(self, one: int, other: int) -> TrustedModule | None:
        """Two mistakes combined, by their places; None where their edits are incompatible, or there is only a plan."""
        return self.code.both(one, other) if self.code is not None else None

    def _reference(self) -> TrustedModule:
        if self.code is None:
            raise NotInPlan("there is no answer here to what is asked")
        return self.code.reference


def _distance(expected: Any, moved: Any) -> Any:
    if isinstance(expected, torch.Tensor) and isinstance(moved, torch.Tensor) and expected.is_floating_point():
        is_same_form = expected.shape == moved.shape
        return (expected.double() - moved.double()).nan_to_num(0.0, 0.0, 0.0).abs() if is_same_form else None
    if isinstance(expected, Mapping) and isinstance(moved, Mapping):
        return {key: _distance(value, moved.get(key)) for key, value in expected.items()}
    if isinstance(expected, (list, tuple)) and isinstance(moved, (list, tuple)) and len(expected) == len(moved):
        return [_distance(one, other) for one, other in zip(expected, moved, strict=True)]
    return None


# --- as a file --------------------------------------------------------------------------------------------------------

VERSION = 8
"""Version of the format, and of how checks ask and answers are compared: raise it whenever older plans are stale."""

SIZE = struct.Struct("<Q")
DIGEST_BYTES = 16


def read_plan(kit: Kit, seed: int) -> Plan:
    """The plan of an exercise in a course without answers. Raises GraderBroken when it is missing or cannot be used."""
    try:
        about, plan = plan_of(kit.course.plan_path(kit.exercise).read_bytes())
        if about != identity(kit, seed):
            raise ValueError("the plan of something else")
    except Exception as error:  # from JSON, from a frame, or from struct for a truncated file
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

    def packed(*parts: Any) -> int:
        return placed(wire.pack(parts, wire.TRUSTED_BYTES))

    asked = {each.question.digest: each for check in plan.checks.values() for each in check.exchanges}

    def checked(check: PlannedCheck) -> int:
        numbers = [list(asked).index(each.question.digest) for each in check.exchanges]
        return packed(check.name, check.is_visible, check.drawn, numbers, check.passes)

    head = {
        "about": about,
        "questions": [
            packed(list(map(vars, each.question.cases)), _plain(each.answers), _plain(plan.slacks.get(digest, [])))
            for digest, each in asked.items()
        ],
        "checks": list(map(checked, plan.checks.values())),
        "mistakes": [
            [each.id, each.message, [list(map(placed, each.answers.get(digest, ()))) for digest in asked]]
            for each in plan.sampled
        ],
        "sizes": list(map(len, frames)),
    }
    written = json.dumps(head, separators=(",", ":")).encode()
    content = b"".join((SIZE.pack(len(written)), written, *frames))
    return _digest(content) + content


def _plain(answers: Sequence[Answers]) -> list[Any]:
    return [[dict(each.values), each.error] for each in answers]


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


def plan_of(file: bytes) -> tuple[dict[str, Any], Plan]:
    """What a file is for, and its plan. Raises an exception of any kind for a damaged file."""
    digest, content = file[:DIGEST_BYTES], file[DIGEST_BYTES:]
    if digest != _digest(content):
        raise ValueError("other bytes than were written")
    start = SIZE.size + SIZE.unpack_from(content)[0]
    head = json.loads(content[SIZE.size : start])
    frames = [content[begin:end] for begin, end in pairwise(accumulate(head["sizes"], initial=start))]

    slacks, asked = dict[bytes, list[Answers]](), list[Exchange]()
    for place in head["questions"]:
        cases, *known = wire.unpack_frame(frames[place])
        answers, moved = ([Answers(*each) for each in of] for of in known)
        asked.append(Exchange(Question.of(Case(**case) for case in cases), answers))
        if moved:
            slacks[asked[-1].question.digest] = moved
    checks = dict[str, PlannedCheck]()
    for place in head["checks"]:
        name, is_visible, drawn, numbers, passes = wire.unpack_frame(frames[place])
        checks[name] = PlannedCheck(name, is_visible, drawn, [asked[number] for number in numbers], passes)
    sampled = list[KnownMistake]()
    for id, message, of in head["mistakes"]:
        pairs = zip(asked, of, strict=True)
        samples = {each.question.digest: [frames[place] for place in places] for each, places in pairs}
        sampled.append(KnownMistake(id, message, samples))
    about = head["about"]
    return about, Plan(about["exercise"], about["seed"], None, checks, slacks, sampled)


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
