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
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pexpect
import yaml

from tests.cases import table

ROOT = Path(__file__).resolve().parents[2]
TABLES = table(__file__, "tables.yml")
UNIT = "01_soft_lookup"
SOLUTIONS = ROOT / "solutions" / UNIT
COPIED = (
    *(f"{folder}/{UNIT}" for folder in ("exercises", "solutions", "tests/kits")),
    *("tests/kits/families", "tests/mutants/survivors.yml", "scripts/mutation.py", "pyproject.toml"),
    *("benchmarks/no_flicker.py", "benchmarks/answers.py", "benchmarks/figures.py"),
)
"""What an author finds in the small course."""
SECONDS = 300
"""For one command, on a machine with much else to do."""

ALONE = re.compile(r"(?:kata|nbgrader)(?: [\w./=+:@,~-]+| \"[^\"$`\\]*\"| '[^']*')*")
"""One of two programs, and nothing that only a shell does but for `~`."""
TYPED_IN = re.compile(r"`([^`\n]+\.(?:py|yml|md))`[^`]*?:\n\n```\w+\n(.*?)```\n", re.DOTALL)
"""A file that a guide has the reader write: its path, then its text."""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


class Ending(NamedTuple):
    """How a command ended, and what it said."""

    status: int
    said: str


class Stage:
    """A shell in a home of its own: what one command changes, the next one finds, the folder that it is in included.

    `runners` run the programs kata, nbgrader and bash.
    """

    def __init__(self, kind: str, home: Path, runners: Mapping[str, Run]) -> None:
        self.home = home
        self.cwd = home / "course"
        self._runners = runners
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        # a reader's program was installed from that copy; this one was not
        self._environment = {"HOME": str(home), "PATH": path, "KATA_COURSE": str(self.cwd)}
        self._whole = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        self._whole |= {**self._environment, "NO_COLOR": "1", "JUPYTER_RUNTIME_DIR": str(home / "runtime")}
        write_small_course(self.cwd)
        make_class(self.cwd)
        if kind == "teacher":
            begin_term(self)

    def type(self, command: str) -> Ending:
        """Run a command as a shell does; one that goes on until it is stopped, until it is ready."""
        if command.startswith("kata watch"):
            return self._watch(command)
        if command.startswith("jupyter server"):
            return self._serve(command)
        if ALONE.fullmatch(command):  # needs no shell
            program, *words = (re.sub(r"^~(?=/)", str(self.home), word) for word in shlex.split(command))
            done = self._runners[program](*words, cwd=self.cwd, env=self._environment)
        else:
            place = self.home / ".place"
            script = f"{command}\nstatus=$?\npwd >'{place}'\nexit $status\n"
            done = self._runners["bash"]("-c", script, cwd=self.cwd, env=self._environment)
            self.cwd = Path(place.read_text(encoding="utf-8").strip())
        return Ending(done.returncode, done.stdout + done.stderr)

    def _watch(self, command: str) -> Ending:
        """In a pseudo-terminal, until it is ready; then q."""
        child = pexpect.spawn(command, cwd=str(self.cwd), env=self._whole, encoding="utf-8", dimensions=(50, 100))
        child.expect_exact("Save a file to have it checked", timeout=SECONDS)
        child.send("q")
        child.expect(pexpect.EOF, timeout=SECONDS)
        child.close()
        return Ending(child.exitstatus if child.exitstatus is not None else -1, child.before or "")

    def _serve(self, command: str) -> Ending:
        """Until it says where it listens; then it is stopped. The options are for a test machine: a free port, root."""
        server = subprocess.Popen(
            ["bash", "-c", f"exec {command} --port=0 --no-browser --allow-root --ip=127.0.0.1"],
            cwd=self.cwd,
            env=self._whole,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            end = time.monotonic() + SECONDS
            said = self.home / "runtime" / f"jpserver-{server.pid}.json"
            while not said.exists() and server.poll() is None and time.monotonic() < end:
                time.sleep(0.05)
            return Ending(0 if said.exists() else 1, "")
        finally:
            server.terminate()
            server.wait(60)


# --- what stands ready -----------------------------------------------------------------------------------------------


def write_small_course(root: Path) -> None:
    """The real course with its first unit alone, where an author finds it: with the scripts that belong to it."""
    for name in COPIED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, root / name)
    shutil.copy(ROOT / "course.yml", root)
    change_catalogue(
        root, lambda known: known.update(units=[unit for unit in known["units"] if unit["folder"] == UNIT])
    )


