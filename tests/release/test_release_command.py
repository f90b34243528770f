"""`kata release` on a tiny course: what it writes, what it refuses, and what is said of a course that is damaged."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load_course
from grader.course.installed import CARRIED
from grader.course.model import part_of
from grader.release.learners_wheel import own_seed
from tests.cases import rows, table
from tests.release.conftest import course_in_wheel

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]
UseCourse = Callable[[Path, Path], None]

CASES = table(__file__, "cases.yml")
KITS = ("01_parts/01_share", "01_parts/02_portion")
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
KINDS = {"answers": "--with-answers", "plans": "--without-answers"}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path]) -> Path:
    return make_course(tmp_path_factory.mktemp("whole") / "tiny", *KITS)


@pytest.fixture(scope="module")
def released(course: Path, kata: Kata) -> Callable[..., Path]:
    """The wheel of a kind, made anew into a folder."""

    def release(kind: str, out: Path, *options: str) -> Path:
        done = kata("release", "--out", out, KINDS[kind], *options, cwd=course)
        assert done.returncode == 0, done.stderr
        (wheel,) = out.glob("*.whl")
        number = "1 exercise, 3" if options else "2 exercises, 6"
        assert done.stdout.startswith(f"{wheel}: {number} checks, ")
        return wheel

    return release


@pytest.fixture(scope="module")
def wheels(released: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: released(kind, tmp_path_factory.mktemp(kind)) for kind in KINDS}


def refused(done: Done) -> str:
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (sentence,) = done.stderr.splitlines()
    return sentence


def names_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as pack:
        return set(pack.namelist())


def test_one_of_the_two_must_be_said(course: Path, kata: Kata, tmp_path: Path) -> None:
    assert refused(kata("release", "--out", tmp_path / "out", cwd=course)) == (
        "Say which: --with-answers for learners who practise on their own, or --without-answers for those who hand in "
        "for marks."
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", KINDS)
def test_version_says_which_it_is(kind: str, wheels: dict[str, Path]) -> None:
    named = re.fullmatch(rf"attention_kata-(\d+\.\d+\.\d+\+{kind}\.[a-z]{{8}})-py3-none-any\.whl", wheels[kind].name)
    assert named
    with zipfile.ZipFile(wheels[kind]) as pack:
        metadata = pack.read(f"attention_kata-{named[1]}.dist-info/METADATA").decode()
    assert f"\nVersion: {named[1]}\n" in metadata and "Requires-Dist: torch" in metadata


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
def test_same_course_gives_the_same_bytes(
    kind: str, wheels: dict[str, Path], released: Callable[..., Path], tmp_path: Path
) -> None:
    again = released(kind, tmp_path)
    # unless somebody works on the program meanwhile
    assert again.name != wheels[kind].name or again.read_bytes() == wheels[kind].read_bytes()
    with zipfile.ZipFile(wheels[kind]) as pack, zipfile.ZipFile(again) as other:
        for name in (name for name in pack.namelist() if CARRIED in name):
            assert pack.read(name) == other.read(name), name


def test_answers_are_in_one_packed_file_with_a_sentence_beside_it(
    wheels: dict[str, Path], course: Path, tmp_path: Path
) -> None:
    carried = {name for name in names_in(wheels["answers"]) if CARRIED in name}
    assert len(carried) == 2 and f"grader/{CARRIED}/README.txt" in carried
    with zipfile.ZipFile(wheels["answers"]) as pack:
        assert b"That is no secret" in pack.read(f"grader/{CARRIED}/README.txt")
    unpacked = course_in_wheel(wheels["answers"], tmp_path)
    for path in (*(course / "tests" / "kits").rglob("*.py"), *(course / "solutions").rglob("*.py")):
        assert (unpacked / path.relative_to(course)).read_bytes() == path.read_bytes()
    assert load_course(unpacked / "course.yml").has_answers


def test_without_answers_there_are_plans_of_one_seed(wheels: dict[str, Path]) -> None:
    carried = {name.removeprefix(f"grader/{CARRIED}/") for name in names_in(wheels["plans"]) if CARRIED in name}
    assert carried == {
        *("course.yml", "exercises/01_parts/README.md"),
        *(f"{place}.py" for kit in KITS for place in (f"exercises/{kit}", f"tests/kits/{kit}/checks")),
        *(f"plans/{kit}.plan" for kit in KITS),
    }


def test_seed_of_the_plans_follows_from_the_course(course: Path, wheels: dict[str, Path], tmp_path: Path) -> None:
    """So the same course gives the same wheel, and no class, whose seed is drawn at random, has it."""
    whole, planned = (load_course(each / "course.yml") for each in (course, course_in_wheel(wheels["plans"], tmp_path)))
    assert planned.planned_seed == own_seed(whole) != own_seed(part_of(whole, ["share"]))


@pytest.mark.parametrize(
    "option", [("--only", "portion"), ("--unit", "1", "--only", "portion")], ids=["exercise", "both"]
)
def test_part_of_a_course_holds_nothing_of_the_rest(
    option: tuple[str, ...], released: Callable[..., Path], tmp_path: Path
) -> None:
    course = course_in_wheel(released("answers", tmp_path, *option), tmp_path)
    assert {path.stem for path in (course / "solutions").rglob("*.py")} == {"02_portion"}


@rows(CASES["unfit"], "kind", "file", "edit", "sentence")
def test_course_that_is_not_fit_is_refused(
    kind: str, file: str, edit: list[str], sentence: str, tiny_course: Path, kata: Kata, tmp_path: Path
) -> None:
    path = tiny_course / file.format(KITS[0])
    path.write_text(path.read_text().replace(*edit))
    assert refused(kata("release", "--out", tmp_path / "out", KINDS[kind], cwd=tiny_course)) == sentence
    assert not (tmp_path / "out").exists()


# --- a course without answers ---------------------------------------------------------------------------------------


@pytest.fixture
def planned(wheels: dict[str, Path], use_course: UseCourse, tmp_path: Path) -> Path:
    """The folder of a course without answers."""
    root = course_in_wheel(wheels["plans"], tmp_path / "planned")
    use_course(root, root)
    return root


@pytest.fixture
def work(planned: Path, init: Callable[[Path, Path], Path], tmp_path: Path) -> Path:
    """A learner's folder with one exercise done rightly."""
    folder = init(planned, tmp_path / "attention")
    (folder / "exercises" / f"{KITS[0]}.py").write_text(RIGHT)
    return folder


