"""`kata release` on a tiny course: what it writes, what it refuses, and how a newer bundle takes an older one's place."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]
Unpack = Callable[[Path, Path], Path]

KITS = ("01_parts/01_share", "01_parts/02_portion")
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    return make_course(tmp_path_factory.mktemp("whole") / "tiny", *KITS)


@pytest.fixture(scope="module")
def released(course: Path, kata: Kata) -> Path:
    """The course's bundle as a zip."""
    path = course.parent / "released.zip"
    done = kata("release", "--out", path, cwd=course)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == (
        f"{path}: 2 exercises with 2 visible checks; 4 hidden checks are named, and stay here."
    )
    return path


def refused(done: Done) -> str:
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (sentence,) = done.stderr.splitlines()
    return sentence


def test_same_course_gives_the_same_bytes(course: Path, released: Path, kata: Kata, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    assert kata("release", "--out", again, cwd=course).returncode == 0
    with zipfile.ZipFile(released) as pack, zipfile.ZipFile(again) as other:
        mine, yours = ([name for name in each.namelist() if "/program/" not in name] for each in (pack, other))
        assert [name.partition("/")[2] for name in mine] == [name.partition("/")[2] for name in yours]
        for one, two in zip(mine, yours, strict=True):
            assert pack.read(one) == other.read(two)
        names = pack.namelist()
        assert names == sorted(names)
        assert {each.date_time for each in pack.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    if mine == yours:  # the program itself is the same too, unless somebody works on it meanwhile
        assert released.read_bytes() == again.read_bytes()


def test_folder_holds_what_the_zip_holds(
    course: Path, released: Path, kata: Kata, unpack: Unpack, tmp_path: Path
) -> None:
    assert kata("release", "--out", tmp_path / "folder", cwd=course).returncode == 0
    unzipped = unpack(released, tmp_path)

    def contents(root: Path) -> dict[str, bytes]:
        paths = (path for path in root.rglob("*") if path.is_file() and "program" not in path.parts)
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}

    assert contents(tmp_path / "folder") == contents(unzipped)


def test_folder_with_something_in_it_is_left_alone(course: Path, kata: Kata, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("precious")
    sentence = refused(kata("release", "--out", tmp_path, "--force", cwd=course))
    assert sentence == f"{tmp_path} is not empty, and somebody's work may lie there: name a new folder"
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


def test_zip_that_is_there_is_written_over_only_when_forced(course: Path, kata: Kata, tmp_path: Path) -> None:
    path = tmp_path / "course.zip"
    path.write_text("an older one")
    assert refused(kata("release", "--out", path, cwd=course)) == f"{path} is there already: --force writes over it"
    assert path.read_text() == "an older one"
    assert kata("release", "--out", path, "--force", cwd=course).returncode == 0
    assert zipfile.is_zipfile(path) and [each.name for each in tmp_path.iterdir()] == ["course.zip"]


@pytest.mark.parametrize(
    ("file", "edit", "sentence"),
    [
        pytest.param(
            "tests/checks/{}.py",
            ("[0.25, 0.25, 0.5]", "[0.25, 0.25, 0.25]"),
            "share: the reference does not pass test_example: The parts of 1, 1 and 2 should be .25, .25 and .5. "
            "(when hidden checks are taken away)",
            id="a check that refuses the reference",
        ),
        pytest.param(
            "tests/checks/{}.py",
            (", visible=True", ""),
            "01_share.py: there is no visible check, so learners would have nothing to try",
            id="no visible check",
        ),
        pytest.param(
            "tests/mistakes/{}.py",
            ("amounts.sum(dim=-1, keepdim=True)", "something else"),
            "mistake 'whole-sum': 'something else' occurs 0 times in the reference",
            id="a bank that does not fit",
        ),
        pytest.param(
            "solutions/{}.py",
            ("# END SOLUTION", ""),
            "share: the solution's markers do not fit: line 7: BEGIN SOLUTION without its END SOLUTION",
            id="a marker that is missing",
        ),
    ],
)
def test_course_that_is_not_fit_is_refused(
    file: str, edit: tuple[str, str], sentence: str, tiny_course: Path, kata: Kata, tmp_path: Path
) -> None:
    path = tiny_course / file.format(KITS[0])
    path.write_text(path.read_text().replace(*edit))
    assert refused(kata("release", "--out", tmp_path / "out.zip", cwd=tiny_course)) == sentence
    assert not (tmp_path / "out.zip").exists()


def test_newer_bundle_brings_everything_but_the_learners_own_work(
    course: Path, released: Path, kata: Kata, unpack: Unpack, tmp_path: Path
) -> None:
    older = unpack(released, tmp_path)
    mine = tmp_path / "mine"
    assert kata("init", mine, "--course", ".", cwd=older).returncode == 0
    (mine / "exercises" / f"{KITS[0]}.py").write_text(RIGHT)
    assert kata("check", "share", cwd=mine).returncode == 0

    changed = tmp_path / "changed"
    shutil.copytree(course, changed)
    for kit in KITS:
        solution = changed / "solutions" / f"{kit}.py"
        solution.write_text(solution.read_text().replace("Parts of a whole", "Shares of a whole"))
    (changed / "exercises" / "01_parts" / "README.md").write_text("# A better lesson\n")
    assert kata("release", "--out", tmp_path / "newer.zip", "--course", changed, cwd=tmp_path).returncode == 0
    newer = unpack(tmp_path / "newer.zip", tmp_path)
    assert newer.name != older.name  # so unzipping it lays nothing over the older one

    done = kata("init", mine, "--course", ".", cwd=newer)
    assert "0 new exercises, 1 renewed, 1 of yours kept." in done.stdout
    assert (mine / "exercises" / f"{KITS[0]}.py").read_text() == RIGHT
    assert "Shares of a whole" in (mine / "exercises" / f"{KITS[1]}.py").read_text()
    assert (mine / "exercises" / "01_parts" / "README.md").read_text() == "# A better lesson\n"
    assert "1 of 2 exercises pass" in kata(cwd=mine).stdout


@pytest.mark.parametrize("suffix", [".numbers", ".hidden.json"])
def test_damaged_bundle_is_told_in_one_sentence(
    suffix: str, released: Path, kata: Kata, unpack: Unpack, tmp_path: Path
) -> None:
    root = unpack(released, tmp_path)
    damaged = (root / "tests" / "checks" / f"{KITS[0]}.py").with_suffix(suffix)
    damaged.write_bytes(damaged.read_bytes()[:40])
    (root / "exercises" / f"{KITS[0]}.py").write_text(RIGHT)
    assert (
        refused(kata("check", "share", "--course", ".", cwd=root))
        == f"{damaged.name} is damaged: unzip the bundle again"
    )


def test_bundle_that_nobody_named_is_not_used_and_says_what_to_type(
    released: Path, kata: Kata, unpack: Unpack, tmp_path: Path
) -> None:
    root = unpack(released, tmp_path)
    sentence = refused(kata("list", cwd=root))
    assert sentence.startswith(f"{root} holds a course that you have not named")
    assert f"kata init DIR --course {root}" in sentence
    done = kata("init", ".", "--course", ".", cwd=root)  # the folder itself
    assert done.returncode == 0, done.stderr
    assert "the course's own folder" in done.stdout
    (root / "exercises" / f"{KITS[0]}.py").write_text(RIGHT)
    assert kata("check", "share", cwd=root).returncode == 0
    assert "1 of 2 exercises pass" in kata(cwd=root / "exercises").stdout


def test_link_in_the_place_of_the_zip_is_not_written_through(course: Path, kata: Kata, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "course.zip").symlink_to(precious)
    sentence = refused(kata("release", "--out", tmp_path / "course.zip", "--force", cwd=course))
    assert "this is a link" in sentence
    assert precious.read_text() == "mine"
