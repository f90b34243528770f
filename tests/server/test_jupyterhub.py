"""docs/server.md with a real JupyterHub: three system users log in with their passwords, and a unit goes out and comes back.

Accounts, /etc, /opt, /srv and /home are of the hub's own mounts, so the machine's stay as they are, and its processes have
numbers of their own, so all of them end with it. `scripts/set_up_jupyterhub.sh` makes the environment that it runs in.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests

from .test_exchange import ROOT, UNIT, lines, section

ENVIRONMENT = ROOT / "build" / "jupyterhub" / "environment"
START_SECONDS = 240
SECONDS = 400
GUIDE = section("JupyterHub and nbgrader's exchange")
TEACHER, LEARNERS = "teacher", ("anna", "ben")
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
WRONG = "def share(amounts):\n    return amounts\n"

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(1800)]
if not hasattr(os, "geteuid") or os.geteuid() != 0:
    pytestmark.append(pytest.mark.skip(reason="needs root to make accounts in mounts of its own"))
elif not (ENVIRONMENT / "bin" / "configurable-http-proxy").exists():
    pytestmark.append(pytest.mark.skip(reason="there is no JupyterHub: type scripts/set_up_jupyterhub.sh"))

START = """
set -e
room=$1
own() {  # own FOLDER [LOWER]: from here on this folder is the hub's own
    name=$room/mounts$1
    mkdir -p "$name/upper" "$name/work"
    mount -t overlay overlay -o "lowerdir=${2:-$1},upperdir=$name/upper,workdir=$name/work" "$1"
}
for folder in /etc /opt /srv /home; do own $folder; done
mkdir /opt/jupyterhub
own /opt/jupyterhub "$2"
for name in teacher anna ben; do
    useradd --create-home --shell /bin/bash $name
    chmod 0700 /home/$name
    echo "$name:$name-knows" | chpasswd
