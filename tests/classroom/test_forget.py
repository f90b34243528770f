"""`kata forget OUT LEARNER`: nothing of the learner is left in OUT, everything of the others is, and it says what it cannot reach."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from grader.classroom.store import reading

Kata = Callable[..., "subprocess.CompletedProcess[str]"]
HandIn = Callable[..., Path]

ROSTER = """\
id,name,email,handed_in
18151210,Ada Byron,byron@uni.example,2026-03-02 10:00 +00:00
1816,Bo Chen,chen@uni.example,2026-03-01 10:00 +00:00
1817,Carla Diaz,diaz@uni.example,
1818,Carla Diaz,other@uni.example,
"""
POLICY = "policy:\n  time_zone: Europe/London\n  due:\n    01_parts: 2026-03-01 12:00\n  late_percent_per_day: 10\n"
TRACES = ("18151210", "Ada Byron", "byron@uni.example")


@pytest.fixture(scope="module")
def graded(
    tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], hand_in: HandIn, kata: Kata
) -> Path:
    """A folder with a course, a class that was graded twice into OUT with a roster and pages, and its exports."""
    place = tmp_path_factory.mktemp("term")
    course = make_course(place / "course", "01_parts/01_share")
    with (course / "course.yml").open("a", encoding="utf-8") as catalogue:
        catalogue.write(POLICY)
    (place / "roster.csv").write_text(ROSTER, "utf-8")
    for id in ("18151210", "1816", "1817"):
        hand_in(place / "class", id, right=id != "1816")
    (place / "class" / "18151210" / "Ada Byron notes.txt").write_text("mine", "utf-8")
    common = ["--course", course, "--roster", "roster.csv", "--isolation", "best", "--html"]
    for again in ((), ("--anew",)):
        done = kata("grade-class", "class", "--out", "OUT", *common, *again, cwd=place)
        assert done.returncode == 0, done.stderr
    for format in ("csv", "junit", "gradescope", "github", "pages"):
        done = kata("export", "OUT", "--format", format, "--course", course, cwd=place)
        assert done.returncode == 0, done.stderr
    return place


@pytest.fixture
def place(graded: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(graded, tmp_path / "term"))


def files(out: Path) -> dict[str, bytes]:
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


@pytest.mark.thorough
def test_the_class_is_known_by_all_these_names_before(place: Path) -> None:
    for trace in TRACES:
        assert sum(trace.encode() in content for content in files(place / "OUT").values()) > 1


def test_nothing_of_the_learner_is_left_but_in_exports_which_are_named(place: Path, kata: Kata) -> None:
    out = place / "OUT"
    done = kata("forget", "OUT", "18151210", cwd=place)
    assert done.returncode == 0, done.stderr
    left = [
        name
        for name, content in files(out).items()
        if any(trace.encode() in content or trace in name for trace in TRACES)
    ]
    assert left == [
        "github/0001-18151210.json",
        "grades.csv",
        "gradescope/0001-18151210.json",
        "junit.xml",
        "pages.zip",
    ]
    assert all(f"OUT/{name} still holds one of these names" in done.stdout for name in left)


def test_all_others_keep_their_records_times_and_names(place: Path, kata: Kata) -> None:
    out = place / "OUT"
    before = (out / "results.jsonl").read_bytes().splitlines()
    assert kata("forget", "OUT", "18151210", cwd=place).returncode == 0
    assert (out / "results.jsonl").read_bytes().splitlines() == [line for line in before if b'"18151210"' not in line]
    assert members(out) == ["1816", "1817", "1818"]


def members(out: Path) -> list[str]:
    with reading(out) as store:
        return [each.id for each in store.learners()]


def test_somebody_of_the_same_name_keeps_everything(place: Path, kata: Kata) -> None:
    assert kata("forget", "OUT", "1817", cwd=place).returncode == 0
    assert members(place / "OUT") == ["18151210", "1816", "1818"]


def test_what_comes_after_goes_on_with_the_others(place: Path, kata: Kata) -> None:
    assert kata("forget", "OUT", "18151210", cwd=place).returncode == 0
    shutil.rmtree(place / "class" / "18151210")
    (place / "roster.csv").write_text(ROSTER.replace("18151210,Ada Byron", "1819,Dora Eco"), "utf-8")
    again = ("--course", "course", "--isolation", "best", "--resume", "--html", "--roster", "roster.csv")
    done = kata("grade-class", "class", "--out", "OUT", *again, cwd=place)
    assert done.returncode == 0, done.stderr
    page = (place / "OUT" / "class.html").read_text("utf-8")
    assert "Bo Chen" in page and "Ada Byron" not in page
    done = kata("export", "OUT", "--format", "csv", "--force", cwd=place)
    assert done.returncode == 0 and "18151210" not in (place / "OUT" / "grades.csv").read_text("utf-8")


def test_it_says_what_it_took_and_what_it_cannot_reach(place: Path, kata: Kata) -> None:
    done = kata("forget", "OUT", "18151210", cwd=place)
    assert done.stdout.splitlines()[:4] == [
        "Taken out of OUT: Ada Byron (18151210)",
        "  results: 2 rows",
        "  submissions: 2 rows",
        "  learners: 1 rows",
    ]
    assert "  what they handed in (" in done.stdout


@pytest.mark.parametrize("called", ["18151210", "Ada Byron", "byron@uni.example"], ids=["id", "name", "email"])
def test_a_learner_is_found_by_what_is_nobody_elses(called: str, place: Path, kata: Kata) -> None:
    done = kata("forget", "OUT", called, cwd=place)
    assert done.stdout.startswith("Taken out of OUT: Ada Byron (18151210)\n"), done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(
            ["OUT", "Carla Diaz"], "'Carla Diaz' could be 2 learners: give one of the ids 1817, 1818.", id="two"
        ),
        pytest.param(["OUT", "Dora"], "Nobody in OUT is called 'Dora'.", id="nobody"),
        pytest.param(["OUT", "Dora"], "kata forget OUT 18151210", id="nobody, with an example"),
        pytest.param(["class", "18151210"], "class holds no class.db; in class there is 18151210", id="no OUT"),
        pytest.param(["class", "18151210"], "such as: kata forget OUT LEARNER", id="no OUT, with an example"),
        pytest.param(["OUTSIDE", "18151210"], "OUTSIDE does not exist. Expected is the folder", id="no folder"),
    ],
)
def test_refusals_change_nothing(arguments: list[str], told: str, place: Path, kata: Kata) -> None:
    before = files(place)
    done = kata("forget", *arguments, cwd=place)
    assert done.returncode == 2 and told in done.stderr and "Traceback" not in done.stderr
    assert files(place) == before


def test_nobody_is_forgotten_while_a_run_grades_into_out(place: Path, kata: Kata) -> None:
    before = files(place)
    with FileLock(place / "OUT" / ".lock"):
        done = kata("forget", "OUT", "18151210", cwd=place)
    assert done.returncode == 2 and "Another command is writing into OUT" in done.stderr
    assert files(place) == before


def test_a_file_of_another_make_that_still_names_them_is_pointed_out(place: Path, kata: Kata) -> None:
    (place / "OUT" / "remarks.txt").write_text("Ada Byron asked for more time", "utf-8")
    done = kata("forget", "OUT", "18151210", cwd=place)
    assert "OUT/remarks.txt still holds one of these names" in done.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["unit", "moment", "file"])
def test_learner_who_is_called_like_a_word_of_the_format_takes_nothing_along(
    name: str, place: Path, hand_in: HandIn, kata: Kata
) -> None:
    for each in (name, "ada"):
        hand_in(place / "few", each)
        (place / "few" / each / "notes.txt").write_text("mine", "utf-8")
    (place / "few" / "notes.txt").write_text("mine", "utf-8")
    times = f"id,handed_in\nada,2026-03-02 10:00 +00:00\n{name},2026-03-01 10:00 +00:00\n"
    (place / "few.csv").write_text(times, "utf-8")
    common = ["--course", "course", "--isolation", "best"]
    done = kata("grade-class", "few", "--out", "FEW", *common, "--roster", "few.csv", cwd=place)
    assert done.returncode == 0, done.stderr
    listed = (place / "FEW" / "unmatched.csv").read_bytes()
    assert kata("forget", "FEW", name, cwd=place).returncode == 0
    assert members(place / "FEW") == ["ada"]
    assert (place / "FEW" / "unmatched.csv").read_bytes() == listed


@pytest.mark.thorough
def test_what_a_person_gave_to_others_stays_theirs(place: Path, hand_in: HandIn, kata: Kata) -> None:
    for each in ("Dora", "Adam's", "homework of Ada", "Ada's"):
        hand_in(place / "few", each)
    (place / "few.csv").write_text("id,name\n21,Dora\n22,Adam Eco\n23,Ada Fey\n24,Ada\n", "utf-8")
    given = "entry,learner\nAdam's,Adam Eco\nhomework of Ada,Ada Fey\nAda's,24\n"
    (place / "match.csv").write_text(given, "utf-8")
    common = ("--course", "course", "--isolation", "best", "--roster", "few.csv")
    done = kata("grade-class", "few", "--out", "FEW", *common, "--match", "match.csv", cwd=place)
    assert done.returncode == 0, done.stderr
    assert kata("forget", "FEW", "24", cwd=place).returncode == 0
    with reading(place / "FEW") as store:
        assert {each.entry: each.learner for each in store.unmatched()} == {
            "Adam's": "Adam Eco",
            "homework of Ada": "Ada Fey",
        }
