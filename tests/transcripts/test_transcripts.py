"""The transcripts beside this file, typed again: each promises what its first line says, and is compared whole.

Below each line that begins with "$ " stands what comes of it: standard output, standard error behind "! ", the exit
status in brackets, a file's lines behind "| ". A new transcript needs its lines alone; RENEW=1 pytest tests/transcripts writes what comes of them.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .typed import Desk

HERE = Path(__file__).parent
KITS = ("01_parts/01_share", "01_parts/02_portion", "02_more/01_split")
SEEN = """\
    learner.agrees(function("portion", torch.tensor([[1.0, 1.0, 2.0], [1.0, 3.0, 4.0]]), axes="rows columns"))
"""
QUICK = (
    *("beginning", "class-by-hand", "class-hostile-names", "class-late", "class-odd-entries", "class-zips"),
    *("grade-handed-in-course", "hints-are-recorded", "pytest", "review-refused", "workspace-outside"),
)


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    """Three exercises in two units: `portion` asks for `share` first, and its visible check shows numbers."""
    root = make_course(tmp_path_factory.mktemp("transcripts") / "course", *KITS, named=False)
    catalogue = root / "course.yml"
    first, mark, rest = catalogue.read_text("utf-8").partition("id: portion")
    catalogue.write_text(first + mark + rest.replace("requires: []", "requires: [share]", 1), "utf-8")
    checks = root / "tests/kits/01_parts/02_portion/checks.py"
    before, _, after = checks.read_text("utf-8").partition('    (parts,) = learner.outputs(function("portion"')
    checks.write_text(before + SEEN + after[after.index("\n\n\n") + 1 :], "utf-8")
    return root


@pytest.fixture
def desk(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """Somebody in a copy of the tiny course, or beside the real one, on an evening in Greenwich."""

    desk = Desk(tmp_path, monkeypatch)
    for name, value in {"COLUMNS": "80", "NO_COLOR": "1", "TZ": "UTC", "HOME": str(tmp_path)}.items():
        desk.set(name, value)
    desk.set("USERPROFILE", str(tmp_path))
    desk.at("2026-11-18 20:00")
    desk.cd("~")
    if request.node.callspec.params["name"].parent == HERE:
        shutil.copytree(request.getfixturevalue("course"), tmp_path / "course")
        desk.set("KATA_COURSE", str(tmp_path / "course"))
        desk.cd("~/course")
    yield desk
    monkeypatch.undo()
    time.tzset()


def marked(path: Path) -> object:
    marks = () if path.stem in QUICK else pytest.mark.thorough
    return pytest.param(path, id=path.relative_to(HERE).with_suffix("").as_posix(), marks=marks)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", [marked(path) for path in sorted(HERE.rglob("*.txt"))])
def test_what_is_typed_shows_what_the_transcript_says(
    name: Path, desk: Desk, golden: Callable[[Path, str], None]
) -> None:
    golden(name, desk.transcript(name.read_text("utf-8")))
