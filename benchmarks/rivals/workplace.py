"""Where the rivals live: their environment, and how a command of theirs is run in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BIN = ROOT / "build" / "rivals-venv" / "bin"
PYTHON = BIN / "python"

SETTINGS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "TMPDIR")
LONGEST_SECONDS = 3000

VERSIONS = """\
import json, sys
from importlib.metadata import version
names = ["nbgrader", "otter-grader", "pytest", "torch", "ipykernel"]
print(json.dumps({"python": sys.version.split()[0], **{name: version(name) for name in names}}))
"""
IMPORTS = """\
import json, time
started = time.perf_counter()
import torch
loaded = time.perf_counter()
import grader.judge.authoring, grader.judge.draw, grader.judge.learner, grader.judge.trusted
print(json.dumps([loaded - started, time.perf_counter() - loaded]))
"""


def await_environment() -> None:
    """Leave with a sentence when the rivals are not installed."""
    if not PYTHON.exists():
        sys.exit("The rivals are not installed: run benchmarks/rivals/set_up.sh first.")


def environment(home: Path, **more: str) -> dict[str, str]:
    """A rival's variables: nothing of the user's settings, the checks on the path, temporary files in `home`."""
    settings = {name: str(home / name.lower()) for name in SETTINGS}
    (home / "tmpdir").mkdir(exist_ok=True)
    # nbgrader calls `alembic`, which is in the environment that this one looks into
    path = os.pathsep.join([str(BIN), str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    checks = os.pathsep.join([str(ROOT), str(HERE)])
    # no plugin of pytest's but those that a command names: the project brings one
    plain = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return {**os.environ, **settings, **plain, "PATH": path, "PYTHONPATH": checks, **more}


class Failed(Exception):
    """A rival's command that did not end well, with what it said."""


def timed(folders: Sequence[Path], command: Sequence[str], **more: str) -> float:
    """Run a command of the rivals' Python in every folder at the same time; the seconds until the last has ended.

    Raises Failed when one ends badly.
    """
    started = time.perf_counter()
    running = [
        subprocess.Popen(
            [PYTHON, *command],
            cwd=folder,
            env=environment(folder, **more),
            stdout=(folder / "said.txt").open("w"),
            stderr=subprocess.STDOUT,
        )
        for folder in folders
    ]
    codes = [process.wait(LONGEST_SECONDS) for process in running]
    seconds = time.perf_counter() - started
    for folder, code in zip(folders, codes, strict=True):
        if code:
            raise Failed(f"{' '.join(command)} ended with {code}:\n{(folder / 'said.txt').read_text()[-3000:]}")
    return seconds


def versions() -> dict[str, str]:
    """What is compared."""
    return dict(_told(VERSIONS))


def import_seconds() -> tuple[float, float]:
    """How long torch takes to import, and what the checks' own modules add to it: the fastest of three."""
    both = [_told(IMPORTS) for _ in range(3)]
    return min(torch for torch, _ in both), min(checks for _, checks in both)


def _told(script: str) -> Any:
    done = subprocess.run([PYTHON, "-c", script], env=environment(ROOT / "build"), capture_output=True, check=True)
    return json.loads(done.stdout)
