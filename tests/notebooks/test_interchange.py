"""Files and notebooks are interchangeable: the same work gets the same points, handed in and graded either way."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grader.course import load_course
from grader.record import Record

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(900),
]  # every unit is graded by nbgrader, and everything twice by `kata grade-class`

ROOT = Path(__file__).parents[2]
COURSE = load_course(ROOT / "course.yml")
UNITS = {unit.folder: [exercise.id for exercise in unit.exercises] for unit in COURSE.units}
FIRST, SECOND, _, FOURTH, *_ = UNITS
SEED = 20_261_120
BETWEEN = "@"  # a learner's name and a unit's, in the class of the written notebooks

RIGHT = {each.id: COURSE.solution_path(each).read_text("utf-8") for each in COURSE.exercises}
STUB = {each.id: COURSE.stub_path(each).read_text("utf-8") for each in COURSE.exercises}
OWN_WORDS = "Scores turn into shares, and shares weigh the rows.\n\n<b>1 < 2</b>"

HELPER = """\
def shares(scores, dim):
    powers = (scores - scores.amax(dim, keepdim=True)).exp()
    return powers / powers.sum(dim, keepdim=True)
"""
LEANING = "def softmax(scores, dim=-1):\n    return shares(scores, dim)\n"

Kata = Callable[..., "subprocess.CompletedProcess[str]"]
Points = dict[str, float | None]

# Files that a notebook would read otherwise if its cells did not say that they are files.
TRAPS: dict[str, dict[str, str | bytes]] = {
    "leans-on-another-file": {
        "soft_lookup.py": HELPER + RIGHT["soft_lookup"],
        "softmax.py": LEANING,  # `shares` is not there in a file of its own
    },
    "has-a-line-of-ipython": {"softmax.py": "%matplotlib inline\n" + RIGHT["softmax"]},
    "future-in-one-file": {
        "soft_lookup.py": "from __future__ import annotations\n" + RIGHT["soft_lookup"],
        "softmax.py": RIGHT["softmax"].replace("def softmax(scores: torch.Tensor", "def softmax(scores: Missing"),
    },
    "windows": {f"{id}.py": RIGHT[id].replace("\n", "\r\n").encode() for id in UNITS[FIRST]},
    "byte-order-mark": {f"{id}.py": b"\xef\xbb\xbf" + RIGHT[id].encode() for id in UNITS[FIRST]},
    "old-mac": {"softmax.py": RIGHT["softmax"].replace("\n", "\r").encode()},
    "empty-files": {"softmax.py": b"", "dot_scores.py": b"\n\n\n", "soft_lookup.py": RIGHT["soft_lookup"]},
    "larger-than-a-notebook's-code": {"softmax.py": RIGHT["softmax"] + "# much\n" * 90_000},
    "marks-in-the-source": {
        "softmax.py": "# BEGIN SOLUTION\n### END SOLUTION\n# exercise: dot_scores\n" + RIGHT["softmax"],
        "dot_scores.py": "### BEGIN HIDDEN TESTS\n" + RIGHT["dot_scores"] + "### END HIDDEN TESTS\n",
    },
    "stubs-of-unit-four": {f"{id}.py": STUB[id] for id in UNITS[FOURTH]},
}


@dataclass(frozen=True)
class Interchanged:
    """A class that was handed in as files, graded by nbgrader, and by `kata grade-class` before and after."""

    folder: Any
    handed_in: subprocess.CompletedProcess[str]
    before: dict[str, Record]
    after: dict[str, Record]
    """By the learner and the unit: the written notebooks."""

    def units_of(self, learner: str) -> list[str]:
        """The units of which something was handed in."""
        return [unit for unit in UNITS if self.folder.handed_in(learner, unit).is_file()]

    def in_gradebook(self, learner: str, unit: str) -> Points:
        """The points of each exercise as nbgrader has them."""
        scores = self.folder.scores(learner, unit)
        return {name.removeprefix("test-"): score for name, score in scores.items() if name.startswith("test-")}

    def told(self, learner: str, unit: str, exercise: str) -> str:
        """What stands in the output of a test cell."""
        cells = self.folder.autograded(learner, unit)["cells"]
        (cell,) = [each for each in cells if each["metadata"].get("nbgrader", {}).get("grade_id") == f"test-{exercise}"]
        return "".join(cell["outputs"][0]["data"]["text/plain"])


def points(record: Record, unit: str) -> Points:
    return {each.id: each.points for each in record.exercises if each.id in UNITS[unit]}


def statuses(record: Record, unit: str) -> dict[str, str]:
    return {each.id: each.status for each in record.exercises if each.id in UNITS[unit]}


def put(folder: Path, files: dict[str, str | bytes]) -> None:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def gathered(place: Path, folder: Any, edit: Any) -> None:
    """Put every submission of examples/ here, and those made to be read otherwise in a notebook."""
    shutil.copytree(ROOT / "examples" / "class", place)
    for source in (ROOT / "examples" / "sources").iterdir():
        shutil.copytree(source, place / f"{source.name}-unzipped")
    for learner, files in TRAPS.items():
        put(place / learner, files)
    with zipfile.ZipFile(place / "zipped.zip", "w") as archive:
        for id in UNITS[SECOND]:
            archive.writestr(f"work/{id}.py", RIGHT[id] if id != "qkv_linear" else RIGHT[id][:300])
        archive.writestr("other/attention.py", "def attention(*given): return None\n")
    answered = edit.filled(folder.released(FIRST), {**RIGHT, "softmax": LEANING, "reflection": OWN_WORDS})
    answered = edit.preceded(answered, HELPER)
    (place / "as-notebook.ipynb").write_text(json.dumps(answered), "utf-8")
    put(place / "notebook-in-a-folder", {"mine.ipynb": json.dumps(answered), "attention.py": RIGHT["attention"]})
    for unit in (FIRST, FOURTH):
        (place / f"untouched-{unit}.ipynb").write_text(json.dumps(folder.released(unit)), "utf-8")
    (place / "damaged.zip").write_bytes(b"PK\x03\x04 and no more")


@pytest.fixture(scope="module")
def made(
    folder_at: Callable[[Path], Any], edit: Any, kata: Kata, tmp_path_factory: pytest.TempPathFactory
) -> Interchanged:
    root = tmp_path_factory.mktemp("interchange")
    done = kata("notebooks", root / "course", cwd=ROOT)
    assert done.returncode == 0, done.stderr
    folder = folder_at(root / "course")
    with (folder.root / "nbgrader_config.py").open("a", encoding="utf-8") as config:
        config.write(f"\nc.CourseStep.seed = {SEED}\n")
    folder.nbgrader("generate_assignment", "*")
    gathered(root / "class", folder, edit)
    handed_in = kata("hand-in", root / "class", "--class", "--to", folder.root, cwd=root)
    assert handed_in.returncode == 2, handed_in.stderr  # for damaged.zip, which is handed in here:
    damaged = kata("hand-in", root / "class" / "damaged.zip", "--to", folder.root, "--unit", FIRST, cwd=root)
    assert damaged.returncode == 0, damaged.stderr
    (root / "written").mkdir()
    for path in folder.root.glob("submitted/*/*/*.ipynb"):
        shutil.copy(path, root / "written" / f"{path.parts[-3]}{BETWEEN}{path.stem}.ipynb")
    with ThreadPoolExecutor() as pool:
        autograded = pool.submit(_autograded, folder)
        before = _graded(root / "class", root / "before", kata)
        after = _graded(root / "written", root / "after", kata)
        autograded.result()
    return Interchanged(folder, handed_in, before, after)


def _autograded(folder: Any) -> None:
    for unit in UNITS:
        folder.nbgrader("autograde", unit)
    folder.nbgrader("generate_feedback", FIRST, "--student", "damaged")


def _graded(submissions: Path, out: Path, kata: Kata) -> dict[str, Record]:
    done = kata("grade-class", submissions, "--out", out, "--seed", SEED, "--jobs", 1, cwd=ROOT, seconds=900)
    assert done.returncode == 0, done.stderr
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {record.submission: record for record in map(Record.from_json, lines)}


LEARNERS = [
    "bjarne_lindqvist",
    "diego_fernandez",
    "hana_sato",
    "kwame_mensah",
    "kwame_mensah-unzipped",
    "lucia_ferrari",
    "mateo_silva",
    "priya_raman",
    "robin_quill",
    "林美玲",
    *TRAPS,
    "zipped",
    "as-notebook",
    "notebook-in-a-folder",
    f"untouched-{FIRST}",
    f"untouched-{FOURTH}",
    "damaged",
]


def test_everything_in_examples_is_compared(made: Interchanged) -> None:
    assert sorted(made.before) == sorted(LEARNERS)


@pytest.mark.parametrize("learner", LEARNERS)
def test_points_are_those_of_the_files_in_the_gradebook_and_of_the_written_notebook(
    learner: str, made: Interchanged
) -> None:
    before = made.before[learner]
    units = made.units_of(learner)
    assert units
    for unit in units:
        after = made.after[f"{learner}{BETWEEN}{unit}"]
        assert made.in_gradebook(learner, unit) == points(before, unit) == points(after, unit)
        assert statuses(before, unit) == statuses(after, unit)
    handed_in = {id for unit in units for id in UNITS[unit]}
    assert all(each.status == "missing" for each in before.exercises if each.id not in handed_in)


def test_comparison_is_of_full_marks_partial_marks_and_none(made: Interchanged) -> None:
    shares = [each.points / each.max_points for record in made.before.values() for each in record.exercises]
    assert {0.0, 1.0} < set(shares)
    assert {
        status for record in made.after.values() for unit in UNITS for status in statuses(record, unit).values()
    } == {
        "passed",
        "failed",
        "not_started",
        "missing",
    }


@pytest.mark.parametrize(
    ("learner", "exercise", "status"),
    [
        ("leans-on-another-file", "softmax", "failed"),
        ("has-a-line-of-ipython", "softmax", "failed"),
        ("future-in-one-file", "softmax", "failed"),
        ("windows", "softmax", "passed"),
        ("byte-order-mark", "softmax", "passed"),
        ("old-mac", "softmax", "passed"),
        ("larger-than-a-notebook's-code", "softmax", "passed"),
        ("as-notebook", "softmax", "passed"),
        ("notebook-in-a-folder", "softmax", "passed"),
    ],
)
def test_trap_is_one(learner: str, exercise: str, status: str, made: Interchanged) -> None:
    assert statuses(made.before[learner], FIRST)[exercise] == status


@pytest.mark.parametrize("learner", ["lucia_ferrari", "stubs-of-unit-four", f"untouched-{FOURTH}"])
def test_untouched_is_not_started_as_files_and_as_notebook(learner: str, made: Interchanged) -> None:
    due = dict.fromkeys(UNITS[FOURTH], "not_started")
    assert statuses(made.before[learner], FOURTH) == due
    assert statuses(made.after[f"{learner}{BETWEEN}{FOURTH}"], FOURTH) == due
    assert made.in_gradebook(learner, FOURTH) == dict.fromkeys(UNITS[FOURTH], 0.0)
    assert "not started  Find four faults in one class" in made.told(learner, FOURTH, "debug_model_args")


@pytest.mark.parametrize(
    ("learner", "exercise", "said"),
    [
        pytest.param("hana_sato", "scaled_scores", "04_scaled_scores.py is saved as UTF-16", id="unreadable"),
        pytest.param("hana_sato", "causal_mask", "both answer causal_mask and differ", id="two versions"),
        pytest.param("hana_sato", "qkv_linear", "scratch.py is not a file of this course", id="unknown"),
        pytest.param("zipped", "attention", "both answer attention and differ", id="two versions in a zip"),
        pytest.param("damaged", "softmax", "is damaged or not a zip; zip your files again", id="whole zip"),
    ],
)
def test_what_was_not_taken_is_told_beside_the_exercise(
    learner: str, exercise: str, said: str, made: Interchanged
) -> None:
    told = made.told(learner, COURSE.exercise(exercise).unit, exercise)
    assert "Told at hand-in: " in told and said in told


def test_feedback_says_what_was_not_taken(made: Interchanged) -> None:
    assert "is damaged or not a zip; zip your files again" in made.folder.feedback("damaged", FIRST)


def test_instructor_is_told_what_was_not_taken_and_not_handed_in(made: Interchanged) -> None:
    told = made.handed_in.stderr
    assert "hana_sato: 04_scaled_scores.py is saved as UTF-16; save it as UTF-8.\n" in told
    assert "damaged: damaged is damaged or not a zip; zip your files again.\n" in told
    assert "damaged: Nothing of it was handed in, as no exercise was recognised in it." in told
    assert told.endswith("Not everything was handed in.\n")


@pytest.mark.parametrize("learner", ["as-notebook", "notebook-in-a-folder"])
def test_reflection_of_a_notebook_comes_along(learner: str, made: Interchanged, edit: Any) -> None:
    text = "".join(edit.cell(made.folder.autograded(learner, FIRST), "reflection")["source"])
    assert text.startswith("Scores turn into shares") and "<b>" not in text


def test_every_hand_in_has_a_time_that_nbgrader_took(made: Interchanged) -> None:
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{made.folder.root / 'gradebook.db'}") as book:
        for learner in LEARNERS:
            for unit in made.units_of(learner):
                written = made.folder.handed_in(learner, unit).with_name("timestamp.txt").read_text("ascii")
                assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} UTC", written)
                assert f"{book.find_submission(unit, learner).timestamp:%Y-%m-%d %H:%M:%S.%f} UTC" == written
