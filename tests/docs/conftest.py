"""Where the documents' commands are typed: a home, a course of one unit, hand-ins, and a shell that stays where it is."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pexpect
import pytest
import yaml

from ..warm.client import Warm

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(sys.executable).parent
UNIT = "01_soft_lookup"
MIRRORS = ("exercises", "solutions", "tests/kits")
SECONDS = 300
"""For one command, on a machine with much else to do."""

ALONE = re.compile(r"kata(?: [\w./=+:@,~-]+| \"[^\"$`\\]*\"| '[^']*')*")
"""A command line without anything that only a shell does, but for `~`."""

TYPED_IN = re.compile(r"`([^`\n]+\.(?:py|yml|md))`[^`]*?:\n\n```\w+\n(.*?)```\n", re.DOTALL)
"""A file that a guide has the reader write: its path, then its text."""

CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section
Points Possible,,,,
"Ada Byron",11,ada,ada,A
"Bo Chen",12,bo,bo,A
"""


class Ending(NamedTuple):
    """How a command ended, and what it said."""

    status: int
    said: str


class Stage:
    """A shell in a home of its own: what one command changes, the next one finds, the folder that it is in included."""

    def __init__(self, home: Path, cwd: Path, warm: Warm) -> None:
        self.home = home
        self.cwd = cwd
        self._warm = warm
        foreign = ("PYTEST_", "JUPYTER_", "IPYTHON", "XDG_", "COV_")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        self._environment = {
            **{name: value for name, value in kept.items() if name not in ("CI", "BUILD_NUMBER")},
            **{"HOME": str(home), "PATH": os.pathsep.join((str(PROGRAMS), os.environ["PATH"]))},
            **{"COLUMNS": "140", "NO_COLOR": "1", "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"},
            "KATA_COURSE": str(cwd),  # a reader's program was installed from that copy; this one was not
        }

    def type(self, command: str) -> Ending:
        """Run a command as a shell does; one that goes on until it is stopped, until it is ready."""
        lasting = next((stop for start, stop in LASTING.items() if command.startswith(start)), None)
        if lasting:
            return lasting(self, command)
        return self._call(command) if ALONE.fullmatch(command) else self._run(command)

    def _call(self, command: str) -> Ending:
        """`kata`, which needs no shell: in a fork of a process that has loaded it."""
        program, *words = (re.sub(r"^~(?=/)", str(self.home), word) for word in shlex.split(command))
        done = self._warm.run([str(PROGRAMS / program), *words], self.cwd, self._environment, "", SECONDS)
        return Ending(done.returncode, done.stdout + done.stderr)

    def _run(self, command: str) -> Ending:
        place = self.home / ".place"
        script = f"{command}\nstatus=$?\npwd >'{place}'\nexit $status\n"
        done = subprocess.run(
            ["bash", "-c", script],
            **{"cwd": self.cwd, "env": self._environment, "stdin": subprocess.DEVNULL, "encoding": "utf-8"},
            **{"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "timeout": SECONDS, "check": False},
        )
        self.cwd = Path(place.read_text(encoding="utf-8").strip())
        return Ending(done.returncode, done.stdout)

    def watch(self, command: str) -> Ending:
        """In a pseudo-terminal, until it is ready; then q."""
        child = pexpect.spawn(
            "bash", ["-c", command], cwd=str(self.cwd), env=self._environment, encoding="utf-8", dimensions=(50, 100)
        )
        child.expect_exact("Save a file to have it checked", timeout=SECONDS)
        child.send("q")
        child.expect(pexpect.EOF, timeout=SECONDS)
        child.close()
        return Ending(child.exitstatus if child.exitstatus is not None else -1, child.before or "")

    def serve(self, command: str) -> Ending:
        """Until it says where it listens; then it is stopped. The options are for a test machine: a free port, root."""
        runtime = self.home / "runtime"
        server = subprocess.Popen(
            ["bash", "-c", f"exec {command} --port=0 --no-browser --allow-root --ip=127.0.0.1"],
            **{"cwd": self.cwd, "env": {**self._environment, "JUPYTER_RUNTIME_DIR": str(runtime)}},
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL},
        )
        try:
            end = time.monotonic() + SECONDS
            said = runtime / f"jpserver-{server.pid}.json"
            while not said.exists() and server.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            return Ending(0 if said.exists() else 1, "")
        finally:
            server.terminate()
            server.wait(60)


