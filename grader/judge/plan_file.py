"""A plan as a file: a course without answers has it in their place.

A digest, a JSON object, and frames as they go to workers: the questions, and whatever holds tensors. Nothing is ever
pickled. Of what each known mistake answers the file has fingerprints.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import torch

from grader.sandbox.inside import wire

from .answers import Answers, error_identity
from .case import GRADIENTS, Case, Question
from .compare import GENEROUS, RELATIVE, ULPS_OF_HALF, dtype_name
from .faults import GraderBroken
from .plan import KnownMistake, Plan, PlannedCheck, PlannedQuestion, Print, Wrong

if TYPE_CHECKING:
    from .checks import Kit

VERSION = 6
"""Version of the format, and of how checks ask and answers are compared: raise it whenever older plans are stale."""

SIZE = struct.Struct("<Q")
DIGEST_BYTES = 16
AGAIN = "install the wheel again"


def read_plan(kit: Kit, seed: int) -> Plan:
    """The plan of an exercise in a course without answers.

    Raises GraderBroken when there is none, or it is damaged or of something else.
    """
    path = kit.course.plan_path(kit.exercise)
    name = f"{path.parent.name}/{path.name}"
    try:
        about, plan = plan_of(path.read_bytes())
    except FileNotFoundError:
        raise GraderBroken(f"there is no plan for {kit.exercise.id} in this course: {AGAIN}") from None
    except Exception as error:  # from JSON, from a frame, or from struct for a truncated file
        raise GraderBroken(f"{name} is damaged: {AGAIN}") from error
    if about != identity(kit, seed):
        raise GraderBroken(f"{name} is the plan of something else than {kit.exercise.id}: {AGAIN}")
    return plan


def identity(kit: Kit, seed: int) -> dict[str, Any]:
    """What a plan is for: an exercise, a seed, and the text of its checks, however their lines end."""
    checks = kit.checks_path.read_bytes().replace(b"\r\n", b"\n")
    return {"version": VERSION, "exercise": kit.exercise.id, "seed": seed, "checks": hashlib.sha256(checks).hexdigest()}


def file_of(plan: Plan, about: Mapping[str, Any]) -> bytes:
    """The plan as a file; `about` says what it is for. The same plan gives the same bytes."""
    frames: list[bytes] = []

    def add(frame: bytes) -> int:
        frames.append(frame)
        return len(frames) - 1

    def packed(value: Any) -> int:
        return add(wire.pack(value, wire.TRUSTED_BYTES))

    def question(planned: PlannedQuestion) -> list[int]:
        beside = [
            {name: value for name, value in vars(case).items() if name not in case.as_data()}
            for case in planned.question.cases
        ]
        return [add(planned.question.frame), packed(beside), packed(_plain(planned.answers))]

    questions = {each.question.digest.hex(): each for check in plan.checks.values() for each in check.questions}
    told: dict[str, Any] = {
        "about": dict(about),
        "checks": [
            {
                "name": check.name,
                "is_visible": check.is_visible,
                "drawn": packed(check.drawn),
                "questions": [[each.question.digest.hex(), each.is_sent] for each in check.questions],
                "passes": check.passes,
                "converses": check.converses,
            }
            for check in plan.checks.values()
        ],
        "questions": {digest: question(planned) for digest, planned in questions.items()},
    }
    if plan.wrong is not None:
        told["wrong"] = {
            "slack": {digest.hex(): packed(_plain(each)) for digest, each in plan.wrong.slack.items()},
            "mistakes": [
                [each.id, each.message, {digest.hex(): places for digest, places in each.answers.items()}]
                for each in plan.wrong.mistakes
            ],
            "prints": plan.wrong.prints,
        }
    told["sizes"] = list(map(len, frames))
    head = json.dumps(told, separators=(",", ":")).encode()
    content = b"".join((SIZE.pack(len(head)), head, *frames))
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
    told = json.loads(content[SIZE.size : start])
    frames: list[bytes] = []
    for size in told["sizes"]:
        frames.append(content[start : start + size])
        start += size

    def answers(place: int) -> list[Answers]:
        return [Answers(values, error) for values, error in wire.unpack_frame(frames[place])]

    questions: dict[str, tuple[Question, list[Answers]]] = {}
    for name, (frame, beside, reply) in told["questions"].items():
        sent = wire.unpack_frame(frames[frame])["cases"]
        cases = (Case(**one, **other) for one, other in zip(sent, wire.unpack_frame(frames[beside]), strict=True))
        questions[name] = Question.packed(tuple(cases), frames[frame]), answers(reply)
    checks = {
        each["name"]: PlannedCheck(
            each["name"],
            each["is_visible"],
            wire.unpack_frame(frames[each["drawn"]]),
            [PlannedQuestion(*questions[name], is_sent) for name, is_sent in each["questions"]],
            each["passes"],
            each["converses"],
        )
        for each in told["checks"]
    }
    wrong = None
    if "wrong" in told:
        wrong = Wrong(
            {bytes.fromhex(name): answers(place) for name, place in told["wrong"]["slack"].items()},
            [
                KnownMistake(id, message, {bytes.fromhex(name): places for name, places in known.items()})
                for id, message, known in told["wrong"]["mistakes"]
            ],
            told["wrong"]["prints"],
        )
    return told["about"], Plan(checks, wrong)


# --- fingerprints ---------------------------------------------------------------------------------------------------
#
# A tensor's elements are distributed over a few groups, and each group's sum with alternating signs is stored. A wrong
# element changes its group's sum, wherever it is; and answers that `same_answers` accepts cannot differ in a sum by
# more than the group's tolerances together. So whatever the judge would recognise by comparing is recognised here too.

GROUPS = 16
GROUPS_OF_GRADIENTS = 8
"""Fewer, as most sums would be theirs: nearly always what came back is told apart already."""
STEPS = 2**12
"""A sum is stored as a whole number of steps, of which this many are the largest number in it."""
ROUNDING_OF_SUMS = 1 / STEPS
"""A sum is rounded once, by half a step at most."""
DIGITS_OF_LARGEST = 3
"""What is stored is relative to this number as it is stored, so a few digits lose nothing."""
IN_GRADIENTS = f"/{GRADIENTS!r}/"
"""Where the places of gradients begin."""


def fingerprint(answers: Answers) -> Print:
    """A known mistake's answer as plain data: enough to recognise it, in a few numbers a tensor."""
    if answers.error is not None:
        return {"error": list(error_identity(answers.error))}
    return {place: _print(value, place) for place, value in _leaves(answers.values)}


