"""What is fuzzed, one module each: `run` takes any bytes and raises for a fault; `inputs` makes bytes worth trying."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.watching import watched

SEEDS = Path(__file__).resolve().parents[1] / "seeds"
NAMES = ("wire", "zip", "csv")


def warm(name: str) -> ModuleType:
    """The target after a few inputs, so that what is imported at first use is there before anybody watches."""
    target = import_module(f"tests.fuzz.targets.{name}")
    for data in examples(target, 5):
        target.run(data)
    return target


def run(target: ModuleType, data: bytes) -> None:
    """One input under watch."""
    with watched():
        target.run(data)


def seeds_of(name: str) -> Iterator[tuple[str, bytes]]:
    """What once found something; by file name."""
    for path in sorted((SEEDS / name).iterdir()):
        yield path.name, path.read_bytes()


def examples(target: ModuleType, number: int = 150) -> list[bytes]:
    """The first inputs that a target's strategy makes: always the same ones."""
    made: dict[bytes, None] = {}

    @settings(max_examples=number, derandomize=True, database=None, deadline=None, phases=(Phase.generate,),
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(target.inputs())
    def keep(data: bytes) -> None:
        made[data] = None

    keep()
    return list(made)
