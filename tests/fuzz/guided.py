"""Run by scripts/fuzz.py in a process of its own: one target under atheris, which looks for bytes that reach new code.

python -m tests.fuzz.guided TARGET CORPUS SEED_INPUTS [libFuzzer's own options ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

FOLLOWED = ("grader", "zipfile", "csv", "dateutil", "fsrs", "nbformat")
"""Packages whose branches count as new code."""

LONGEST_START = 8 * 1024
"""Bytes of an input to start from; long ones are slow, and show nothing that short ones do not."""

NEVER_FOLLOWED = ("grader.judge.fixtures",)


def main() -> None:
    name, corpus, kept, *options = sys.argv[1:]
    for module in ("zipfile", "csv"):
        sys.modules.pop(module, None)  # loaded by atheris or Python itself, without being followed
    with atheris.instrument_imports(include=list(FOLLOWED), exclude=list(NEVER_FOLLOWED)):
        from tests.fuzz import targets

        target = targets.warm(name)
    for number, data in enumerate(targets.examples(target)):
        if len(data) <= LONGEST_START:
            (Path(kept) / f"valid-{number:03}").write_bytes(data)
    atheris.Setup([sys.argv[0], corpus, kept, *options], lambda data: targets.run(target, data))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
