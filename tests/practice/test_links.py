"""Links in a folder that came from somewhere else lead no command to write outside of it; the learner beside loses nothing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"
UNIT = "exercises/01_parts"
FILE = f"{UNIT}/01_share.py"


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """Somebody else's folder, which looks like what stands at each of the places; after the test it is as before."""
    folder = tmp_path / "outside"
    for name in ("file", "README.md", "workspace.json", "progress.json", "progress.lock", "01_share.py", "share/file"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WRONG)
    before = contents(folder)
    yield folder
    assert contents(folder) == before


def contents(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {str(path): (path.stat().st_ino, path.read_bytes()) for path in sorted(folder.rglob("*")) if path.is_file()}


def link(place: Path, outside: Path, make: Callable[[Path, Path], None] = os.symlink) -> None:
    """A link at a place to something outside of its kind, in the place of what is there."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir():
        place.rename(outside.parent / "put away")
    place.unlink(missing_ok=True)
    make(outside / "file" if place.suffix or place.name == "progress.lock" else outside, place)


@pytest.fixture
def init(tmp_path: Path, tiny_course: Path, kata: Run) -> Callable[..., Path]:
    """Has `kata init` make a workspace, with this status."""

    def make(name: str = "mine", status: int = 0, said: str = "") -> Path:
        done = kata("init", name, "--course", tiny_course, cwd=tmp_path)
        assert (done.returncode, said in done.stdout + done.stderr) == (status, True), done.stdout + done.stderr
        return tmp_path / name

    return make


@pytest.fixture
def mine(init: Callable[..., Path]) -> Path:
    """A workspace with work in it."""
    folder = init()
    (folder / FILE).write_text(RIGHT)
    return folder


ON_THE_WAY = ["exercises", UNIT, ".kata"]
AT_THE_END = [f"{UNIT}/README.md", ".kata/workspace.json", FILE]


@pytest.mark.parametrize("place", [*ON_THE_WAY, *AT_THE_END])
def test_init_writes_through_no_link_in_the_folder(
    place: str, outside: Path, tmp_path: Path, init: Callable[..., Path]
) -> None:
    link(tmp_path / "mine" / place, outside)
    if place in ON_THE_WAY:
        init(status=2, said=f"nothing is written through links: take it away: mine/{place}\n")
    else:
        init()  # what a learner put in an exercise's place is kept
        assert (tmp_path / "mine" / place).is_symlink() == (place == FILE)


def test_init_breaks_a_hard_link_and_keeps_what_else_it_names(
    outside: Path, tmp_path: Path, init: Callable[..., Path]
) -> None:
    link(tmp_path / f"mine/{UNIT}/README.md", outside, os.link)
    assert "# 01_parts" in (init() / f"{UNIT}/README.md").read_text()


@pytest.mark.timeout(30)
def test_init_waits_for_no_pipe(tmp_path: Path, init: Callable[..., Path]) -> None:
    for place in (FILE, f"{UNIT}/README.md", ".kata/workspace.json"):
        (tmp_path / "mine" / place).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(tmp_path / "mine" / place)
    init(said="1 of yours kept")


@pytest.mark.parametrize("place", [".kata", ".kata/archive", ".kata/archive/share", "exercises", UNIT, FILE])
def test_reset_moves_and_writes_nothing_through_a_link(place: str, mine: Path, outside: Path, kata: Run) -> None:
    link(mine / place, outside)
    done = kata("reset", "share", cwd=mine)
    if place == FILE:
        assert done.returncode == 0, done.stderr
        assert not (mine / FILE).is_symlink() and "NotImplementedError" in (mine / FILE).read_text()
        (kept,) = (mine / ".kata/archive/share").iterdir()
        assert kept.is_symlink()
    else:
        told = "You are not in a workspace" if place == ".kata" else "this is a link"
        assert (done.returncode, told in done.stderr) == (2, True), done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("place", [".kata", ".kata/progress.lock", ".kata/progress.json", "report.html"])
@pytest.mark.parametrize("words", ["check", "report", "hint share", "next --skip"])
def test_nothing_is_noted_through_a_link(words: str, place: str, mine: Path, outside: Path, kata: Run) -> None:
    link(mine / place, outside)
    done = kata(*words.split(), cwd=mine)
    assert "Traceback" not in done.stderr
    if place == ".kata":  # a link makes no workspace
        assert (done.returncode, done.stdout) == (2, "")
    elif words == "check":
        assert (done.returncode, "4 / 4" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize("place", ["review", "review/01_share.py"])
def test_review_is_handed_out_through_no_link(place: str, mine: Path, outside: Path, kata: Run) -> None:
    assert kata("check", cwd=mine).returncode == 0
    link(mine / place, outside)
    done = kata("review", "share", cwd=mine)
    assert done.returncode == (2 if place == "review" else 0), done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("words", [f"grade {FILE} --isolation best --json", f"grade {FILE} --isolation best --html", "report --out"])  # fmt: skip
def test_output_in_the_place_of_a_link_is_refused(words: str, mine: Path, outside: Path, kata: Run) -> None:
    (mine / "out.html").symlink_to(outside / "file")
    done = kata(*words.split(), "out.html", cwd=mine)
    assert (done.returncode, "this is a link" in done.stderr) == (2, True), done.stdout


def test_the_learner_beside_is_served_as_ever(
    mine: Path, outside: Path, tmp_path: Path, init: Callable[..., Path], kata: Run
) -> None:
    link(tmp_path / "other/.kata", outside)
    init("other", status=2)
    assert kata("check", cwd=mine).returncode == 0
    assert (mine / ".kata/progress.json").is_file()