LASTING: dict[str, Callable[[Stage, str], Ending]] = {"kata watch": Stage.watch, "jupyter server": Stage.serve}
"""Commands that go on until they are stopped, and how they are tried."""


def write_small_course(root: Path) -> Path:
    """The real course with its first unit alone, where an author finds it: with the scripts that belong to it."""
    catalogue = yaml.safe_load((ROOT / "course.yml").read_text(encoding="utf-8"))
    catalogue["units"] = [unit for unit in catalogue["units"] if unit["folder"] == UNIT]
    for folder in MIRRORS:
        shutil.copytree(ROOT / folder / UNIT, root / folder / UNIT)
    shutil.copytree(ROOT / "tests" / "kits" / "families", root / "tests" / "kits" / "families")
    (root / "course.yml").write_text(yaml.safe_dump(catalogue, allow_unicode=True, sort_keys=False), encoding="utf-8")
    for script in (
        "scripts/mutation.py",
        "benchmarks/no_flicker.py",
        "benchmarks/answers.py",
        "benchmarks/figures.py",
        "tests/mutants/survivors.yml",
    ):
        (root / script).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / script, root / script)
    shutil.copy(ROOT / "pyproject.toml", root)
    return root


def answer(folder: Path, id: str, number: int) -> Path:
    """Hand in the reference of an exercise."""
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(ROOT / "solutions" / UNIT / f"{number:02d}_{id}.py", folder))


def make_hand_ins(folder: Path) -> Path:
    """Two learners, ada with two exercises right, bo with one."""
    answer(folder / "ada", "softmax", 3)
    answer(folder / "ada", "dot_scores", 2)
    answer(folder / "bo", "softmax", 3)
    return folder


def zipped(folder: Path, to: Path) -> Path:
    with zipfile.ZipFile(to, "w") as pack:
        for path in sorted(folder.rglob("*")):
            pack.write(path, path.relative_to(folder))
    return to


# --- what stands ready on a stage ----------------------------------------------------------------------------------


def ready_nothing(stage: Stage) -> None:
    """The course, and nobody's work."""


def ready_class(stage: Stage) -> None:
    """The names that the guides use, as real hand-ins, rosters and results."""
    make_hand_ins(stage.cwd / "SUBMISSIONS")
    shutil.copytree(stage.cwd / "SUBMISSIONS" / "ada", stage.cwd / "SUBMISSION")
    (stage.cwd / "DIR").symlink_to("SUBMISSIONS")
    for name, text in TABLES.items():
        (stage.cwd / name).write_text(text, encoding="utf-8")


TABLES = {
    "class.csv": "id,name,group\nada,Ada Byron,Red\nbo,Bo Chen,\ncy,Cy Dee,Red\n",
    "new.csv": (
        "id,name,group,handed_in,extra_days,exempt\nada,Ada Byron,Red,2026-03-02 15:00 +00:00,2,softmax\n"
        "bo,Bo Chen,,,,\ncy,Cy Dee,Red,,,\n"
    ),
    "worksheet.csv": (
        "Identifier,Full name,ID number,Grade,Maximum grade,Last modified (grade),Feedback comments\n"
        "Participant 9001,Ada Byron,ada,,100,-,\nParticipant 9002,Bo Chen,bo,,100,-,\n"
    ),
}
"""Tables about the class, as the guides call them."""


def ready_policy(stage: Stage) -> None:
    """A class, and a course that takes points off for lateness."""
    ready_class(stage)
    catalogue = stage.cwd / "course.yml"
    known = yaml.safe_load(catalogue.read_text(encoding="utf-8"))
    known["policy"] = {"due": {UNIT: "2026-03-01 12:00 +00:00"}, "late_percent_per_day": 10}
    catalogue.write_text(yaml.safe_dump(known, allow_unicode=True, sort_keys=False), encoding="utf-8")


def ready_term(stage: Stage) -> None:
    """A class, a course that takes points off for lateness, the LMS's own export, a course folder for nbgrader."""
    ready_policy(stage)
    (stage.cwd / "export.csv").write_text(CANVAS, encoding="utf-8")
    done = stage.type(f"kata notebooks {stage.home / 'attention'}")
    assert done.status == 0, done.said