def has_fingerprint(came: Answers, kept: Print) -> bool:
    """Whether an answer matches a fingerprint."""
    if came.error is not None or "error" in kept:
        return came.error is not None and fingerprint(came) == kept
    # some gradients are zero but for rounding, so all share one scale
    scales = {place: each.get("largest", 0.0) for place, each in kept.items()}
    shared = max((scale for place, scale in scales.items() if place.startswith(IN_GRADIENTS)), default=0.0)
    leaves = dict(_leaves(came.values))
    return leaves.keys() == kept.keys() and all(
        _fits(leaves[place], each, shared if place.startswith(IN_GRADIENTS) else scales[place])
        for place, each in kept.items()
    )


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """What a value is made of: the parts of lists and mappings, each with its place."""
    parts: Mapping[str, Any] = {}
    if isinstance(value, Mapping):
        parts = {repr(key): each for key, each in value.items()}
    elif isinstance(value, (list, tuple)):
        parts = {f"#{number}": each for number, each in enumerate(value)}
    if not parts:
        yield place, value
    for name, part in parts.items():
        yield from _leaves(part, f"{place}/{name}")


def _print(value: Any, place: str = "") -> Print:
    if not isinstance(value, torch.Tensor):
        return {"float": repr(value)} if isinstance(value, float) else {"is": f"{type(value).__name__} {value!r}"}
    kept: Print = {"dtype": dtype_name(value), "shape": list(value.shape)}
    if not value.is_floating_point():
        return {**kept, "digest": _digest_of(value)}
    finite = value.double().nan_to_num(0.0, 0.0, 0.0)
    largest = _few_digits(float(finite.abs().max())) if finite.numel() else 0.0
    sums = _sums(finite, largest, GROUPS_OF_GRADIENTS if place.startswith(IN_GRADIENTS) else GROUPS)
    return {**kept, "odd": _odd_places(value), "largest": largest, "sums": (sums * STEPS).round().long().tolist()}


