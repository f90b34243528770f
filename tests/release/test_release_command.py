"""`kata release` on a tiny course: what it writes, what it refuses, and how a newer bundle takes an older one's place."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course
from grader.judge.seeds import seed_for

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]
Unpack = Callable[[Path, Path], Path]
UseCourse = Callable[[Path, Path], None]

KITS = ("01_parts/01_share", "01_parts/02_portion")
SEEDS = ("--seed", "3", "--seed", "5")
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    return make_course(tmp_path_factory.mktemp("whole") / "tiny", *KITS)


@pytest.fixture(scope="module")
def released(course: Path, kata: Kata) -> Path:
    """The course's bundle as a zip."""
    path = course.parent / "released.zip"
    done = kata("release", "--out", path, *SEEDS, cwd=course)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == f"{path}: 2 exercises with all of their 6 checks, for 2 seeds."
    return path


def refused(done: Done) -> str:
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (sentence,) = done.stderr.splitlines()
    return sentence


@pytest.mark.thorough
def test_same_course_and_seeds_give_the_same_bytes(course: Path, released: Path, kata: Kata, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    assert kata("release", "--out", again, *SEEDS, cwd=course).returncode == 0
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


def plan_names(path: Path) -> set[str]:
    with zipfile.ZipFile(path) as pack:
        return {"/".join(Path(name).parts[2:]) for name in pack.namelist() if name.endswith(".plan")}


@pytest.mark.thorough
def test_seeds_are_drawn_anew_for_each_bundle(course: Path, kata: Kata, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert kata("release", "--out", tmp_path / f"{name}.zip", cwd=course).returncode == 0
    one, two = (plan_names(tmp_path / f"{name}.zip") for name in ("one", "two"))
    assert len(one) == len(two) == len(KITS) and not one & two


@pytest.mark.thorough
def test_folder_holds_what_the_zip_holds(
    course: Path, released: Path, kata: Kata, unpack: Unpack, tmp_path: Path
) -> None:
    assert kata("release", "--out", tmp_path / "folder", *SEEDS, cwd=course).returncode == 0
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


@pytest.mark.thorough
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
            "tests/kits/{}/checks.py",
            ("[0.25, 0.25, 0.5]", "[0.25, 0.25, 0.25]"),
            "share: the reference does not pass test_example: The parts of 1, 1 and 2 should be .25, .25 and .5.",
            id="a check that refuses the reference",
        ),
        pytest.param(
            "tests/kits/{}/mistakes.py",
            ("amounts.sum(dim=-1, keepdim=True)", "something else"),
            "tests/kits/01_parts/01_share/mistakes.py:6: the mistake 'whole-sum': 'something else' occurs 0 times in the "
            "reference: copy it from there",
            id="a bank that does not fit",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            "solutions/{}.py",
            ("# END SOLUTION", ""),
            "01_share.py:7: this marker fits no other: each stands alone on its line, `# BEGIN SOLUTION` before "
            "`# END SOLUTION`, and right after that `# BEGIN STUB` before `# END STUB`",
            id="a marker that is missing",
            marks=pytest.mark.thorough,
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


@pytest.mark.thorough
def test_newer_bundle_brings_everything_but_the_learners_own_work(
    course: Path, released: Path, kata: Kata, unpack: Unpack, use_course: UseCourse, tmp_path: Path
) -> None:
    older = unpack(released, tmp_path)
    mine = tmp_path / "mine"
    assert kata("init", mine, "--course", ".", cwd=older).returncode == 0
    use_course(mine, older)
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
    use_course(mine, newer)
    assert "0 new exercises, 1 renewed, 1 of yours kept." in done.stdout
    assert (mine / "exercises" / f"{KITS[0]}.py").read_text() == RIGHT
    assert "Shares of a whole" in (mine / "exercises" / f"{KITS[1]}.py").read_text()
    assert (mine / "exercises" / "01_parts" / "README.md").read_text() == "# A better lesson\n"
    assert "1 of 2 exercises, 4 of 8 points" in kata(cwd=mine).stdout


CONVERSES = '''

@points(1, converses=True)
def test_again(learner, draw):
    """What comes out may be put in again."""
    (parts,) = learner.outputs(function("share", draw.uniform(2, 30, low=1.0)))
    learner.agrees(function("share", parts))
'''
OTHER_BITS = (
    "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True) * (1 + 5e-7 * (amounts.dim() > 1))\n"
)


@pytest.fixture
def unplanned(tiny_course: Path, kata: Kata, use_course: UseCourse, tmp_path: Path) -> Path:
    """A bundle where a check converses, and a right answer."""
    checks, catalogue = tiny_course / f"tests/kits/{KITS[0]}/checks.py", tiny_course / "course.yml"
    checks.write_text(checks.read_text() + CONVERSES)
    catalogue.write_text(catalogue.read_text().replace("points: 4", "points: 5"))
    done = kata("release", "--out", tmp_path / "bundle", *SEEDS, cwd=tiny_course)
    assert done.returncode == 0, done.stderr
    bundle = tmp_path / "bundle"
    use_course(bundle, bundle)
    (bundle / "exercises" / f"{KITS[0]}.py").write_text(OTHER_BITS)
    return bundle


@pytest.mark.thorough
def test_what_nobody_planned_is_no_tick_and_no_points(unplanned: Path, kata: Kata) -> None:
    done = kata("check", "share", cwd=unplanned)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "What comes out may be put in again. This can only be checked when you hand in." in told
    assert "What could be checked here holds; 1 check runs when you hand in." in told
    assert "0 of 5 points, 0 of 1 exercise passed" in told and "✓" not in told
    told = " ".join(kata("list", cwd=unplanned).stdout.split())
    assert "in part" in told and "✓" not in told and "0 / 5 pt" in told


@pytest.mark.thorough
def test_what_nobody_planned_is_left_out_by_pytest(unplanned: Path, run_command: Callable[..., Done]) -> None:
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", cwd=unplanned)
    assert done.returncode == 0, done.stdout
    assert "3 passed, 1 skipped" in done.stdout.splitlines()[-1]
    assert "✓" not in run_command(Path(sys.executable).with_name("kata"), "list", cwd=unplanned).stdout


@pytest.fixture
def unzipped(released: Path, unpack: Unpack, use_course: UseCourse, tmp_path: Path) -> Path:
    """The bundle's folder, with one exercise done rightly."""
    root = unpack(released, tmp_path)
    use_course(root, root)
    (root / "exercises" / f"{KITS[0]}.py").write_text(RIGHT)
    return root


def test_damaged_plan_is_told_in_one_sentence(unzipped: Path, kata: Kata) -> None:
    damaged = unzipped / f"plans/3/{KITS[0]}.plan"
    damaged.write_bytes(damaged.read_bytes()[:40])
    said = refused(kata("check", "share", "--seed", "3", cwd=unzipped))
    assert said.endswith(f"{damaged.name} is damaged: unzip the bundle again")


@pytest.mark.thorough
def test_changed_checks_are_told_in_one_sentence(unzipped: Path, kata: Kata) -> None:
    checks = unzipped / "tests" / "kits" / KITS[0] / "checks.py"
    checks.write_text(checks.read_text().replace("0.25, 0.25, 0.5", "0.25, 0.25, 0.25"))
    said = refused(kata("check", "share", "--seed", "3", cwd=unzipped))
    assert said == "01_parts/01_share.plan is the plan of something else than share: unzip the bundle again"


@pytest.mark.thorough
def test_line_ends_of_another_system_change_nothing(unzipped: Path, kata: Kata) -> None:
    checks = unzipped / "tests" / "kits" / KITS[0] / "checks.py"
    checks.write_bytes(checks.read_bytes().replace(b"\n", b"\r\n"))
    assert kata("check", "share", cwd=unzipped).returncode == 0


def test_bundle_without_plans_is_told_in_one_sentence(unzipped: Path, kata: Kata) -> None:
    shutil.rmtree(unzipped / "plans")
    said = refused(kata("check", "share", cwd=unzipped))
    assert said == "there are no plans in this bundle: unzip the bundle again"


@pytest.mark.thorough
def test_each_run_takes_one_of_the_seeds(unzipped: Path, kata: Kata) -> None:
    assert kata("check", "share", "-v", cwd=unzipped).stdout.rpartition("--seed ")[2].strip() in ("3", "5")
    bundle = load_course(unzipped / "course.yml")
    assert {seed_for(bundle) for _ in range(100)} == {3, 5}


@pytest.mark.thorough
def test_link_in_the_place_of_the_zip_is_not_written_through(course: Path, kata: Kata, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "course.zip").symlink_to(precious)
    sentence = refused(kata("release", "--out", tmp_path / "course.zip", "--force", cwd=course))
    assert "this is a link" in sentence
    assert precious.read_text() == "mine"
