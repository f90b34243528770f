"""Builds the wheel: the program, and in it the learner's bundle of the course. Everything else is in pyproject.toml.

The bundle is made with the program itself, which needs its packages; a place where these are is looked for.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.errors import ExecError

HERE = Path(__file__).resolve().parent
CARRIED = Path("grader", "carried_course")  # as grader/course/installed.py has it
NEEDED = "import grader.release.bundle"


class BuildWithCourse(build_py):
    """Copies the package and puts the learner's bundle into it."""

    def run(self) -> None:
        """Build from nothing: modules that are no more would come along from an earlier build."""
        if self.editable_mode:
            super().run()
            return
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        with tempfile.TemporaryDirectory() as folder:
            bundle = Path(folder) / "bundle"
            release = [*python_with_packages(), "-m", "grader", "release", "--out", str(bundle), "--course", str(HERE)]
            if subprocess.run(release, cwd=HERE, check=False).returncode:
                raise ExecError("the learner's course for the wheel could not be made; the lines above say why")
            shutil.rmtree(bundle / "program")  # these two are for those who unzip a bundle
            (bundle / "README.md").unlink()
            shutil.copytree(bundle, Path(self.build_lib) / CARRIED)


def python_with_packages() -> list[str]:
    """This Python, as it is outside of an isolated build, or that of `make setup`. Raises ExecError for neither."""
    for python in (sys.executable, HERE / ".venv" / "bin" / "python", HERE / ".venv" / "Scripts" / "python.exe"):
        command = [str(python), "-E"]
        if (
            Path(python).exists()
            and not subprocess.run([*command, "-c", NEEDED], cwd=HERE, capture_output=True, check=False).returncode
        ):
            return command
    raise ExecError(
        "the wheel holds the learner's course, and the packages to make that with are not here: "
        "run `make wheel`, which sets up what is missing, or work in place with `pip install --editable .`"
    )


setup(cmdclass={"build_py": BuildWithCourse})
