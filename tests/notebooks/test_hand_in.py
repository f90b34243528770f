"""`kata hand-in`: whose work goes where, what is refused in a sentence, and that nothing is lost or written over."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from grader.cli.app import app
from grader.cli.endings import sentences
from grader.course import load_course
from grader.intake import read_submission
from grader.notebooks.hand_in import fault_in

pytestmark = pytest.mark.timeout(600)

FIRST, SECOND = "01_parts", "02_more_parts"
RIGHT = "def {id}(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
SHARE, PART = RIGHT.format(id="share"), RIGHT.format(id="part")

Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def made(
    tmp_path_factory: pytest.TempPathFactory,
    make_course: Callable[..., Path],
    folder_at: Callable[[Path], Any],
    kata: Callable[..., Done],
) -> Path:
    """A tiny course of two units, and its course folder with the first unit released."""
    root = tmp_path_factory.mktemp("made")
    course = make_course(root / "tiny", f"{FIRST}/01_share", f"{FIRST}/02_shares", f"{SECOND}/01_part")
    done = kata("notebooks", root / "nbgrader", "--course", course, cwd=course)
    assert done.returncode == 0, done.stderr
    folder_at(root / "nbgrader").nbgrader("generate_assignment", FIRST)
    return root


@pytest.fixture
def folder(made: Path, tmp_path: Path, folder_at: Callable[[Path], Any]) -> Any:
    """A copy of the course folder, of which the course is the same."""
    shutil.copytree(made / "nbgrader", tmp_path / "nbgrader")
    return folder_at(tmp_path / "nbgrader")


@pytest.fixture
def work(tmp_path: Path) -> Callable[..., Path]:
    """Puts a learner's folder down and returns its path."""

    def put(learner: str, **files: str) -> Path:
        place = tmp_path / "class" / learner
        place.mkdir(parents=True)
        for name, text in files.items():
            (place / f"{name}.py").write_text(text, "utf-8")
        return place

    return put


@dataclass(frozen=True)
class Said:
    """What a command printed."""

    stdout: str
    stderr: str


