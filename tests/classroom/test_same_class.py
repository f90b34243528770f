"""Going on with a class: the same roster and the same reading of names, whether or not they are given again."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.results import read_results

Done = subprocess.CompletedProcess[str]
Kata = Callable[..., Done]

ROSTER = "id,name\n1001,Ada Byron\n1002,Bo Chen\n"


@pytest.fixture
def folder(tmp_path: Path, hand_in: Callable[..., Path], course_root: Path, kata: Kata) -> Path:
    """A class of two, graded with a roster whose ids are not the folders' names."""
    hand_in(tmp_path / "class", "Ada Byron")
    hand_in(tmp_path / "class", "Bo Chen", right=False)
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
    done = graded(kata, tmp_path, course_root, "--roster", "roster.csv")
    assert done.returncode == 0, done.stderr
    return tmp_path


def graded(kata: Kata, folder: Path, course: Path, *arguments: object) -> Done:
    terms = ("--out", "out", "--course", course, "--isolation", "best", "--jobs", 1)
    return kata("grade-class", "class", *terms, *arguments, cwd=folder)


@pytest.mark.thorough
def test_roster_is_remembered_and_said(
    folder: Path, course_root: Path, kata: Kata, names_in: Callable[[Path], list[str]]
) -> None:
    before = (folder / "out" / "results.jsonl").read_bytes()
    done = graded(kata, folder, course_root, "--resume")
    assert done.returncode == 0, done.stderr
    assert "The roster is that of the run before." in done.stderr
    assert (folder / "out" / "results.jsonl").read_bytes() == before
    assert names_in(folder / "out") == ["1001", "1002"]


@pytest.mark.thorough
def test_learner_who_joins_is_taken_from_the_roster_as_it_is_now(
    folder: Path, course_root: Path, kata: Kata, names_in: Callable[[Path], list[str]], hand_in: Callable[..., Path]
) -> None:
    (folder / "roster.csv").write_text(f"{ROSTER}1003,Cy Dee\n", "utf-8")
    hand_in(folder / "class", "Cy Dee")
    for given in (("--roster", "roster.csv"), ()):
        assert graded(kata, folder, course_root, "--resume", *given).returncode == 0
        assert names_in(folder / "out") == ["1001", "1002", "1003"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("id,name\n1001,Ada Byron\n", "1002 would lose their row", id="a learner less"),
        pytest.param("id,name\n7,Ada Byron\n8,Bo Chen\n", "1001, 1002 would lose their row", id="other ids"),
        pytest.param("id,name\n1002,Ada Byron\n1001,Bo Chen\n", "would be another's", id="ids that are exchanged"),
    ],
)
def test_roster_that_would_move_a_row_is_refused(
    text: str, said: str, folder: Path, course_root: Path, kata: Kata
) -> None:
    before = (folder / "out" / "results.jsonl").read_bytes()
    (folder / "other.csv").write_text(text, "utf-8")
    done = graded(kata, folder, course_root, "--resume", "--roster", "other.csv")
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert (folder / "out" / "results.jsonl").read_bytes() == before


@pytest.mark.thorough
def test_roster_that_is_gone_is_not_needed(folder: Path, course_root: Path, kata: Kata) -> None:
    before = (folder / "out" / "results.jsonl").read_bytes()
    (folder / "roster.csv").unlink()
    assert graded(kata, folder, course_root, "--resume").returncode == 0
    assert (folder / "out" / "results.jsonl").read_bytes() == before


@pytest.mark.thorough
def test_roster_for_a_class_that_was_graded_without_one_is_refused_where_rows_would_get_other_names(
    tmp_path: Path, hand_in: Callable[..., Path], course_root: Path, kata: Kata
) -> None:
    hand_in(tmp_path / "class", "Ada Byron")
    assert graded(kata, tmp_path, course_root).returncode == 0
    (tmp_path / "roster.csv").write_text(ROSTER, "utf-8")
    done = graded(kata, tmp_path, course_root, "--resume", "--roster", "roster.csv")
    assert done.returncode == 2 and "Ada Byron would lose their row" in done.stderr


