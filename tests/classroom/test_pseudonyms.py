"""`--pseudonyms`: exports and pages that tell nobody who a learner is, and the table of who is who apart from them."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.classroom.members import Learner
from grader.classroom.pseudonyms import masked

Kata = Callable[..., "subprocess.CompletedProcess[str]"]
HandIn = Callable[..., Path]

ROSTER = (
    "id,name,email\n1815,Ada Byron,byron@uni.example\n1816,Bo Chen,chen@uni.example\n1817,Carla Diaz,diaz@uni.example\n"
)
TRACES = ("1815", "1816", "1817", "Ada", "Byron", "Bo Chen", "Carla", "uni.example")


@pytest.fixture(scope="module")
def graded(
    tmp_path_factory: pytest.TempPathFactory, make_course: Callable[..., Path], hand_in: HandIn, kata: Kata
) -> Path:
    """A class of three, one of whom handed in nothing, and one a file that bears a name."""
    place = tmp_path_factory.mktemp("term")
    course = make_course(place / "course", "01_parts/01_share")
    (place / "roster.csv").write_text(ROSTER, "utf-8")
    for id in ("1815", "1816"):
        hand_in(place / "class", id, right=id == "1815")
    (place / "class" / "1815" / "Ada Byron.py").write_text("x = 1\n", "utf-8")
    how = ["--course", course, "--roster", "roster.csv", "--isolation", "best"]
    done = kata("grade-class", "class", "--out", "OUT", *how, cwd=place)
    assert done.returncode == 0, done.stderr
    return place


@pytest.fixture
def place(graded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graded, tmp_path / "term"))


def told_in(folder: Path) -> list[str]:
    """Files that tell who somebody is."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return [path.name for path in found if any(t in path.name or t in path.read_text("utf-8") for t in TRACES)]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "arguments",
    [
        *(
            pytest.param(["export", "OUT", "--format", each], id=each)
            for each in ("csv", "junit", "gradescope", "github")
        ),
        pytest.param(["export", "OUT", "--format", "csv", "--by", "exercise"], id="csv by exercise"),
        pytest.param(["policy", "OUT", "--html"], id="pages"),
    ],
)
def test_nothing_that_is_made_tells_who_a_learner_is(arguments: list[str], place: Path, kata: Kata) -> None:
    done = kata(*arguments, "--pseudonyms", "--course", "course", cwd=place)
    assert done.returncode == 0, done.stderr
    made = place / "OUT" / "pseudonymous"
    assert any(made.rglob("*")) and told_in(made) == []
    assert not [trace for trace in TRACES if trace in done.stdout + done.stderr]
    assert "Who is who: OUT/who_is_who.csv (for you alone)" in done.stdout


ADA = Learner(name="18151210", shown="Ada Byron", email="ada@uni.example", ids=("77",))


@pytest.mark.parametrize(
    ("text", "of_files", "told"),
    [
        pytest.param("18151210_softmax.py", True, "X_softmax.py", id="a number in a file's name"),
        pytest.param("softmax_ada_byron_2.py", True, "softmax_X_2.py", id="a name with an underscore"),
        pytest.param("byron-softmax.py and ADA.py", True, "X-softmax.py and X.py", id="a part of a name"),
        pytest.param("adapter.py", True, "adapter.py", id="no part of a word"),
        pytest.param("77_softmax.py, 177.py", True, "X_softmax.py, 177.py", id="a short number"),
        pytest.param("hello from 18151210!", False, "hello from X!", id="a number in a message"),
        pytest.param("by ada-byron (Ada  Byron)", False, "by X (X)", id="a name however it is apart"),
        pytest.param("0.18151210, 218151210, (77, 3)", False, "0.18151210, 218151210, (77, 3)", id="numbers stay"),
        pytest.param("ada@uni.example wrote", False, "X wrote", id="an e-mail"),
    ],
)
def test_learner_is_masked_wherever_a_name_stands_by_itself(text: str, of_files: bool, told: str) -> None:
    assert masked(text, ADA, "X", of_files=of_files) == told
    bo = Learner(name="18151211", shown="Bo Chen", email="bo@uni.example")
    assert masked(text, bo, "Y", of_files=of_files) == text


