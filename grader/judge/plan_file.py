"""The file format of a plan, which a learner's bundle contains in place of answers and mistakes.

A safetensors file: drawn numbers, expected answers and fingerprints as tensors, everything else as JSON in the header.
Numbers are stored as planes, all first bytes before all second ones, which a zip makes smaller. Nothing is ever
pickled. The questions themselves are not stored but made again from the drawn numbers: that takes less space, and
hardly more time than reading them.

`PlanFile` is the content of such a file. `grader/judge/kept.py` gives its answers to a judge.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import safetensors.torch
import torch

from .draw import Kind
from .faults import GraderBroken
from .fingerprint import Print

VERSION = 3
"""Version of the format."""

JUDGE = 1
"""To be raised whenever checks ask, or answers are compared, in another way: older plans are then stale."""

METADATA = "kata plan"
MAX_HEADER_BYTES = 64 * 1024 * 1024

Drawn = tuple[Kind, tuple[int, ...], torch.Tensor]
AS_REFERENCE = -1
"""Marks a mistake's answer that equals the reference's."""


@dataclass
class PlannedDraws:
    """What one check draws, in order, and the parameter shapes it needs, by `key_of_shapes`."""

    drawn: list[Drawn] = field(default_factory=list)
    shapes: dict[str, dict[str, list[int]]] = field(default_factory=dict)


@dataclass
class KnownMistake:
    """A known mistake: its id, its message, and its answers.

    `answers`: {digest of a question: for each case, an index into the file's `prints`}.
    """

    id: str
    message: str
    answers: dict[str, list[int]] = field(default_factory=dict)


@dataclass
class PlanFile:
    """Content of the file. `expected` has the answers by the question's digest, packed by `kept.py`."""

    exercise: str
    seed: int
    checks_digest: str
    course_digest: str
    draws: dict[str, PlannedDraws] = field(default_factory=dict)
    expected: dict[str, bytes] = field(default_factory=dict)
    mistakes: list[KnownMistake] = field(default_factory=list)
    prints: list[Print] = field(default_factory=list)

    def to_bytes(self) -> bytes:
        """Encode the file; the same plan gives the same bytes."""
        numbers = _Numbers()
        questions = sorted(self.expected)
        about = {
            "version": VERSION,
            "judge": JUDGE,
            "exercise": self.exercise,
            "seed": self.seed,
            "checks": self.checks_digest,
            "course": self.course_digest,
            "draws": {
                name: {
                    "drawn": [[kind, list(sizes), numbers.add(tensor)] for kind, sizes, tensor in each.drawn],
                    "shapes": each.shapes,
                }
                for name, each in sorted(self.draws.items())
            },
            "expected": {digest: len(self.expected[digest]) for digest in questions},
            "mistakes": [[each.id, each.message] for each in self.mistakes],
            "asked": {digest: len(places) for digest, places in sorted(self._asked().items())},
        }
        sums: list[int] = []
        places = [place for each in self.mistakes for digest in sorted(each.answers) for place in each.answers[digest]]
        tensors = {
            **{name: _planes(each) for name, each in numbers.tensors().items()},
            "expected": _bytes_as_tensor(b"".join(self.expected[digest] for digest in questions)),
            "places": _planes(torch.tensor(places, dtype=torch.int32)),
            "prints": _bytes_as_tensor(_json(_without_sums(self.prints, sums))),
        }
        tensors["sums"] = _planes(torch.tensor(sums, dtype=torch.int32))
        told = _json(about).decode("ascii")
        # a single entry, because safetensors does not keep the order of several
        return safetensors.torch.save(tensors, {METADATA: f"{_digest_of(told, tensors)} {told}"})

    def _asked(self) -> Mapping[str, list[int]]:
        return self.mistakes[0].answers if self.mistakes else {}

    @classmethod
    def read(cls, path: Path, *, exercise: str, seed: int, checks: str) -> PlanFile:
        """Read the plan of this exercise with this seed, for checks with this text.

        Raises GraderBroken for a file that is damaged, not a plan, or of something else; OSError when it is missing.
        """
        content = path.read_bytes()
        try:
            about, tensors = _taken_apart(content)
        except Exception as error:  # from safetensors, JSON, or struct for a truncated file
            raise GraderBroken(f"{_named(path)} is damaged: unzip the bundle again") from error
        if about.get("version") != VERSION or about.get("judge") != JUDGE:
            raise GraderBroken(
                f"{_named(path)} was made by another version of the program: run `pip install ./program` in the bundle "
                "that it belongs to"
            )
        if (about.get("exercise"), about.get("seed")) != (exercise, seed):
            raise GraderBroken(f"{_named(path)} is the plan of something else: unzip the bundle again")
        if about.get("checks") != digest_of_text(checks):
            raise GraderBroken(
                f"{_named(path)} belongs to other checks than those of {exercise}: unzip the bundle again"
            )
        try:
            return cls._of(about, tensors)
        except Exception as error:
            raise GraderBroken(f"{_named(path)} is damaged: unzip the bundle again") from error

    @classmethod
    def _of(cls, about: Mapping[str, Any], tensors: Mapping[str, torch.Tensor]) -> PlanFile:
        taken = dict.fromkeys(_Numbers.KINDS, 0)
        numbers = {name: _from_planes(tensors[name], dtype) for name, dtype in _Numbers.KINDS.items()}
        draws = {
            name: PlannedDraws(
                [(kind, tuple(sizes), _number(numbers, taken, *kept)) for kind, sizes, kept in each["drawn"]],
                each["shapes"],
            )
            for name, each in about["draws"].items()
        }
        packed, start, expected = tensors["expected"].numpy().tobytes(), 0, {}
        for digest, size in about["expected"].items():
            expected[digest] = packed[start : start + size]
            start += size
        places, start = _from_planes(tensors["places"], torch.int32).tolist(), 0
        mistakes = [KnownMistake(id, message) for id, message in about["mistakes"]]
        for mistake in mistakes:
            for digest, count in about["asked"].items():
                mistake.answers[digest] = places[start : start + count]
                start += count
        sums = iter(_from_planes(tensors["sums"], torch.int32).tolist())
        prints = _with_sums(json.loads(tensors["prints"].numpy().tobytes()), sums)
        return cls(
            about["exercise"], about["seed"], about["checks"], about["course"], draws, expected, mistakes, prints
        )


def digest_of_text(*texts: str) -> str:
    """Digest of a course's files, regardless of line endings, which unpacking may change."""
    digest = hashlib.sha256()
    for text in texts:
        content = text.replace("\r\n", "\n").encode("utf-8", "surrogatepass")
        digest.update(f"{len(content)}\0".encode() + content)
    return digest.hexdigest()[:32]


class _Numbers:
    """Drawn numbers end to end: one long tensor for each dtype takes less space than many short ones."""

    KINDS: ClassVar = {"half": torch.float16, "single": torch.float32, "double": torch.float64, "whole": torch.int64}

    def __init__(self) -> None:
        self._parts: dict[str, list[torch.Tensor]] = {name: [] for name in self.KINDS}

    def add(self, tensor: torch.Tensor) -> list[Any]:
        """Store a tensor in the smallest dtype that loses nothing; return the key to read it back."""
        name = next(
            name
            for name, dtype in self.KINDS.items()
            if dtype.is_floating_point == tensor.is_floating_point()
            and torch.equal(tensor.to(dtype).to(tensor.dtype), tensor)
        )
        self._parts[name].append(tensor.to(self.KINDS[name]).reshape(-1))
        return [name, str(tensor.dtype).removeprefix("torch."), list(tensor.shape)]

    def tensors(self) -> dict[str, torch.Tensor]:
        return {name: torch.cat([torch.empty(0, dtype=self.KINDS[name]), *each]) for name, each in self._parts.items()}


def _planes(numbers: torch.Tensor) -> torch.Tensor:
    """The bytes of numbers: a row of all first bytes, a row of all second ones, and so on."""
    return numbers.view(torch.uint8).reshape(numbers.numel(), numbers.element_size()).T.contiguous()


def _from_planes(planes: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return planes.T.reshape(-1).view(dtype)


SUMS = "sums"
"""Where a fingerprint has the sums of a tensor: most of its bytes, so they are stored apart."""


def _without_sums(value: Any, sums: list[int]) -> Any:
    """A fingerprint, or part of one, with how many sums each tensor has; they are added to `sums`."""
    if isinstance(value, dict):
        if isinstance(value.get(SUMS), list):
            sums += value[SUMS]
            return {**value, SUMS: len(value[SUMS])}
        return {key: _without_sums(each, sums) for key, each in value.items()}
    return [_without_sums(each, sums) for each in value] if isinstance(value, list) else value


def _with_sums(value: Any, sums: Iterator[int]) -> Any:
    if isinstance(value, dict):
        if isinstance(value.get(SUMS), int):
            return {**value, SUMS: list(islice(sums, value[SUMS]))}
        return {key: _with_sums(each, sums) for key, each in value.items()}
    return [_with_sums(each, sums) for each in value] if isinstance(value, list) else value


def _number(
    tensors: Mapping[str, torch.Tensor], taken: dict[str, int], name: str, dtype: str, shape: Sequence[int]
) -> torch.Tensor:
    start = taken[name]
    taken[name] += torch.Size(shape).numel()
    return tensors[name][start : taken[name]].to(getattr(torch, dtype)).reshape(shape)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")


def _bytes_as_tensor(content: bytes) -> torch.Tensor:
    return torch.frombuffer(bytearray(content), dtype=torch.uint8) if content else torch.empty(0, dtype=torch.uint8)


def _digest_of(told: str, tensors: Mapping[str, torch.Tensor]) -> str:
    digest = hashlib.blake2b(told.encode(), digest_size=16)
    for name in sorted(tensors):
        digest.update(name.encode() + tensors[name].reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def _taken_apart(content: bytes) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    (size,) = struct.unpack_from("<Q", content)
    if size > min(len(content), MAX_HEADER_BYTES):
        raise ValueError("a header that is too long")
    digest, _, told = json.loads(content[8 : 8 + size])["__metadata__"][METADATA].partition(" ")
    tensors = safetensors.torch.load(content)
    if digest != _digest_of(told, tensors):
        raise ValueError("other bytes than were written")
    about = json.loads(told)
    if not isinstance(about, dict):
        raise ValueError("not a plan")
    return about, tensors


def _named(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
