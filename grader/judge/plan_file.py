"""A plan as a file: a course without answers has it in their place.

A safetensors file with a digest in front. Numbers, questions and replies are tensors, the rest is JSON in the header.
Nothing is ever pickled. Of what each known mistake answers the file has fingerprints.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import safetensors.torch
import torch

from grader.sandbox.inside import wire

from .answers import Answers, error_identity
from .case import GRADIENTS, Case, Question
from .compare import GENEROUS, RELATIVE, ULPS_OF_HALF, dtype_name
from .faults import GraderBroken
from .plan import KnownMistake, Plan, PlannedCheck, PlannedQuestion, Print, Wrong

if TYPE_CHECKING:
    from .checks import Kit

VERSION = 5
"""Version of the format, and of how checks ask and answers are compared: raise it whenever older plans are stale."""

METADATA = "kata plan"
DIGEST_BYTES = 16
AGAIN = "install the wheel again"


def read_plan(kit: Kit, seed: int) -> Plan:
    """The plan of an exercise in a course without answers.

    Raises GraderBroken when there is none, or it is damaged or of something else.
    """
    path = kit.course.plan_path(kit.exercise)
    name = f"{path.parent.name}/{path.name}"
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise GraderBroken(f"there is no plan for {kit.exercise.id} in this course: {AGAIN}") from None
    try:
        about, plan = plan_of(content)
    except Exception as error:  # from safetensors, JSON, or struct for a truncated file
        raise GraderBroken(f"{name} is damaged: {AGAIN}") from error
    if about != identity(kit, seed):
        raise GraderBroken(f"{name} is the plan of something else than {kit.exercise.id}: {AGAIN}")
    return plan


def identity(kit: Kit, seed: int) -> dict[str, Any]:
    """What a plan is for: an exercise, a seed, and the text of its checks, however their lines end."""
    checks = kit.checks_path.read_bytes().replace(b"\r\n", b"\n")
    return {"version": VERSION, "exercise": kit.exercise.id, "seed": seed, "checks": hashlib.sha256(checks).hexdigest()}


# --- writing --------------------------------------------------------------------------------------------------------


def file_of(plan: Plan, about: Mapping[str, Any]) -> bytes:
    """The plan as a file; `about` says what it is for. The same plan gives the same bytes."""
    tensors = _Tensors()
    questions = {each.question.digest: each for check in plan.checks.values() for each in check.questions}
    told = {
        "about": dict(about),
        "checks": [
            {
                "name": check.name,
                "is_visible": check.is_visible,
                "drawn": [[kind, list(sizes), tensors.add(numbers)] for kind, sizes, numbers in check.drawn],
                "shapes": check.shapes,
                "questions": [[each.question.digest.hex(), each.is_sent] for each in check.questions],
                "passes": check.passes,
                "converses": check.converses,
            }
            for check in plan.checks.values()
        ],
        "questions": {digest.hex(): _question(each, tensors) for digest, each in questions.items()},
        "wrong": _wrong(plan.wrong, tensors) if plan.wrong else None,
    }
    # a single entry, because safetensors does not keep the order of several
    content = safetensors.torch.save(tensors.kept, {METADATA: json.dumps(told, separators=(",", ":"))})
    return _digest(content) + content


def _question(planned: PlannedQuestion, tensors: _Tensors) -> dict[str, Any]:
    return {
        "frame": tensors.add_bytes(planned.question.frame),
        "cases": tensors.add_bytes(wire.pack([_beside(case) for case in planned.question.cases], wire.TRUSTED_BYTES)),
        "answers": tensors.add_bytes(_packed(planned.answers)),
    }


def _beside(case: Case) -> dict[str, Any]:
    """What a case is beyond what is sent of it."""
    return {name: value for name, value in vars(case).items() if name not in case.as_data()}


def _wrong(wrong: Wrong, tensors: _Tensors) -> dict[str, Any]:
    return {
        "slack": {digest.hex(): tensors.add_bytes(_packed(each)) for digest, each in wrong.slack.items()},
        "mistakes": [
            [each.id, each.message, {digest.hex(): places for digest, places in each.answers.items()}]
            for each in wrong.mistakes
        ],
        "prints": tensors.add_bytes(json.dumps(wrong.prints, separators=(",", ":")).encode()),
    }


def _packed(answers: Sequence[Answers]) -> bytes:
    return wire.pack([[dict(each.values), each.error] for each in answers], wire.TRUSTED_BYTES)


class _Tensors:
    """The file's tensors by their names, which are numbers."""

    def __init__(self) -> None:
        self.kept: dict[str, torch.Tensor] = {}

    def add(self, tensor: torch.Tensor) -> str:
        name = str(len(self.kept))
        self.kept[name] = tensor.contiguous()
        return name

    def add_bytes(self, content: bytes) -> str:
        return self.add(torch.frombuffer(bytearray(content), dtype=torch.uint8))


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