def test_pseudonyms_stay_as_long_as_the_key_does_and_are_others_elsewhere(place: Path, kata: Kata) -> None:
    def given() -> list[list[str]]:
        done = kata("export", "OUT", *["--format", "csv", "--pseudonyms", "--force", "--course", "course"], cwd=place)
        assert done.returncode == 0, done.stderr
        table = (place / "OUT/pseudonymous/grades.csv").read_text("utf-8-sig")
        return list(csv.reader(table.splitlines()))

    first = given()
    assert given() == first
    (place / "OUT" / ".pseudonyms.key").unlink()
    assert {row[0] for row in given()[1:]}.isdisjoint(row[0] for row in first[1:])


def test_the_table_says_who_is_who_and_the_marks_are_theirs(place: Path, kata: Kata) -> None:
    for more in ([], ["--pseudonyms"]):
        done = kata("export", "OUT", "--format", "csv", "--course", "course", *more, cwd=place)
        assert done.returncode == 0, done.stderr

    def points(path: Path) -> dict[str, str]:
        rows = csv.DictReader(path.read_text("utf-8-sig").splitlines())
        return {row["submission"]: row["points"] for row in rows}

    out = place / "OUT"
    who = {
        row["pseudonym"]: row["id"] for row in csv.DictReader((out / "who_is_who.csv").read_text("utf-8").splitlines())
    }
    assert sorted(who.values()) == ["1815", "1816", "1817"]
    hidden = points(out / "pseudonymous" / "grades.csv")
    assert {who[name]: value for name, value in hidden.items()} == points(out / "grades.csv")
    handed_in = list(hidden)[:2]  # who handed in nothing comes last
    assert handed_in == sorted(handed_in)  # and not in the order of the class


def test_key_and_table_are_for_their_owner_alone(place: Path, kata: Kata) -> None:
    out = place / "OUT"
    assert kata("export", "OUT", "--format", "csv", "--pseudonyms", "--course", "course", cwd=place).returncode == 0
    for name in (".pseudonyms.key", "who_is_who.csv"):
        assert (out / name).stat().st_mode & 0o777 == 0o600
    (out / ".pseudonyms.key").chmod(0o644)
    done = kata("export", "OUT", "--format", "csv", "--pseudonyms", "--force", "--course", "course", cwd=place)
    assert done.returncode == 2 and "chmod 600 OUT/.pseudonyms.key" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["--format", "canvas"], "kata export OUT --format csv --pseudonyms", id="canvas"),
        pytest.param(["--format", "moodle"], "knows learners by name", id="moodle"),
        pytest.param(["--format", "gradebook", "--to", "x"], "knows learners by name", id="gradebook"),
        pytest.param(["--format", "csv", "--roster", "roster.csv"], "leave out --roster", id="a roster"),
    ],
)
def test_what_needs_names_is_refused(arguments: list[str], told: str, place: Path, kata: Kata) -> None:
    done = kata("export", "OUT", *arguments, "--pseudonyms", "--course", "course", cwd=place)
    assert done.returncode == 2 and told in done.stderr
    assert not (place / "OUT" / "who_is_who.csv").exists()


@pytest.mark.thorough
def test_grading_can_show_the_class_by_pseudonyms_at_once(place: Path, kata: Kata) -> None:
    how = ["--course", "course", "--roster", "roster.csv", "--isolation", "best", "--html", "--pseudonyms"]
    done = kata("grade-class", "class", "--out", "OUT2", *how, cwd=place)
    assert done.returncode == 0, done.stderr
    assert told_in(place / "OUT2" / "pseudonymous") == [] and not (place / "OUT2" / "class.html").exists()
    assert not [trace for trace in TRACES if trace in done.stdout]
