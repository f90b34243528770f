"""A plan as a file: a course without answers has it in their place.

A safetensors file with a digest in front. Numbers, questions and replies are tensors, the rest is JSON in the header.
Nothing is ever pickled.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import safetensors.torch
import torch

from grader.sandbox.inside import wire

from .answers import Answers
from .case import Case, Question
from .faults import GraderBroken
from .plan import KnownMistake, Plan, PlannedCheck, PlannedQuestion, Wrong

if TYPE_CHECKING:
    from .checks import Kit

VERSION = 4
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
        "cases": [_case(case) for case in planned.question.cases],
        "answers": tensors.add_bytes(_packed(planned.answers)),
    }


def _case(case: Case) -> dict[str, Any]:
    """What a case is beyond what is sent of it."""
    return {
        "axes": case.axes,
        "is_random": case.is_random,
        "said": case.said,
        "returned": list(case.returned.items()),
        "inputs": {name: slot.number for name, slot in case.inputs.items()},
        "module": case.module.number if case.module else None,
        "output": case.output.number if case.output else None,
    }


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
    sent = wire.unpack_frame(frame)["cases"]
    cases = tuple(_case_of(each, data) for each, data in zip(kept["cases"], sent, strict=True))
    return Question.packed(cases, frame), _answers_of(tensors[kept["answers"]])


def _case_of(kept: Mapping[str, Any], sent: Mapping[str, Any]) -> Case:
    return Case(
        axes=tuple(kept["axes"]),
        seed=sent["seed"],
        is_random=kept["is_random"],
        said=kept["said"],
        steps=sent["steps"],
        returned=dict(kept["returned"]),
        inputs={name: wire.Slot(number) for name, number in kept["inputs"].items()},
        module=None if kept["module"] is None else wire.Slot(kept["module"]),
        output=None if kept["output"] is None else wire.Slot(kept["output"]),
    )


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