def change_catalogue(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change course.yml."""
    known = yaml.safe_load((root / "course.yml").read_text(encoding="utf-8"))
    change(known)
    (root / "course.yml").write_text(yaml.safe_dump(known, allow_unicode=True, sort_keys=False), encoding="utf-8")


def make_class(folder: Path) -> None:
    """The names that the guides use, as real hand-ins and tables: ada with two exercises right, bo with one."""
    for learner, files in TABLES["handed_in"].items():
        (folder / "SUBMISSIONS" / learner).mkdir(parents=True)
        for name in files:
            shutil.copy(SOLUTIONS / name, folder / "SUBMISSIONS" / learner)
    shutil.copytree(folder / "SUBMISSIONS" / "ada", folder / "SUBMISSION")
    (folder / "DIR").symlink_to("SUBMISSIONS")
    for name, text in TABLES["tables"].items():
        (folder / name).write_text(text, encoding="utf-8")


def begin_term(stage: Stage) -> None:
    """A course that takes points off for lateness, and a course folder for nbgrader."""
    policy = {"due": {UNIT: "2026-03-01 12:00 +00:00"}, "late_percent_per_day": 10}
    change_catalogue(stage.cwd, lambda known: known.update(policy=policy))
    done = stage.type(f"kata notebooks {stage.home / 'attention'}")
    assert done.status == 0, done.said


# --- what a reader does between the commands -------------------------------------------------------------------------


def write_softmax(stage: Stage) -> None:
    """A learner who has written one exercise."""
    shutil.copy(SOLUTIONS / "03_softmax.py", stage.home / "attention" / "exercises" / UNIT)


def pass_softmax(stage: Stage) -> None:
    """A learner who has passed it, too."""
    write_softmax(stage)
    assert stage.type("kata check softmax").status == 0


def hand_in_notebooks(stage: Stage) -> None:
    """Learners who hand in what was released, one with an answer, and Moodle's "Download all submissions"."""
    folder = stage.home / "attention"
    released = (folder / "release" / UNIT / f"{UNIT}.ipynb").read_text(encoding="utf-8")
    notebook = json.loads(released)
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "softmax":
            cell["source"] = (SOLUTIONS / "03_softmax.py").read_text(encoding="utf-8")
    for learner, text in {"ada": json.dumps(notebook), "bo": released}.items():
        path = folder / "submitted" / learner / UNIT / f"{UNIT}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    archive = folder / "downloaded" / UNIT / "archive"
    archive.mkdir(parents=True)
    with zipfile.ZipFile(archive / "all.zip", "w") as pack:
        pack.writestr(f"Dora Ek_1234567_assignsubmission_file_/{UNIT}.ipynb", released)


BETWEEN: dict[tuple[str, str], Callable[[Stage], None]] = {
    ("README.md", "kata solution softmax"): pass_softmax,
    ("docs/learn.md", "pytest, VS Code, Jupyter"): write_softmax,
    ("docs/teach.md", "nbgrader autograde 01_soft_lookup"): hand_in_notebooks,
}
"""What happens before a section of a document, or before a command in it."""


def type_in(stage: Stage, text: str) -> None:
    """Write the files of a guide's section; of course.yml, lessons and lists of reasons only the part that is shown."""
    for path, body in TYPED_IN.findall(text):
        file = stage.cwd / path
        before = file.read_text(encoding="utf-8") if file.exists() else ""
        if path == "course.yml":
            (shown,) = yaml.safe_load(body)
            change_catalogue(stage.cwd, lambda known, shown=shown: replace_exercise(known, shown))
        elif path.endswith("survivors.yml"):
            file.write_text(before + body, encoding="utf-8")
        elif path.endswith("README.md"):
            heading = f"{body.splitlines()[0]}\n"
            assert heading in before, heading
            start, _, after = before.partition(heading)
            _, closing, rest = after.partition("\n## ")
            file.write_text(f"{start}{body}{closing}{rest}", encoding="utf-8")
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(body, encoding="utf-8")


def replace_exercise(catalogue: dict[str, Any], exercise: dict[str, object]) -> None:
    """Put an exercise's block in place of the one that is there."""
    for unit in catalogue["units"]:
        unit["exercises"] = [exercise if each["id"] == exercise["id"] else each for each in unit["exercises"]]