@pytest.fixture
def hand_in(folder: Any, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """Runs the command, which has to end with `status`, in this process: nbgrader takes a second to load."""

    def run(*arguments: object, to: Path | None = None, status: int = 0) -> Said:
        with pytest.raises(SystemExit) as end, sentences():
            app(["hand-in", *map(str, arguments), "--to", str(to or folder.root)])
        said = Said(*capsys.readouterr())
        assert (end.value.code or 0) == status, said.stderr
        return said

    return run


@pytest.mark.thorough
def test_says_where_it_is_and_what_comes_next(work: Any, folder: Any, kata: Callable[..., Done]) -> None:
    done = kata("hand-in", work("ada", share=SHARE), "--to", folder.root, cwd=folder.root.parent)
    assert done.returncode == 0
    assert done.stdout == f"{folder.handed_in('ada', FIRST)}\nNext, in {folder.root}: nbgrader autograde {FIRST}\n"
    assert done.stderr == ""


def test_answer_is_the_file_and_what_is_absent_is_no_stub(hand_in: Any, work: Any, folder: Any, made: Path) -> None:
    hand_in(work("ada", share=SHARE))
    submission = read_submission(folder.handed_in("ada", FIRST), load_course(made / "tiny" / "course.yml"))
    assert {id: source.content for id, source in submission.sources.items()} == {"share": SHARE.encode()}
    assert not submission.problems


def test_course_is_the_one_that_the_folder_names(hand_in: Any, work: Any, folder: Any, made: Path) -> None:
    hand_in(work("ada", share=SHARE, softmax="def softmax(scores): ...\n"))  # an exercise of another course
    assert folder.handed_in("ada", FIRST).is_file()


@pytest.mark.parametrize("kind", ["file", "class"])
def test_learner_is_called_as_the_submission_is(kind: str, hand_in: Any, work: Any, folder: Any) -> None:
    place = work("ada", share=SHARE)
    if kind == "file":
        shutil.move(place / "share.py", place.parent / "bo.py")
        hand_in(place.parent / "bo.py")
    else:
        work("bo", share=SHARE)
        (place.parent / "notes.txt").write_text("no submission")
        hand_in(place.parent, "--class")
    assert folder.handed_in("bo", FIRST).is_file()


def test_several_submissions_at_once(hand_in: Any, work: Any, folder: Any) -> None:
    hand_in(work("ada", share=SHARE), work("bo", share=SHARE))
    assert sorted(path.name for path in (folder.root / "submitted").iterdir()) == ["ada", "bo"]


def test_name_can_be_given(hand_in: Any, work: Any, folder: Any) -> None:
    hand_in(work("homework", share=SHARE), "--learner", "Ada Lovelace")
    assert folder.handed_in("Ada Lovelace", FIRST).is_file()


@pytest.mark.parametrize(
    "name", ["share.py", "01_share.py", "Share.py", "01_share (1).py", "share_final.py", f"{FIRST}.ipynb"]
)
def test_file_named_after_the_work_wants_a_learner(name: str, hand_in: Any, tmp_path: Path, folder: Any) -> None:
    (tmp_path / name).write_text(SHARE)
    done = hand_in(tmp_path / name, status=2)
    assert done.stderr == f"{name} is named after the work, not after a learner; say whose it is with --learner.\n"
    assert not (folder.root / "submitted").exists()


NAMES = {
    "outside": "../ada",
    "up": "..",
    "here": ".",
    "absolute": "/tmp/ada",
    "backslash": "a\\b",
    "empty": "",
    "blank": "  ",
    "blank at the end": "ada ",
    "plus": "ada+01_parts",
    "star": "*",
    "question mark": "ad?",
    "brackets": "ad[a]",
    "hidden": ".ada",
    "option": "--force",
    "line": "ada\nbo",
    "control": "ada\x1b[31m",
    "right to left": "ada\u202eob",
    "fragment": "ada#1",
    "per cent": "ada%2fbo",
    "markup": "<b>ada",
    "quote": 'ada"',
    "long": "a" * 129,
    "bytes": "林" * 100,
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_name_that_nbgrader_could_not_keep_is_refused(name: str) -> None:
    assert fault_in(name)


@pytest.mark.parametrize(
    "name", ["ada", "林美玲", "Ada Lovelace", "O'Neill, Bo", "hana (2)", "a.b@example.org", "12345"]
)
def test_ordinary_name_is_taken(name: str) -> None:
    assert fault_in(name) is None


@pytest.mark.parametrize("name", ["../ada", "", "ada+bo", "ada\nbo"], ids=["outside", "empty", "plus", "line"])
def test_refused_name_writes_nothing(name: str, hand_in: Any, work: Any, folder: Any) -> None:
    done = hand_in(work("homework", share=SHARE), f"--learner={name}", status=2)
    assert f"{name!r} can be no learner's name for nbgrader: it " in done.stderr
    assert "\n".join(done.stderr.splitlines()[1:]) == "Not everything was handed in."
    assert not (folder.root / "submitted").exists()


def test_batch_goes_on_past_what_is_refused(hand_in: Any, work: Any, folder: Any, tmp_path: Path) -> None:
    for learner in ("ada", "b+o", "cyd"):
        work(learner, share=SHARE)
    (tmp_path / "class" / "dan.zip").write_bytes(b"not a zip")
    (tmp_path / "class" / "eve").symlink_to(tmp_path / "class" / "ada")
    done = hand_in(tmp_path / "class", "--class", status=2)
    assert sorted(path.name for path in (folder.root / "submitted").iterdir()) == ["ada", "cyd"]
    for said in ("'b+o' can be no", "dan: dan is damaged or not a zip", "eve: eve is a link"):
        assert said in done.stderr
    assert done.stderr.endswith("Not everything was handed in.\n")


def test_all_files_that_a_platform_put_among_those_of_others_are_handed_in(
    hand_in: Any, folder: Any, tmp_path: Path
) -> None:
    place = tmp_path / "class"
    place.mkdir()
    for number, learner in enumerate(("lovelaceada_101", "foxzoe_103")):
        (place / f"{learner}_500{number}_notes.py").write_text("x = 1\n")
        (place / f"{learner}_510{number}_share.py").write_text(SHARE)
    done = hand_in(place, "--class")
    assert sorted(path.name for path in (folder.root / "submitted").iterdir()) == ["foxzoe_103", "lovelaceada_101"]
    for learner in ("lovelaceada_101", "foxzoe_103"):
        assert "keepdim" in folder.handed_in(learner, FIRST).read_text("utf-8")
        assert f"{learner}: " in done.stderr and "notes" in done.stderr


def test_submission_that_two_learners_could_have_sent_is_nobodys_and_the_others_go_on(
    hand_in: Any, folder: Any, tmp_path: Path
) -> None:
    place = tmp_path / "class"
    place.mkdir()
    for name in ("lovelaceada_101_5001_share", "foxzoe_103_5003_share"):
        (place / f"{name}.py").write_text(SHARE)
    (place / "x_103_102_5002_share.py").write_text("def share(amounts): ...\n")
    done = hand_in(place, "--class", status=2)
    assert "x_103_102_5002_share.py could be another's, too, so it is nobody's." in done.stderr
    for learner in ("lovelaceada_101", "foxzoe_103"):
        assert "keepdim" in folder.handed_in(learner, FIRST).read_text("utf-8")


def test_two_submissions_of_one_name_are_not_mixed(hand_in: Any, work: Any, folder: Any, tmp_path: Path) -> None:
    first = work("ada", share=SHARE)
    second = tmp_path / "other" / "ada"
    shutil.copytree(first, second)
    (second / "share.py").write_text("def share(amounts): ...\n")
    done = hand_in(first, second, status=2)
    assert f"{second} is another submission of ada; hand in one of them." in done.stderr
    assert "keepdim" in folder.handed_in("ada", FIRST).read_text("utf-8")


def test_changed_submission_is_written_over_only_by_force(hand_in: Any, work: Any, folder: Any) -> None:
    place = work("ada", share=SHARE)
    hand_in(place)
    path = folder.handed_in("ada", FIRST)
    before = path.read_bytes()
    assert hand_in(place).stderr == ""  # the same again
    (place / "share.py").write_text("def share(amounts): ...\n")
    refused = hand_in(place, status=2).stderr
    assert refused.startswith(f"ada: Already there and different: {path}. With --force it is written anew.\n")
    assert path.read_bytes() == before
    assert hand_in(place, "--force").stdout.endswith(f"nbgrader autograde {FIRST} --force\n")
    assert path.read_bytes() != before


def test_link_in_the_place_of_a_submission_is_not_written_through(hand_in: Any, work: Any, folder: Any) -> None:
    source = folder.root / "source" / FIRST / f"{FIRST}.ipynb"
    before = source.read_bytes()
    path = folder.handed_in("ada", FIRST)
    path.parent.mkdir(parents=True)
    path.symlink_to(source)
    place = work("ada", share=SHARE)
    hand_in(place, status=2)
    hand_in(place, "--force")
    assert source.read_bytes() == before
    assert path.is_file() and not path.is_symlink()


def test_folder_of_a_learner_that_is_a_link_is_refused(hand_in: Any, work: Any, folder: Any, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder.root / "submitted").mkdir()
    (folder.root / "submitted" / "ada").symlink_to(tmp_path / "elsewhere")
    done = hand_in(work("ada", share=SHARE), "--force", status=2)
    assert "submitted/ada is a link; put the learner's own folder in its place." in done.stderr
    assert not list((tmp_path / "elsewhere").iterdir())


def test_nothing_recognised_is_told_and_handed_in_when_the_unit_is_named(
    hand_in: Any, work: Any, folder: Any, made: Path
) -> None:
    place = work("ada", shaer="def shaer(amounts): ...\n")
    told = hand_in(place, status=2).stderr
    assert (
        "ada: shaer.py is not a file of this course and was left out; if it is an answer, call it 01_share.py." in told
    )
    assert "ada: Nothing of it was handed in, as no exercise was recognised in it." in told
    hand_in(place, "--unit", FIRST)
    submission = read_submission(folder.handed_in("ada", FIRST), load_course(made / "tiny" / "course.yml"))
    assert not submission.sources
    assert [problem.message for problem in submission.problems] == [
        "Told at hand-in: shaer.py is not a file of this course and was left out; if it is an answer, call it 01_share.py."
    ]


def test_submission_that_does_not_exist_is_told(hand_in: Any, folder: Any, tmp_path: Path) -> None:
    done = hand_in(tmp_path / "nobody", "--unit", FIRST, status=2)
    assert done.stderr.startswith(f"nobody: {tmp_path / 'nobody'} does not exist.\n")
    assert not (folder.root / "submitted").exists()


def test_answers_to_what_is_not_released_are_named(hand_in: Any, work: Any, folder: Any) -> None:
    done = hand_in(work("ada", share=SHARE, part=PART))
    assert done.stderr == "ada: Not handed in, as none of the notebooks asks for it: part.\n"
    only = hand_in(work("bo", part=PART), status=2)
    assert "bo: Nothing of it was handed in: it answers only part, and none of these was asked for." in only.stderr


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        pytest.param(
            SECOND,
            f"holds no release of {SECOND} yet; run `nbgrader generate_assignment {SECOND}` there first.",
            id="not released",
        ),
        pytest.param("03_none", f"There is no unit '03_none'; there are {FIRST}, {SECOND}.", id="not in the course"),
    ],
)
def test_unit_that_there_is_no_release_of_is_told(unit: str, said: str, hand_in: Any, work: Any) -> None:
    assert said in hand_in(work("ada", part=PART), "--unit", unit, status=2).stderr


