"""The judge for a command: the warm one, started if there is none, or else one in this process.

Judges are registered in a folder that is the user's alone, each in a file of mode 0600 with its address and its
authentication key: whoever can read it can ask that judge. Messages are JSON, as bytes; nothing is ever unpickled.
Whether program or course have changed is told by names, sizes and times of files, which takes milliseconds.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, answer_challenge, deliver_challenge
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pydantic
from pydantic import ConfigDict, TypeAdapter, with_config

from grader.errors import KataError
from grader.files import HOME, cache_folder, demand_own, lock_at, own_folder, write_file
from grader.intake import Submission
from grader.judge.faults import GraderBroken
from grader.record import Mismatch
from grader.sandbox.levels import Level, MachineError, launch_ahead

if TYPE_CHECKING:
    from grader.course import Course
    from grader.judge.grading import Judge
    from grader.record import Record, Shown

    AnyJudge: TypeAlias = "Judge | WarmJudge"

SWITCH = "KATA_SERVICE"
"""Environment variable: "0" turns the service off."""
START_SECONDS = 30.0
"""Timeout for a judge's process to register, before it loads anything heavy."""
POLL_SECONDS = 0.005
GREET_SECONDS = 10.0
"""Timeout for a judge to greet a caller, in case it was stopped."""
SILENT_SECONDS = 900.0
"""Timeout between two replies, far beyond the judge's own timeouts, in case these fail or it was stopped."""
MOST_JUDGES = 3
"""How many judges are asked when each ends without an answer: it was idle, the course changed, or it crashed."""
END_SECONDS = 5.0
SETTINGS = ("OMP_", "MKL_", "ATEN_", "TORCH_", "KATA_", "PYTHON", "HOME", "TMPDIR", "TMP", "TEMP")
"""Prefixes of the environment variables that may affect a judge's work."""
READ_OF_COURSE = ("solutions", "tests/kits", "plans")
"""What a judge reads of a course beside course.yml. Files that learners edit are not part of it."""
SKIPPED = ("__pycache__", "carried_course")
PACKAGES = Path(pydantic.__file__).parents[1]
"""Where packages are installed: this folder itself changes when one comes, goes or is exchanged, such as torch."""


class ServiceError(KataError):
    """No judge can be kept warm here, or none lasts."""


def judge_for(course: Course, level: Level, seed: int, only: Sequence[str] = ()) -> AnyJudge:
    """A judge for these exercises of a course, all if none is named. Raises MachineError, GraderBroken."""
    if level != "none" and os.environ.get(SWITCH) != "0":
        with suppress(ServiceError):  # then a judge in this process: slower, same verdicts
            return WarmJudge(course.root / "course.yml", level, seed, only)
    launched = None if level == "none" else launch_ahead(level)
    from grader.judge.grading import Judge

    return Judge(course, level, seed, only, launched)


# --- messages -------------------------------------------------------------------------------------------------------


@with_config(ConfigDict(ser_json_bytes="base64", val_json_bytes="base64"))
@dataclass(frozen=True)
class Request:
    """Asks for a submission's record, or, without a submission, for the judge's end. No exercises named: all."""

    seed: int = 0
    only: tuple[str, ...] = ()
    submission: Submission | None = None


@with_config(ConfigDict(ser_json_inf_nan="constants"))
@dataclass(frozen=True)
class Reply:
    """One message of an answer; all kinds but `advance` are the last one."""

    kind: Literal["advance", "graded", "machine", "broken", "ended"]
    text: str = ""
    """The exercise that was done, the record as JSON, or the sentence of an error."""
    mismatches: tuple[tuple[str, str, Mismatch], ...] = ()
    """By exercise and check, with the record."""


REQUEST = TypeAdapter(Request)
REPLY = TypeAdapter(Reply)


class WarmJudge:
    """The warm judge of a course at one level, with the interface of a judge in this process."""

    def __init__(self, course: Path, level: Level, seed: int, only: Sequence[str] = ()) -> None:
        """Find the judge for a course.yml, or start it. Raises ServiceError when neither works."""
        self._course = course.absolute()  # the judge has another working directory
        self._level: Level = level
        self.seed = seed
        self.choose(only)
        self._connect().close()

    def choose(self, only: Sequence[str] = ()) -> None:
        """Grade these exercises from now on, all when none is named."""
        self._only = tuple(only)

    def grade(
        self,
        submissions: Iterable[Submission],
        take: Callable[[Record], None],
        advance: Callable[[str], None] = lambda exercise: None,
        show: Shown | None = None,
    ) -> None:
        """As Judge.grade. Raises MachineError, GraderBroken, ServiceError."""
        from grader.record import Record

        for submission in submissions:
            reply = self._ask(Request(self.seed, self._only, submission), advance)
            if show is not None:
                for shown in reply.mismatches:
                    show(submission.name, *shown)
            take(Record.from_json(reply.text))

    def close(self) -> None:
        """Nothing to close: each request has a connection of its own."""

    def _ask(self, request: Request, advance: Callable[[str], None]) -> Reply:
        """The record's reply to a request; a judge that ends before it is replaced."""
        for _ in range(MOST_JUDGES):
            with self._connect() as connection:
                for reply in _replies(connection, request):
                    match reply.kind:
                        case "advance":
                            advance(reply.text)
                        case "graded":
                            return reply
                        case "machine":
                            raise MachineError(reply.text)
                        case "broken":
                            raise GraderBroken(reply.text)
        raise GraderBroken(
            f"There is no verdict: {MOST_JUDGES} judges ended over this. Either the course or the program change "
            "meanwhile, or something ends them. Try again."
        )

    def _connect(self) -> Connection:
        """Connect to the judge; start it if there is none. Raises ServiceError."""
        folder, name = judges_folder(), judge_name(self._course, self._level)
        if found := _reached(folder, name):
            return found[0][1]
        try:
            with lock_at(folder / "starting.lock", seconds=START_SECONDS):
                process, deadline = None, time.monotonic() + START_SECONDS
                while not (found := _reached(folder, name)):
                    if process is None:  # no other command has started one meanwhile
                        process = _launch(name, str(self._course), self._level, course_stamp(self._course))
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise ServiceError("The judge that should be kept warm did not begin.")
                    time.sleep(POLL_SECONDS)
                return found[0][1]
        except OSError as error:
            raise ServiceError(f"No judge can be kept warm: {error.strerror or error}.") from None