@pytest.mark.thorough
def test_other_names_are_refused(folder: Path, course_root: Path, kata: Kata) -> None:
    done = graded(kata, folder, course_root, "--resume", "--from", "canvas")
    assert done.returncode == 2 and "was graded with the names of plain" in done.stderr


@pytest.mark.thorough
def test_exercises_of_the_run_before_are_taken_and_said(
    tmp_path: Path, hand_in: Callable[..., Path], make_course: Callable[..., Path], kata: Kata
) -> None:
    course = make_course(tmp_path / "course", "01_parts/01_share", "02_more/01_split")
    hand_in(tmp_path / "class", "ada")
    assert graded(kata, tmp_path, course, "--unit", "1").returncode == 0
    before = (tmp_path / "out" / "results.jsonl").read_bytes()
    done = graded(kata, tmp_path, course, "--resume")
    assert done.returncode == 0 and "The exercises are those of the run before: share." in done.stderr
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == before


# --- without a roster: the row of whoever hands in again --------------------------------------------------------------

WHEN = "2026-11-20-10-15-00"
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts / amounts.sum()\n"


@pytest.fixture
def download(tmp_path: Path, course_root: Path, kata: Kata) -> Callable[..., Done]:
    """Puts files of these names into the class's folder, and grades it."""
    (tmp_path / "class").mkdir()

    def grade(files: dict[str, str], *arguments: object) -> Done:
        for name, content in files.items():
            (tmp_path / "class" / name).parent.mkdir(exist_ok=True)
            (tmp_path / "class" / name).write_text(content, "utf-8")
        return graded(kata, tmp_path, course_root, *arguments)

    return grade


def points(out: Path) -> dict[str, float]:
    return {each.learner.id: each.record.counted_points for each in read_results(out)}


def blackboard(head: str, when: str = WHEN) -> str:
    return f"{head}_attempt_{when}_share.py"


@pytest.mark.thorough
def test_stranger_whose_login_was_cut_off_another_ones_takes_no_row(
    tmp_path: Path, download: Callable[..., Done]
) -> None:
    """All heads began with HW_a_ at first: that x was a_x's name, and is now another learner's whole login."""
    assert download({blackboard("HW_a_x"): WRONG, blackboard("HW_a_y"): RIGHT}).returncode == 0
    before = (tmp_path / "out" / "results.jsonl").read_bytes()
    done = download({blackboard("HW_x"): f"# another\n{WRONG}"}, "--resume")
    assert done.returncode == 2 and "was of x in the run before, and would be of a_x." in done.stderr
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == before


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("Ada Byron_9001_assignsubmission_file_", "Ada King_9001_assignsubmission_file_", id="Moodle"),
        pytest.param("byronada_101_5001_", "kingada_101_5007_", id="Canvas"),
        pytest.param(
            "11-22 - Ada Byron - Nov 20, 2026 416 PM", "11-22 - Ada King - Nov 20, 2026 416 PM", id="Brightspace"
        ),
    ],
)
def test_changed_display_name_gives_no_second_row(
    before: str, after: str, tmp_path: Path, download: Callable[..., Done]
) -> None:
    other = before.replace("Ada Byron", "Bo Chen").replace("byronada", "chenbo").replace("9001", "9002")
    other = other.replace("101_5001", "102_5002").replace("11-22", "11-33")

    def named(mark: str) -> str:
        return f"{mark}share.py" if "_500" in mark else f"{mark}/share.py"

    assert download({named(before): WRONG, named(other): RIGHT}).returncode == 0
    first = points(tmp_path / "out")
    old = tmp_path / "class" / named(before)
    shutil.rmtree(old.parent) if old.parent.name != "class" else old.unlink()
    done = download({named(after): RIGHT}, "--resume")
    assert done.returncode == 0, done.stderr
    assert points(tmp_path / "out") == dict.fromkeys(first, 4.0)


