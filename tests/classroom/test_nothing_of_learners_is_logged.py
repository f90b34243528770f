"""What is kept of learners is kept in OUT: nothing of them gets into configuration, caches, temporary files or logs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

NAME = "Zebulon_Quixote"
TEXT = "a_word_that_nobody_else_writes"
ANSWERS = {
    "a right answer": "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n",
    "a wrong answer": "def share(amounts):\n    return amounts / amounts.sum()\n",
    "an error that quotes it": f"def share(amounts):\n    raise ValueError('{TEXT}')\n",
    "no Python": f"def share(amounts: {TEXT}\n",
    "an end of the process": f"import os\nprint('{TEXT}')\nos._exit(3)\n",
    "words on both streams": f"import sys\nprint('{TEXT}')\nprint('{TEXT}', file=sys.stderr)\nshare = None\n",
}


def _traces_in(*folders: Path) -> list[str]:
    found = []
    for folder in folders:
        for path in folder.rglob("*"):
            told = str(path.relative_to(folder)).encode() + (path.read_bytes() if path.is_file() else b"")
            if NAME.encode() in told or TEXT.encode() in told:
                found.append(str(path))
    return found


@pytest.fixture
def place(tmp_path: Path, make_course: Callable[..., Path]) -> Path:
    make_course(tmp_path / "course", "01_parts/01_share")
    return tmp_path


@pytest.fixture
def homes(tmp_path: Path) -> Mapping[str, str]:
    """Folders of its own for all that a program may keep anywhere."""
    names = (
        "HOME",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "XDG_STATE_HOME",
        "XDG_RUNTIME_DIR",
        "TMPDIR",
    )
    for name in names:
        (tmp_path / "homes" / name).mkdir(parents=True, mode=0o700)
    return {name: str(tmp_path / "homes" / name) for name in names} | {"PATH": os.environ["PATH"]}


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_grading_a_class_leaves_nothing_of_learners_outside_of_out(
    answer: str, place: Path, homes: Mapping[str, str], cold_kata: Run
) -> None:
    (place / "class" / NAME).mkdir(parents=True)
    (place / "class" / NAME / "share.py").write_text(answer, "utf-8")
    how = ["--course", place / "course", "--isolation", "best", "--html"]
    done = cold_kata("grade-class", place / "class", "--out", place / "OUT", *how, cwd=place, env=homes)
    assert done.returncode == 0, done.stderr
    assert _traces_in(place / "OUT")  # there it belongs
    assert _traces_in(place / "homes", place / "course") == []
    assert NAME not in done.stderr and TEXT not in done.stderr


def test_a_judge_that_is_kept_warm_writes_nothing_down_of_what_it_checks(
    place: Path, homes: Mapping[str, str], cold_kata: Run
) -> None:
    env = {**homes, "KATA_SERVICE": "1"}
    work = place / NAME
    assert cold_kata("init", work, "--course", place / "course", cwd=place, env=env).returncode == 0
    (work / "exercises/01_parts/01_share.py").write_text(ANSWERS["an error that quotes it"], "utf-8")
    try:
        for _ in range(2):  # the second one finds it warm
            done = cold_kata("check", "share", cwd=work, env=env)
            assert done.returncode == 1, done.stderr
        found = _traces_in(place / "homes")
    finally:
        cold_kata("doctor", "--stop-judges", cwd=place, env=env)
    # which workspaces there are is remembered, by their folders: that is what `kata init` is for
    assert [path for path in found if TEXT in Path(path).read_text("utf-8", "replace")] == []