def test_nothing_released_yet_is_told(hand_in: Any, work: Any, folder: Any) -> None:
    shutil.rmtree(folder.root / "release")
    done = hand_in(work("ada", share=SHARE), status=2)
    assert done.stderr == (
        f"{folder.root} holds no release of {FIRST}, {SECOND} yet; "
        f"run `nbgrader generate_assignment {FIRST}` there first.\n"
    )


def test_damaged_release_is_told(hand_in: Any, work: Any, folder: Any) -> None:
    (folder.root / "release" / FIRST / f"{FIRST}.ipynb").write_text("{")
    assert f"{FIRST}.ipynb cannot be read (" in hand_in(work("ada", share=SHARE), status=2).stderr


@pytest.mark.parametrize("there", [True, False], ids=["empty folder", "no folder"])
def test_folder_that_is_no_course_folder_is_told(there: bool, hand_in: Any, work: Any, tmp_path: Path) -> None:
    place = tmp_path / "empty"
    if there:
        place.mkdir()
    done = hand_in(work("ada", share=SHARE), to=place, status=2)
    assert done.stderr == (
        f"{place} is no course folder (there is no nbgrader_config.py); `kata notebooks {place}` makes one.\n"
    )
    assert place.exists() == there


@pytest.mark.parametrize(
    ("file", "settings", "said"),
    [
        pytest.param(
            "nbgrader_config.py",
            "c = get_config(\n",
            "nbgrader_config.py cannot be used (SyntaxError: ",
            id="no python",
        ),
        pytest.param("nbgrader_config.json", "{", "nbgrader_config.json cannot be used (", id="no JSON"),
        pytest.param("nbgrader_config.json", "5", "nbgrader_config.json cannot be used (", id="no settings"),
        pytest.param(
            "nbgrader_config.json", "{}", "nbgrader_config.json names no course (CourseStep.course)", id="no course"
        ),
        pytest.param(
            "nbgrader_config.json",
            None,
            "nbgrader_config.py cannot be used: nbgrader_config.json is missing",
            id="none",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_told(
    file: str, settings: str | None, said: str, hand_in: Any, work: Any, folder: Any
) -> None:
    path = folder.root / file
    path.unlink() if settings is None else path.write_text(settings)
    assert said in hand_in(work("ada", share=SHARE), status=2).stderr


def test_settings_say_where_submissions_go(hand_in: Any, work: Any, folder: Any) -> None:
    with (folder.root / "nbgrader_config.py").open("a") as config:
        config.write('c.CourseDirectory.submitted_directory = "came-in"\n')
    hand_in(work("ada", share=SHARE))
    assert (folder.root / "came-in" / "ada" / FIRST / f"{FIRST}.ipynb").is_file()


def moment(folder: Any, learner: str) -> datetime:
    text = folder.handed_in(learner, FIRST).with_name("timestamp.txt").read_text("ascii")
    return datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f UTC").replace(tzinfo=timezone.utc)


def test_time_is_that_of_the_newest_file_of_the_unit(hand_in: Any, work: Any, folder: Any) -> None:
    place = work("ada", share=SHARE, shares=RIGHT.format(id="shares"), part=PART)
    march = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
    for name, days in {"share": 0, "shares": 1, "part": 30}.items():
        os.utime(place / f"{name}.py", ((march + timedelta(days)).timestamp(),) * 2)
    hand_in(place)
    assert moment(folder, "ada") == march + timedelta(1)


def test_time_to_come_is_now(hand_in: Any, work: Any, folder: Any) -> None:
    place = work("ada", share=SHARE)
    os.utime(place / "share.py", (datetime(2100, 1, 1, tzinfo=timezone.utc).timestamp(),) * 2)
    started = datetime.now(timezone.utc)
    hand_in(place)
    assert started <= moment(folder, "ada") <= datetime.now(timezone.utc)


def test_names_and_files_do_not_become_markup_in_the_notebook(hand_in: Any, work: Any, folder: Any) -> None:
    place = work("ada", share=SHARE)
    for name in ("<script>x", "y"):
        (place / name).mkdir()
        (place / name / "shares.py").write_text(f"# {name}\n")
    hand_in(place)
    cells = json.loads(folder.handed_in("ada", FIRST).read_text("utf-8"))["cells"]
    (note,) = [text for cell in cells if "No answer to" in (text := "".join(cell["source"]))]
    assert "both answer shares and differ" in note and "<script" not in note


@pytest.mark.thorough
@pytest.mark.parametrize("absent", ["nbgrader", "nbformat"])
def test_missing_extra_is_one_sentence(absent: str, tmp_path: Path) -> None:
    program = f"import sys; sys.modules[{absent!r}] = None; from grader.cli import main; main()"
    command = [sys.executable, "-c", program, "hand-in", str(tmp_path), "--to", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(absent) and done.stderr.endswith(
        " is not installed; notebooks need the instructor's extra: "
        "`make instructor` in a copy of the course, or pip install '.[instructor]' there (Python 3.11 or newer).\n"
    )
