"""Files in a submission that would be run, imported or obeyed if anything of it were on a path or taken for settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts\n"

IMPORTED = (
    "sitecustomize", "usercustomize", "conftest", "torch", "numpy", "json", "yaml", "typer", "rich", "pydantic", "pytest", "re",
    "safetensors", "landlockpy", "pyseccomp", "jinja2", "random", "__init__", "__main__", "setup", "kata", "grader", "tests", "nbgrader_config",
    "ipython_config", "jupyter_config", "noxfile", "tasks", "fabfile", "_pytest", "pytest_timeout",
)  # fmt: skip
"""Names under which something would be imported, from the learner's folder or from the one it is graded in."""

SETTINGS = {
    "pytest.ini": "[pytest]\naddopts = -p planted\npython_files = *.py\n",
    "tox.ini": "[pytest]\naddopts = -p planted\n",
    "setup.cfg": "[tool:pytest]\naddopts = -p planted\n",
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "-p planted"\n',
    "pyvenv.cfg": "home = .\n",
    "evil.pth": "import planted\n",
    "__editable__.pth": "import planted\n",
    ".env": "PYTEST_ADDOPTS=-p planted\nPYTHONSTARTUP=planted.py\nPYTHONPATH=.\n",
    ".pdbrc": "import planted\n",
    ".python-version": "0.0\n",
    "results.jsonl": '{"points": 5.0}\n',
    "record.json": '{"version": 1, "points": 5.0}\n',
    ".kata/progress.json": '{"exercises": {"share": {"passed": true}}}\n',
    "gradebook.db": "x",
    "timestamp.txt": "1970-01-01 00:00:00 UTC\n",
    "handling.yml": "share: [passed, 5, '']\n",
    "requirements.txt": "-e .\n",
}
CHECKS = '''
from grader.judge.authoring import points

open({mark!r}, "a").write("checks\\n")


@points(4, role="main", visible=True)
def test_anything(learner):
    """Whatever it is."""
'''


@pytest.fixture
def planted(tmp_path: Path) -> tuple[Path, Path]:
    """A class folder with one learner who brings all of that along, and the file that any of it would write to."""
    mark, alice = tmp_path / "ran", tmp_path / "class" / "alice"
    for name in [*IMPORTED, "planted"]:
        path = alice / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"open({str(mark)!r}, 'a').write({name!r} + '\\n')\n")
    for name, text in SETTINGS.items():
        (alice / name).parent.mkdir(parents=True, exist_ok=True)
        (alice / name).write_text(text)
    checks = alice / "tests" / "kits" / "01_parts" / "test_share.py"
    checks.parent.mkdir(parents=True)
    checks.write_text(CHECKS.format(mark=str(mark)))
    (alice / "01_share.py").write_text(WRONG)
    return alice, mark


COMMANDS = {
    "one submission": ["grade", "."],
    "a class": ["grade-class", "..", "--out", "{out}"],
}


@pytest.mark.thorough
@pytest.mark.parametrize("how", COMMANDS)
def test_nothing_planted_is_run_or_obeyed(
    how: str, planted: tuple[Path, Path], tiny_course: Path, tmp_path: Path, kata: Callable
) -> None:
    alice, mark = planted
    arguments = [word.format(out=tmp_path / "out") for word in COMMANDS[how]]
    done = kata(*arguments, "--course", tiny_course, "--isolation", "best", cwd=alice)  # from inside of the submission
    assert done.returncode == 0, done.stderr
    assert not mark.exists(), mark.read_text()
    assert "0 of 4 points" in done.stdout or "average 0" in done.stdout, done.stdout


@pytest.mark.thorough
def test_planted_folder_of_modules_beside_a_right_answer_costs_nothing(
    planted: tuple[Path, Path], tiny_course: Path, kata: Callable, tmp_path: Path
) -> None:
    alice, mark = planted
    (alice / "01_share.py").write_text("import json, random, re, torch\n\n\n" + RIGHT)
    done = kata("grade", alice, "--course", tiny_course, "--isolation", "best", cwd=tmp_path)
    assert done.returncode == 0 and "4 of 4 points" in done.stdout
    assert not mark.exists()