done
cp -r "$room/course" /home/teacher/attention-course
chown -R teacher: /home/teacher
/opt/jupyterhub/bin/pip --disable-pip-version-check install -q --no-deps "$room"/*.whl
sh -e "$room/once.sh"
mkdir -p /etc/jupyter /etc/jupyterhub
cp "$room/nbgrader_config.py" /etc/jupyter/
cp "$room/jupyterhub_config.py" /etc/jupyterhub/
install -o teacher -D "$room/teacher.py" /home/teacher/.jupyter/nbgrader_config.py
chown teacher: /home/teacher/.jupyter
install -d /srv/jupyterhub
cd /srv/jupyterhub
. "$room/run.sh"
"""


@dataclass(frozen=True)
class Hub:
    """A hub that runs: its address, and the process whose mounts and process numbers its users have."""

    address: str
    within: int
    log: Path

    def type(self, name: str, command: str, folder: str = "", *, status: int = 0) -> str:
        """Run a line of the guide in this user's terminal; it has to end with `status`."""
        enter = ("nsenter", "-t", str(self.within), "-m", "-p", "runuser", "-u", name, "--", "env", "-i")
        home = f"/home/{name}"
        settings = (f"HOME={home}", f"USER={name}", f"LOGNAME={name}", "KATA_SERVICE=0", "PYTHONUTF8=1")
        path = "PATH=/opt/jupyterhub/bin:/usr/bin:/bin"
        done = subprocess.run(
            [*enter, *settings, path, "bash", "-c", f"cd {home}/{folder} && {command}"],
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == status, f"{name}: {command}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr

    def log_in(self, name: str, password: str) -> requests.Session:
        """A browser of this user's, at the hub."""
        browser = requests.Session()
        browser.get(f"{self.address}/hub/login", timeout=SECONDS)
        form = {"username": name, "password": password, "_xsrf": browser.cookies.get("_xsrf", path="/hub/")}
        browser.post(f"{self.address}/hub/login?next=/hub/home", data=form, timeout=SECONDS)
        return browser


@dataclass(frozen=True)
class Server:
    """A user's own Jupyter server, as their browser sees it."""

    address: str
    browser: requests.Session

    def ask(self, method: str, path: str, **more: Any) -> Any:
        """What the server answers, as data."""
        (token,) = {each.value for each in self.browser.cookies if each.name == "_xsrf" and each.path in self.address + "/" and each.path.startswith("/user")}  # fmt: skip
        headers = {"X-XSRFToken": str(token)}
        done = self.browser.request(method, f"{self.address}/{path}", headers=headers, timeout=SECONDS, **more)
        assert done.ok, f"{method} {path}: {done.status_code} {done.text[:2000]}"
        return done.json()


@pytest.fixture(scope="module")
def hub(make_course: Callable[..., Path]) -> Iterator[Hub]:
    """The guide's settings and commands, with ports that are free here, and a wheel of a tiny course."""
    room = Path(subprocess.check_output(["mktemp", "-d", "-p", str(ROOT / "build")], text=True).strip())
    process = None
    try:
        course = make_course(room / "course", f"{UNIT}/01_share", named=False)
        build_wheel(course, room)
        everybody, teachers, hubs = re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)[:3]
        (room / "nbgrader_config.py").write_text(everybody, "utf-8")
        (room / "teacher.py").write_text(teachers, "utf-8")
        public, own, proxy = free_ports(3)
        ports = (
            f'c.JupyterHub.bind_url = "http://127.0.0.1:{public}"\nc.JupyterHub.hub_bind_url = "http://127.0.0.1:{own}"\n'
            f'c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy}"\nc.Spawner.environment = {{"KATA_SERVICE": "0"}}\n'
            f"c.Spawner.start_timeout = c.Spawner.http_timeout = {START_SECONDS}\n"  # on a busy machine
        )
        (room / "jupyterhub_config.py").write_text(f"{hubs}\n{ports}", "utf-8")
        (room / "once.sh").write_text("\n".join(re.findall(r"^    (mkdir .*)$", GUIDE, re.MULTILINE)), "utf-8")
        (run,) = re.findall(r"^    (PATH=.*jupyterhub .*)$", GUIDE, re.MULTILINE)
        (room / "run.sh").write_text(run + "\n", "utf-8")
        (room / "start.sh").write_text(START, "utf-8")
        log = room / "hub.log"
        own_world = ("unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")
        with log.open("w") as out:
            process = subprocess.Popen(
                [*own_world, "bash", str(room / "start.sh"), str(room), str(ENVIRONMENT)],
                stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd=room, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
            )  # fmt: skip
        address = f"http://127.0.0.1:{public}"
        await_hub(process, address, log)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text("utf-8").split()
        yield Hub(address, int(children[0]), log)
    finally:
        if process is not None:
            process.kill()
            process.wait()
        shutil.rmtree(room)


def build_wheel(course: Path, room: Path) -> None:
    source = room / "source"
    shutil.copytree(course, source)
    shutil.copytree(ROOT / "grader", source / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, source / name)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        ".",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(room),
    ]
    subprocess.run(pip, cwd=source, check=True, timeout=SECONDS)


def free_ports(number: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [int(each.getsockname()[1]) for each in sockets]
    for each in sockets:
        each.close()
    return ports


def await_hub(process: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text("utf-8", "replace")[-4000:]
        try:
            if requests.get(f"{address}/hub/health", timeout=10).ok:
                return
        except requests.ConnectionError:
            pass
        time.sleep(1)
    raise AssertionError(log.read_text("utf-8", "replace")[-4000:])


def open_server(hub: Hub, name: str) -> Server:
    """Log in with the password of the account and start the user's own server."""
    browser = hub.log_in(name, f"{name}-knows")
    browser.get(f"{hub.address}/hub/spawn/{name}", timeout=SECONDS)
    address = f"{hub.address}/user/{name}"
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if (
            "/user/" in (page := browser.get(f"{address}/lab", timeout=SECONDS)).url
            and page.ok
            and "hub" not in page.url
        ):
            return Server(address, browser)
        time.sleep(1)
    raise AssertionError(hub.log.read_text("utf-8", "replace")[-6000:])


def answer(server: Server, code: str) -> str:
    """Put an answer into the notebook that was fetched, through the server, and save it."""
    path = f"{UNIT}/{UNIT}.ipynb"
    notebook = server.ask("GET", f"api/contents/{path}")
    for cell in notebook["content"]["cells"]:
        named = cell["metadata"].get("nbgrader", {}).get("grade_id")
        cell["source"] = {"share": code, "reflection": "A share is a part of all."}.get(named, cell["source"])
    server.ask("PUT", f"api/contents/{path}", json={"type": "notebook", "content": notebook["content"]})
    return path


def test_a_unit_goes_out_and_comes_back_through_the_hub(hub: Hub) -> None:
    hub.type(TEACHER, "mkdir -m 0700 attention")
    for line in lines("The teacher, in the course folder"):
        hub.type(TEACHER, line, "attention")

    work = {"assignment_id": UNIT, "course_id": "attention"}
    paths, servers = {}, {}
    for name, code in zip(LEARNERS, (RIGHT, WRONG), strict=True):
        servers[name] = server = open_server(hub, name)
        assert server.ask("GET", "courses")["value"] == ["attention"]
        listed = server.ask("POST", "assignments/fetch", json=work)
        assert [each["status"] for each in listed["value"]] == ["fetched"], listed
        paths[name] = answer(server, code)

    # the button: it fails with a sentence for a wrong answer, and only for that
    said = {name: servers[name].ask("POST", "assignments/validate", json={"path": paths[name]}) for name in LEARNERS}
    assert said["anna"] == {"success": True, "value": {}}, said["anna"]
    (failed,) = said["ben"]["value"]["failed"]
    assert "kata.validate" in failed["source"] and "expected" in failed["error"], failed

    for name in LEARNERS:
        listed = servers[name].ask("POST", "assignments/submit", json=work)
        assert "submitted" in {each["status"] for each in listed["value"]}, listed

    inbound, *others = lines("The teacher again")
    listed = hub.type(TEACHER, inbound, "attention")
    assert all(f"attention {name} {UNIT}" in listed for name in LEARNERS)
    for line in others:
        hub.type(TEACHER, line, "attention")
    marks = hub.type(
        TEACHER,
        "nbgrader export --exporter grader.notebooks.exporters.PerExercise --to marks.csv >/dev/null 2>&1; cat marks.csv",
        "attention",
    )
    assert re.search(r"^anna,.*,4", marks, re.MULTILINE), marks
    assert not re.search(r"^ben,.*,4(\.0)?,4", marks, re.MULTILINE), marks

    for name in LEARNERS:
        servers[name].ask("POST", "assignments/fetch_feedback", json=work)
        found = hub.type(name, f"find ~/{UNIT}/feedback -name '{UNIT}.html'")
        assert found.strip(), name

    # what is another's, nobody reads
    hub.type("ben", "ls /home/anna", status=2)
    hub.type("ben", "ls /home/teacher", status=2)
    hub.type("ben", "ls /srv/nbgrader/exchange/attention/inbound", status=2)


def test_the_teachers_page_grades_behind_the_wall(hub: Hub) -> None:
    server = open_server(hub, TEACHER)
    done = server.ask("POST", f"formgrader/api/submission/{UNIT}/ben/autograde")
    assert done["success"], done
    assert "error" not in json.dumps(done.get("error") or ""), done


def test_a_wrong_password_opens_nothing(hub: Hub) -> None:
    browser = hub.log_in("anna", "ben-knows")
    assert "/hub/login" in browser.get(f"{hub.address}/user/anna/api/contents", timeout=SECONDS).url