@rows(CASES["needs answers"], "command")
def test_what_needs_the_answers_is_refused_with_one_sentence(command: list[str], planned: Path, kata: Kata) -> None:
    assert refused(kata(*command, cwd=planned)) == (
        f"{planned} is a course without answers: this needs the whole course (--course says where it is)."
    )


def test_seed_that_there_is_no_plan_for_is_refused(planned: Path, work: Path, kata: Kata) -> None:
    seed = load_course(planned / "course.yml").planned_seed
    said = refused(kata("check", "share", "--seed", 12, cwd=work))
    assert said == f"this course has no plans for the seed 12; it has them for {seed}"


@rows(CASES["changed"], "file", "edit", "sentence")
def test_changed_course_without_answers_is_told_in_one_sentence(
    file: str, edit: str | list[str], sentence: str | None, planned: Path, work: Path, kata: Kata
) -> None:
    path = planned / file.format(KITS[0])
    content = path.read_bytes()
    path.unlink()
    if edit != "gone":
        path.write_bytes(content[:40] if edit == "cut off" else content.replace(*map(str.encode, edit)))
    done = kata("check", "share", cwd=work)
    if sentence:
        assert refused(done) == sentence
    else:
        assert done.returncode == 0, done.stderr


CONVERSES = '''

@points(1, converses=True)
def test_again(learner, draw):
    """What comes out may be put in again."""
    (parts,) = learner.outputs(function("share", draw.uniform(2, 30, low=0.5)))
    learner.agrees(function("share", parts))
'''
OTHER_BITS = (
    "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True) * (1 + 5e-7 * (amounts.dim() > 1))\n"
)


@pytest.mark.thorough
def test_what_nobody_planned_is_no_tick_and_no_points(
    tiny_course: Path,
    kata: Kata,
    init: Callable[[Path, Path], Path],
    run_command: Callable[..., Done],
    tmp_path: Path,
) -> None:
    """In a course without answers where a check converses, a right answer."""
    checks, catalogue = tiny_course / f"tests/kits/{KITS[0]}/checks.py", tiny_course / "course.yml"
    checks.write_text(checks.read_text() + CONVERSES)
    catalogue.write_text(catalogue.read_text().replace("points: 4", "points: 5"))
    done = kata("release", "--out", tmp_path / "out", "--without-answers", cwd=tiny_course)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "out").glob("*.whl")
    planned = course_in_wheel(wheel, tmp_path / "planned")
    work = init(planned, tmp_path / "attention")
    (work / "exercises" / f"{KITS[0]}.py").write_text(OTHER_BITS)

    done = kata("check", "share", cwd=work)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "What comes out may be put in again. This can only be checked when you hand in." in told
    assert "What could be checked here holds; 1 check runs when you hand in." in told
    assert "in part" in told and "0 / 5" in told and "✓" not in told
    told = " ".join(kata("list", cwd=work).stdout.split())
    assert "in part" in told and "✓" not in told and "0 / 5 pt" in told
    done = run_command(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", cwd=work)
    assert done.returncode == 0, done.stdout
    assert "3 passed, 1 skipped" in done.stdout.splitlines()[-1]
