"""What is fuzzed, one module each: `run` takes any bytes and raises for a fault; `inputs` makes bytes worth trying."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from tests.fuzz.watching import watched

SEEDS = Path(__file__).resolve().parents[1] / "seeds"

NAMES = (
    "wire",
    "replies",
    "archive",
    "class_zip",
    "folder",
    "notebook",
    "source",
    "course",
    "record",
    "ledger",
    "roster",
    "progress",
    "hand_in",
    "timestamp",
)
NEED_NBGRADER = frozenset({"hand_in", "timestamp"})


class Target(Protocol):
    """One module of this package."""

    def run(self, data: bytes) -> None:
        """Feed these bytes to the code; raises for whatever that code must not do."""

    def inputs(self) -> SearchStrategy[bytes]:
        """Valid inputs, and valid ones that were spoilt."""


def load(name: str) -> Target:
    """The target of this name."""
    return cast(Target, import_module(f"tests.fuzz.targets.{name}"))


def warm(name: str) -> Target:
    """The target after a few inputs, so that what is imported at first use is there before anybody watches."""
    target = load(name)
    for data in examples(target, 5):
        target.run(data)
    return target


def run(target: Target, data: bytes) -> None:
    """One input under watch."""
    with watched():
        target.run(data)


def seeds_of(name: str) -> Iterator[tuple[str, bytes]]:
    """What once found something, or shows the format; by file name."""
    folder = SEEDS / name
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        yield path.name, path.read_bytes()


def examples(target: Target, number: int = 150) -> list[bytes]:
    """The first inputs that a target's strategy makes: always the same ones."""
    made: dict[bytes, None] = {}

    @settings(max_examples=number, derandomize=True, database=None, deadline=None, phases=(Phase.generate,),
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(target.inputs())
    def keep(data: bytes) -> None:
        made[data] = None

    keep()
    return list(made)