# --- reading --------------------------------------------------------------------------------------------------------


def plan_of(file: bytes) -> tuple[dict[str, Any], Plan]:
    """What a file is for, and its plan. Raises an exception of any kind for a damaged file."""
    digest, content = file[:DIGEST_BYTES], file[DIGEST_BYTES:]
    if digest != _digest(content):
        raise ValueError("other bytes than were written")
    (size,) = struct.unpack_from("<Q", content)
    told = json.loads(json.loads(content[8 : 8 + size])["__metadata__"][METADATA])
    tensors = safetensors.torch.load(content)
    questions = {digest: _question_of(kept, tensors) for digest, kept in told["questions"].items()}
    checks = {kept["name"]: _check_of(kept, questions, tensors) for kept in told["checks"]}
    return told["about"], Plan(checks, _wrong_of(told["wrong"], tensors) if told["wrong"] else None)


def _check_of(
    kept: Mapping[str, Any],
    questions: Mapping[str, tuple[Question, list[Answers]]],
    tensors: Mapping[str, torch.Tensor],
) -> PlannedCheck:
    return PlannedCheck(
        kept["name"],
        kept["is_visible"],
        drawn=[(kind, tuple(sizes), tensors[name]) for kind, sizes, name in kept["drawn"]],
        shapes=kept["shapes"],
        questions=[PlannedQuestion(*questions[digest], is_sent) for digest, is_sent in kept["questions"]],
        passes=kept["passes"],
        converses=kept["converses"],
    )


def _question_of(kept: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> tuple[Question, list[Answers]]:
    frame = _bytes(tensors[kept["frame"]])
    sent, beside = wire.unpack_frame(frame)["cases"], wire.unpack_frame(_bytes(tensors[kept["cases"]]))
    cases = tuple(Case(**one, **other) for one, other in zip(sent, beside, strict=True))
    return Question.packed(cases, frame), _answers_of(tensors[kept["answers"]])


def _wrong_of(kept: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> Wrong:
    return Wrong(
        slack={bytes.fromhex(digest): _answers_of(tensors[name]) for digest, name in kept["slack"].items()},
        mistakes=[
            KnownMistake(id, message, {bytes.fromhex(digest): places for digest, places in answers.items()})
            for id, message, answers in kept["mistakes"]
        ],
        prints=json.loads(_bytes(tensors[kept["prints"]])),
    )


def _answers_of(packed: torch.Tensor) -> list[Answers]:
    return [Answers(values, error) for values, error in wire.unpack_frame(_bytes(packed))]


def _bytes(tensor: torch.Tensor) -> bytes:
    return tensor.numpy().tobytes()


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
        return came.error is not None and list(error_identity(came.error)) == kept.get("error")
    # some gradients are zero but for rounding, so all share one scale
    shared = max(
        (each.get("largest", 0.0) for place, each in kept.items() if place.startswith(IN_GRADIENTS)), default=0
    )
    leaves = dict(_leaves(came.values))
    return leaves.keys() == kept.keys() and all(
        _fits(leaves[place], each, shared if place.startswith(IN_GRADIENTS) else each.get("largest", 0.0))
        for place, each in kept.items()
    )


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """What a value is made of: the parts of lists and mappings, each with its place."""
    parts: Sequence[tuple[str, Any]] = []
    if isinstance(value, Mapping):
        parts = [(repr(key), each) for key, each in value.items()]
    elif isinstance(value, (list, tuple)):
        parts = [(f"#{number}", each) for number, each in enumerate(value)]
    if not parts:
        yield place, value
    for name, part in parts:
        yield from _leaves(part, f"{place}/{name}")


def _print(value: Any, place: str) -> Print:
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
    if "dtype" in kept:
        return isinstance(came, torch.Tensor) and _tensor_fits(came, kept, scale)
    if "float" in kept:
        if isinstance(came, torch.Tensor) and came.numel() == 1:
            came = came.item()
        is_number = isinstance(came, (int, float)) and not isinstance(came, bool)
        return is_number and math.isclose(came, float(kept["float"]), rel_tol=RELATIVE)
    return _print(came, "") == kept


def _tensor_fits(came: torch.Tensor, kept: Print, scale: float) -> bool:
    if dtype_name(came) != kept["dtype"] or list(came.shape) != kept["shape"]:
        return False
    if "digest" in kept:
        return bool(_digest_of(came) == kept["digest"])
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
