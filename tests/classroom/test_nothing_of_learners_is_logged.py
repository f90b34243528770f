"""What is kept of learners is kept in OUT: nothing of them gets into configuration, caches, temporary files or logs."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

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
def homes() -> Iterator[Mapping[str, str]]:
    """Folders of its own for all that a program may keep anywhere; with short names, as sockets want them."""
    names = (
        "HOME",
        "TMPDIR",
        "XDG_RUNTIME_DIR",
        *(f"XDG_{kind}_HOME" for kind in ("CONFIG", "CACHE", "DATA", "STATE")),
    )
    with TemporaryDirectory() as room:
        for name in names:
            (Path(room) / name).mkdir(mode=0o700)
        yield {name: f"{room}/{name}" for name in names}


@pytest.mark.thorough
def test_grading_a_class_leaves_nothing_of_learners_outside_of_out(
    place: Path, homes: Mapping[str, str], cold_kata: Run
) -> None:
    for number, answer in enumerate(ANSWERS.values()):
        (place / "class" / f"{NAME}-{number}").mkdir(parents=True)
        (place / "class" / f"{NAME}-{number}" / "share.py").write_text(answer, "utf-8")
    how = ["--course", place / "course", "--isolation", "best", "--html"]
    done = cold_kata("grade-class", place / "class", "--out", place / "OUT", *how, cwd=place, env=homes)
    assert done.returncode == 0, done.stderr
    assert len(_traces_in(place / "OUT")) > len(ANSWERS)  # there it belongs
    assert _traces_in(Path(homes["HOME"]).parent, place / "course") == []
    assert NAME not in done.stderr and TEXT not in done.stderr


@pytest.mark.thorough
def test_a_judge_that_is_kept_warm_writes_nothing_down_of_what_it_checks(
    place: Path, homes: Mapping[str, str], cold_kata: Run
) -> None:
    env = {**homes, "KATA_SERVICE": "1", "KATA_COURSE": str(place / "course")}
    work = place / NAME
    assert cold_kata("init", work, "--course", place / "course", cwd=place, env=env).returncode == 0
    (work / "exercises/01_parts/01_share.py").write_text(ANSWERS["an error that quotes it"], "utf-8")
    try:
        for _ in range(2):  # the second one finds it warm
            done = cold_kata("check", "share", cwd=work, env=env)
            assert done.returncode == 1, done.stderr
        found = _traces_in(Path(homes["HOME"]).parent)
    finally:
        cold_kata("doctor", "--stop-judges", cwd=place, env=env)
    assert found == []
