"""The hostile files of corpus/*.yml and the odd ones: what each tries, its source, and what must become of it.

A file of the corpus holds one kind: `exercise`, unless each attack names its own, and `attacks`:

    - name: exit_0_in_call
      tries: Ends the process as a success inside of the call.
      expect: {status: failed, says: "ended the Python process"}
      source: |
        ...

The attack's whole name has the kind before it: ends_exit_0_in_call. `expect` holds the status (`any` where it does not
matter); `at_most`, the points that it may get (none for one that fails, unless it is said); `says`, a part of one of the
messages; `within`, seconds. A line `#include NAME` in a source stands for the part of that name in shared.yml.
`by_chance: true` says that its checks end differently from run to run, or on a slower machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cases import table

HERE = Path(__file__).parent
USUAL_SECONDS = 20.0
"""For any of the files, far more than the seconds of its exercise: only what hangs takes longer."""


@dataclass(frozen=True)
class HostileFile:
    """A file that is handed in as the answer to an exercise, and what must become of it."""

    name: str
    exercise: str
    tries: str
    source: bytes
    status: str
    at_most: float | None = None
    """Points; None for all of the exercise's."""
    says: str = ""
    within: float = USUAL_SECONDS
    by_chance: bool = False


def all_files() -> list[HostileFile]:
    """The corpus, and files of odd_sources.yml, which no editor would keep as they are."""
    return [*corpus(), *_odd("passed"), *_odd("failed")]


def corpus() -> list[HostileFile]:
    """All of them, by kind and in the order of its file."""
    return [each for path in sorted((HERE / "corpus").glob("*.yml")) for each in _of_kind(path)]


def _of_kind(path: Path) -> Iterator[HostileFile]:
    kind = table(str(path), path.name)
    for attack in kind["attacks"]:
        expected = {"at_most": 0, **attack["expect"]} if attack["expect"]["status"] == "failed" else attack["expect"]
        yield HostileFile(
            name=f"{path.stem}_{attack['name']}",
            exercise=attack.get("exercise", kind.get("exercise")),
            tries=attack["tries"],
            source=f"# {attack['tries']}\n{_whole(attack['source'])}".encode(),
            by_chance=attack.get("by_chance", False),
            **expected,
        )


_SHARED = table(__file__, "shared.yml")
_ODD = table(__file__, "odd_sources.yml")


def _whole(source: str) -> str:
    return re.sub(r"^#include (\w+)\n", lambda line: _whole(_SHARED[line[1]]), source, flags=re.MULTILINE)


def _odd(status: str) -> Iterator[HostileFile]:
    for what, case in _ODD[status].items():
        text = "".join(map(_piece, case["is"]))
        for change in case.get("replace", ()):
            text = text.replace(*change)
        yield HostileFile(
            name=f"odd_{what.replace(' ', '_')}",
            exercise="softmax",
            tries=what,
            source=text.encode(case.get("encoding", "utf-8")),
            status=status,
            at_most=0 if status == "failed" else None,
            says=case.get("says", ""),
        )


def _piece(piece: str | list[Any]) -> str:
    if isinstance(piece, str):
        return piece
    text, times = piece
    return "".join(
        text.replace("<n>", str(n)).replace("<n+1>", str(n + 1)).replace("<chr>", chr(n)).replace("<indent>", " " * n)
        for n in range(times)
    )