@pytest.mark.thorough
def test_dispute_by_a_borrowed_display_name_leaves_both_rows_to_their_owners_once_it_is_over(
    tmp_path: Path, download: Callable[..., Done]
) -> None:
    (tmp_path / "roster.csv").write_text("id,name\n1,Mallory Moe\n2,Bo Chen\n", "utf-8")
    borrowed, own = "Bo Chen_8001_assignsubmission_file_", "Bo Chen_9002_assignsubmission_file_"
    torn = download({f"{borrowed}/share.py": WRONG, f"{own}/share.py": RIGHT}, "--roster", "roster.csv")
    assert torn.returncode == 2 and "Nothing was graded" in torn.stderr
    (tmp_path / "class" / borrowed).rename(tmp_path / "class" / borrowed.replace("Bo Chen", "Mallory Moe"))
    done = download({}, "--resume", "--roster", "roster.csv")
    assert done.returncode == 0, done.stderr
    assert points(tmp_path / "out") == {"1": 1.0, "2": 4.0}


@pytest.mark.thorough
def test_platforms_number_that_was_one_learners_is_another_ones_only_if_a_person_says_so(
    tmp_path: Path, download: Callable[..., Done]
) -> None:
    """Mallory calls herself Bo, who has handed in nothing so far: Bo's row stays empty, and hers stays hers."""
    (tmp_path / "roster.csv").write_text("id,name\n1,Mallory Moe\n2,Bo Chen\n3,Cy Dee\n", "utf-8")
    mallory, cy = "Mallory Moe_9001_assignsubmission_file_", "Cy Dee_9003_assignsubmission_file_"
    done = download({f"{mallory}/share.py": WRONG, f"{cy}/share.py": RIGHT}, "--roster", "roster.csv")
    assert done.returncode == 0, done.stderr
    before = (tmp_path / "out" / "results.jsonl").read_bytes()
    shutil.rmtree(tmp_path / "class" / mallory)
    theirs = "Bo Chen_9001_assignsubmission_file_"
    done = download({f"{theirs}/share.py": RIGHT}, "--resume")
    assert done.returncode == 2 and f"{theirs} was of 1 in the run before, and would be of 2." in done.stderr
    assert (tmp_path / "out" / "results.jsonl").read_bytes() == before
    (tmp_path / "match.csv").write_text(f"entry,why,learner\n{theirs},,\n", "utf-8")
    done = download({}, "--resume", "--match", "match.csv")
    assert done.returncode == 2 and "would be of 2." in done.stderr, "an empty column says nothing"
    (tmp_path / "match.csv").write_text(f"entry,why,learner\n{theirs},,Mallory Moe\n", "utf-8")
    done = download({}, "--resume", "--match", "match.csv")
    assert done.returncode == 0, done.stderr
    assert points(tmp_path / "out") == {"1": 4.0, "3": 4.0}
    assert download({}, "--resume").returncode == 0, "what a person said is remembered"
    assert points(tmp_path / "out") == {"1": 4.0, "3": 4.0}


@pytest.mark.thorough
@pytest.mark.parametrize("inside", ["1/share.py", "2/share.py", "bo_2_9001_share.py"])
def test_zip_that_is_handed_in_late_is_no_class_and_moves_nobodys_points(
    inside: str, tmp_path: Path, download: Callable[..., Done]
) -> None:
    (tmp_path / "roster.csv").write_text("id,name\n1,Ada Byron\n2,Bo Chen\n3,Mallory Moe\n", "utf-8")
    done = download({"1/share.py": RIGHT, "2/share.py": RIGHT}, "--roster", "roster.csv")
    assert done.returncode == 0, done.stderr
    shutil.rmtree(tmp_path / "class")
    (tmp_path / "class").mkdir()
    with zipfile.ZipFile(tmp_path / "class" / "work.zip", "w") as archive:
        archive.writestr(inside, WRONG)
    done = download({}, "--resume")
    assert "work.zip is one learner's submission; if it is the class, give the zip itself." in done.stderr
    assert points(tmp_path / "out") == {"1": 4.0, "2": 4.0}
    assert "work.zip" in (tmp_path / "out" / "unmatched.csv").read_text("utf-8")