STAGES: dict[str, Callable[[Stage], None]] = {
    "learner": ready_nothing,
    "first_kit": ready_nothing,
    "author": ready_nothing,
    "first_class": ready_class,
    "teacher": ready_term,
    "server": ready_class,
    "nbgrader": ready_nothing,
}


# --- what a reader does between the commands -----------------------------------------------------------------------


def write_softmax(stage: Stage) -> None:
    """A learner who has written one exercise."""
    answer(stage.home / "attention" / "exercises" / UNIT, "softmax", 3)


def pass_softmax(stage: Stage) -> None:
    """A learner who has passed it, too."""
    write_softmax(stage)
    assert stage.type("kata check softmax").status == 0


def hand_in_notebooks(stage: Stage) -> None:
    """Learners who hand in what was released, one with an answer, and the download of an LMS."""
    folder = stage.home / "attention"
    released = (folder / "release" / UNIT / f"{UNIT}.ipynb").read_text(encoding="utf-8")
    notebook = json.loads(released)
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "softmax":
            cell["source"] = (ROOT / "solutions" / UNIT / "03_softmax.py").read_text(encoding="utf-8")
    for learner, text in {"ada": json.dumps(notebook), "bo": released}.items():
        path = folder / "submitted" / learner / UNIT / f"{UNIT}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    archive = folder / "downloaded" / UNIT / "archive"
    archive.mkdir(parents=True)
    handed = make_archive_folder(stage.home / "moodle", released)
    zipped(handed, archive / "all.zip")


def make_archive_folder(folder: Path, notebook: str) -> Path:
    """As Moodle's "Download all submissions" names it."""
    path = folder / "Dora Ek_1234567_assignsubmission_file_" / f"{UNIT}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(notebook, encoding="utf-8")
    return folder


def type_in(stage: Stage, text: str) -> None:
    """Write the files of a guide's section; of course.yml, lessons and lists of reasons only the part that is shown."""
    for path, body in TYPED_IN.findall(text):
        file = stage.cwd / path
        if path == "course.yml":
            (shown,) = yaml.safe_load(body)
            _enter(file, shown)
        elif path.endswith("survivors.yml"):
            file.write_text(file.read_text(encoding="utf-8") + body, encoding="utf-8")
        elif path.endswith("README.md"):
            file.write_text(_with_section(file.read_text(encoding="utf-8"), body), encoding="utf-8")
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body, encoding="utf-8")


def _with_section(lesson: str, section: str) -> str:
    """A lesson with a section in place of the one of the same heading."""
    heading = section.splitlines()[0]
    before, found, after = lesson.partition(f"{heading}\n")
    assert found, heading
    _, closing, rest = after.partition("\n## ")
    return f"{before}{section}{closing}{rest}"


def _enter(catalogue: Path, exercise: dict[str, object]) -> None:
    """Put an exercise's block into course.yml, in place of the one that is there."""
    known = yaml.safe_load(catalogue.read_text(encoding="utf-8"))
    for unit in known["units"]:
        unit["exercises"] = [exercise if each["id"] == exercise["id"] else each for each in unit["exercises"]]
    catalogue.write_text(yaml.safe_dump(known, allow_unicode=True, sort_keys=False), encoding="utf-8")


BETWEEN: dict[tuple[str, str], Callable[[Stage], None]] = {
    ("README.md", "kata solution softmax"): pass_softmax,
    ("docs/learn.md", "pytest, VS Code, Jupyter"): write_softmax,
    ("docs/teach.md", "nbgrader autograde 01_soft_lookup"): hand_in_notebooks,
}
"""What happens before a section of a document, or before a command in it."""


@pytest.fixture(scope="session")
def set_up(tmp_path_factory: pytest.TempPathFactory, open_warm: Callable[[str], Warm]) -> Callable[[str], Stage]:
    """Makes a stage of that kind, with what stands ready there."""

    def make(kind: str) -> Stage:
        home = tmp_path_factory.mktemp(kind)
        stage = Stage(home, write_small_course(home / "course"), open_warm("grader"))
        STAGES[kind](stage)
        return stage

    return make


@pytest.fixture(scope="session")
def before() -> Callable[[Stage, str, str, str], None]:
    """Does what a reader does before going on in a document: writes its files, and what the text asks for."""

    def do(stage: Stage, document: str, heading: str, text: str) -> None:
        if document == "docs/author.md":
            type_in(stage, text)
        if act := BETWEEN.get((document, heading)):
            act(stage)

    return do