def _launch(*arguments: str) -> subprocess.Popen[bytes]:
    how: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    on_windows = sum(getattr(subprocess, name, 0) for name in ("CREATE_NO_WINDOW", "CREATE_NEW_PROCESS_GROUP"))
    how |= {"start_new_session": True, "creationflags": on_windows}  # the latter is 0 elsewhere
    # cwd puts this package first on the module path, whatever lies in the current folder
    return subprocess.Popen([sys.executable, "-m", "grader.service.server", *arguments], cwd=HOME, **how)


def _replies(connection: Connection, request: Request) -> Iterator[Reply]:
    """The replies to a request, until the judge ends."""
    with suppress(OSError, EOFError, ValueError):
        connection.send_bytes(REQUEST.dump_json(request))
        while connection.poll(SILENT_SECONDS):
            yield REPLY.validate_json(connection.recv_bytes())


# --- where judges are -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Registration:
    """A warm judge: how to connect to it, and what it is for."""

    name: str
    pid: int
    address: str
    key: str
    """The authentication key of both ends, in hexadecimal."""
    course: str
    level: str


def judge_name(course: Path, level: Level) -> str:
    """The name of the judge for a course.yml: the same for all commands of this program in this environment."""
    settings = sorted([name, value] for name, value in os.environ.items() if name.startswith(SETTINGS))
    program = [str(HOME), sys.executable, sys.version, shutil.which("bwrap")]
    return hashlib.sha256(json.dumps([*program, str(course), level, settings]).encode()).hexdigest()[:32]


def judges_folder() -> Path:
    """The folder of registrations, made if need be. Raises ServiceError when it is not the user's alone."""
    runtime, name = os.environ.get("XDG_RUNTIME_DIR", ""), f"judges-{platform.node()}"  # homes are shared
    try:
        return own_folder(Path(runtime, "attention-kata", name)) if os.path.isabs(runtime) else cache_folder(name)
    except OSError as error:
        raise ServiceError(f"{runtime} cannot be used: {error.strerror or error}.") from None
    except KataError as error:
        raise ServiceError(str(error)) from None


def register(folder: Path, judge: Registration) -> None:
    """Publish a judge. Raises OSError."""
    write_file(folder / f"{judge.name}.json", json.dumps(asdict(judge)).encode(), mode=0o600)


def registered(folder: Path, name: str = "*") -> list[Registration]:
    """The judges of that name, at most one, or all. They may have ended since."""
    found = []
    for path in folder.glob(f"{name}.json"):
        with suppress(OSError, ValueError, TypeError):
            found.append(Registration(**json.loads(path.read_bytes())))
    return found


def unregister(folder: Path, judge: Registration) -> None:
    """Remove a judge's socket, and its registration unless another judge has taken the name since."""
    with suppress(OSError):
        if judge in registered(folder, judge.name):
            (folder / f"{judge.name}.json").unlink()
        os.unlink(judge.address)
        os.rmdir(os.path.dirname(judge.address))


def running_judges(*, end: bool = False) -> list[Registration]:
    """The judges that answer. `end` asks each to end, after the requests it has. Raises ServiceError."""
    found = _reached(judges_folder())
    for _, connection in found:
        with connection, suppress(OSError):
            if end:
                connection.send_bytes(REQUEST.dump_json(Request()))
                connection.poll(END_SECONDS)
    return [judge for judge, _ in found]


def _reached(folder: Path, name: str = "*") -> list[tuple[Registration, Connection]]:
    """The judges of that name, at most one, or all, with a connection to each. Others are unregistered."""
    found = []
    for judge in registered(folder, name):
        connection = None
        with suppress(ServiceError, OSError, EOFError, ValueError, TypeError, AssertionError, AuthenticationError):
            if os.name != "nt":
                demand_own(Path(judge.address).parent)
            connection = Client(judge.address)
            if connection.poll(GREET_SECONDS):
                answer_challenge(connection, bytes.fromhex(judge.key))
                deliver_challenge(connection, bytes.fromhex(judge.key))
                found.append((judge, connection))
                continue
        unregister(folder, judge)
        if connection is not None:
            connection.close()
    return found


def course_stamp(course: Path) -> str:
    """Digest of the state of a course.yml, of what belongs to it, of this program, and of what is installed."""
    paths = [os.fspath(course), os.fspath(PACKAGES)]
    for place in (HOME / "grader", *(course.parent / part for part in READ_OF_COURSE)):
        for folder, folders, files in os.walk(place, followlinks=True):
            folders[:] = [name for name in folders if name not in SKIPPED]
            paths += [os.path.join(folder, name) for name in files]
    return hashlib.sha256("".join(map(_state, sorted(paths))).encode("utf-8", "surrogateescape")).hexdigest()


def _state(path: str) -> str:
    """One line; ctime too, which cannot be set back."""
    with suppress(OSError):  # deleted meanwhile, or a dangling link: editors leave such things beside what they edit
        found = os.stat(path)
        return f"{path}\0{found.st_size}\0{found.st_mtime_ns}\0{found.st_ctime_ns}\0{found.st_ino}\n"
    return f"{path}\0\n"