def _fits(came: Any, kept: Print, scale: float) -> bool:
    """With the tolerances of `compare.same`; `scale` is the magnitude that they are relative to."""
    if "float" in kept:
        if isinstance(came, torch.Tensor) and came.numel() == 1:
            came = came.item()
        is_number = isinstance(came, (int, float)) and not isinstance(came, bool)
        return is_number and math.isclose(came, float(kept["float"]), rel_tol=RELATIVE)
    if not isinstance(came, torch.Tensor) or not came.is_floating_point():
        return _print(came) == kept
    if [dtype_name(came), list(came.shape)] != [kept.get("dtype"), kept.get("shape")]:
        return False  # before any sum: groups are kept for each size, and a learner's answer may have any
    if _odd_places(came) != kept["odd"]:
        return False
    largest, finite = kept["largest"], came.double().nan_to_num(0.0, 0.0, 0.0)
    allowed = GENEROUS * RELATIVE * scale
    if came.dtype in (torch.float16, torch.bfloat16):
        allowed = ULPS_OF_HALF * torch.finfo(came.dtype).eps * (largest + RELATIVE)
    if largest == 0.0:
        return bool((finite.abs() <= allowed).all())
    sums = torch.tensor(kept["sums"], dtype=torch.float64) / STEPS
    moved = (_sums(finite, largest, sums.numel()) - sums).abs()
    return bool((moved <= _groups(finite.numel(), sums.numel())[2] * allowed / largest + ROUNDING_OF_SUMS).all())


def _few_digits(number: float) -> float:
    """The number with the digits that are stored; the very largest there is stays finite."""
    rounded = float(f"{number:.{DIGITS_OF_LARGEST}g}")
    return rounded if math.isfinite(rounded) else number


def _digest_of(tensor: torch.Tensor) -> str:
    content = tensor.detach().clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8).numpy()
    return hashlib.blake2b(content.tobytes(), digest_size=8).hexdigest()


def _odd_places(numbers: torch.Tensor) -> str:
    """Digest of the places of NaN and infinity; "" when all numbers are finite."""
    if bool(numbers.isfinite().all()):
        return ""
    return _digest_of(numbers.isnan() + 2 * numbers.isposinf() + 3 * numbers.isneginf())


def _sums(finite: torch.Tensor, largest: float, groups: int) -> torch.Tensor:
    """The sum of each group, relative to the largest number."""
    places, signs, counts = _groups(finite.numel(), groups)
    parts = finite.reshape(-1) / (largest or 1.0) * signs
    return torch.zeros(counts.numel(), dtype=torch.float64).index_add_(0, places, parts)


@lru_cache(maxsize=256)
def _groups(count: int, groups: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Group and sign of each of `count` elements, and the size of each group: the same on every machine.

    Each element is a group of its own if there are no more of them than groups.
    """
    if count <= groups:
        return torch.arange(count), torch.ones(count, dtype=torch.float64), torch.ones(count, dtype=torch.float64)
    # multiplying by a large odd number puts neighbours, and a matrix's columns, into different groups
    mixed = (torch.arange(count, dtype=torch.int64) * 2654435761) % 2**32
    mixed = ((mixed ^ (mixed >> 15)) * 2246822519) % 2**32
    places, signs = (mixed >> 16) % groups, ((mixed >> 8) % 2).double() * 2 - 1
    return places, signs, torch.bincount(places, minlength=groups).double()
