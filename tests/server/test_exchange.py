"""docs/server.md, the exchange: its lines typed by two system users, and neither reads what is not theirs."""

from __future__ import annotations

import json
import os
import pwd
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.sandbox.levels import SYSTEM_FOLDERS
from tests.for_all_users import copied_for_all

UNIT = "01_parts"
SECONDS = 300
TEACHER, LEARNER = "daemon", "games"
"""Two users that every Debian has, so that nobody need be added."""
EXCHANGE = "/srv/nbgrader/exchange"
PAGE = (Path(__file__).resolve().parents[2] / "docs" / "server.md").read_text("utf-8")
GUIDE = PAGE.partition("## JupyterHub and nbgrader's exchange\n")[2].partition("\n## ")[0]
STARTS = {
    "kata": "from grader.cli import main; main()",
    "nbgrader": "from nbgrader.apps.nbgraderapp import main; main()",
    "alembic": "from alembic.config import main; main()",  # nbgrader starts it
}

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.timeout(900),
    pytest.mark.skipif(sys.version_info < (3, 11), reason="nbgrader is not made for 3.10"),
]
if not hasattr(os, "geteuid") or os.geteuid() != 0:
    pytestmark.append(pytest.mark.skip(reason="needs root to become two other users"))


@dataclass(frozen=True)
class User:
    """A system user with a home of their own, in which they stand in a folder `course`."""

    name: str
    home: Path

    def type(self, command: str, *, status: int = 0) -> str:
        """Run a line of the guide as this user; it has to end with `status`."""
        known = pwd.getpwnam(self.name)
        places = {"HOME": "", "IPYTHONDIR": ".ipython", "JUPYTER_CONFIG_DIR": ".jupyter"}
        places |= {f"JUPYTER_{kind}_DIR": f".jupyter/{kind}" for kind in ("DATA", "RUNTIME")}
        environment = {name: str(self.home / place) for name, place in places.items()}
        environment |= {"USER": self.name, "LOGNAME": self.name, "PYTHONUTF8": "1", "KATA_SERVICE": "0"}
        environment["PATH"] = f"{self.home.parent}/programs:{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", command],
            user=known.pw_uid,
            group=known.pw_gid,
            extra_groups=[],
            cwd=self.home / "course",
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == status, f"{self.name}: {command}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def users(make_course: Callable[..., Path]) -> Iterator[tuple[User, User]]:
    """Two homes, an exchange and everybody's settings, as the guide has them; a tiny course that is the teacher's."""
    with copied_for_all() as room:
        (room / "programs").mkdir()
        for name, start in STARTS.items():
            code = f"import sys; sys.argv[0] = {name!r}; sys.path.insert(0, '{room}/project'); {start}"
            library = f"LD_LIBRARY_PATH={room}/python/lib"  # a shared libpython may be known by its old place alone
            program = room / "programs" / name
            program.write_text(f'#!/bin/sh\n{library} exec {room}/env/bin/python -c "{code}" "$@"\n')
            program.chmod(0o755)
        (make_exchange,) = re.findall(r"^    (mkdir .*)$", GUIDE, re.MULTILINE)
        subprocess.run(["bash", "-c", make_exchange.replace(EXCHANGE, f"{room}/exchange")], check=True)
        settings, *_ = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
        teacher, learner = (User(name, room / name) for name in (TEACHER, LEARNER))
        for user in (teacher, learner):
            (user.home / "course").mkdir(parents=True)
            (user.home / ".jupyter").mkdir()
            config = settings.replace(EXCHANGE, f"{room}/exchange")
            (user.home / ".jupyter" / "nbgrader_config.py").write_text(config, "utf-8")
        make_course(teacher.home / "attention", f"{UNIT}/01_share", named=False)
        for user in (teacher, learner):
            subprocess.run(["chown", "-R", f"{user.name}:", str(user.home)], check=True)
            user.home.chmod(0o700)
        yield teacher, learner


def lines(after: str) -> list[str]:
    """The commands of the guide in the block below a line that begins so."""
    block = re.search(rf"^{re.escape(after)}.*?\n\n((?:    .+\n)+)", GUIDE, re.MULTILINE)
    assert block, after
    return [line.strip().replace("01_soft_lookup", UNIT) for line in block[1].splitlines()]


def test_work_goes_out_and_comes_back_between_two_users(users: tuple[User, User]) -> None:
    teacher, learner = users
    assert not any(str(teacher.home).startswith(f"{folder}/") for folder in SYSTEM_FOLDERS)

    first = lines("The teacher, in the course folder")
    assert [line.split()[0] for line in first] == ["kata", "nbgrader", "nbgrader"]
    for line in first:
        teacher.type(line.replace("~/attention-course", f"{teacher.home}/attention"))

    listed, fetch, _validate, submit = lines("A learner, at home")  # that needs the program in a kernel of its own
    assert f"attention {UNIT}" in learner.type(listed)
    learner.type(fetch)
    (notebook,) = learner.home.glob(f"course/**/{UNIT}.ipynb")
    cells = json.loads(notebook.read_text("utf-8"))
    for cell in cells["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "share":
            cell["source"] = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
    notebook.write_text(json.dumps(cells), "utf-8")
    learner.type(submit)

    inbound, *others = lines("The teacher again")
    assert f"attention {LEARNER} {UNIT}" in teacher.type(inbound)
    for line in others:
        teacher.type(line)
    assert (teacher.home / "course" / "feedback" / LEARNER / UNIT / f"{UNIT}.html").exists()
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{teacher.home}/course/gradebook.db") as book:
        (found,) = book.find_submission(UNIT, LEARNER).notebooks
        assert {grade.name: grade.auto_score for grade in found.grades}["test-share"] == 4

    # what is the teacher's, the learner reads not
    learner.type(f"ls {teacher.home}", status=2)
    learner.type(f"ls {teacher.home.parent}/exchange/attention/inbound", status=2)
    learner.type(f"cat {teacher.home}/attention/solutions/{UNIT}/01_share.py", status=1)
