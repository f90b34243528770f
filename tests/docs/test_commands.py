"""Every command in README.md and docs/ is run as it stands there, or commands.yml says why it can't be."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from grader.cli.app import app

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TABLE = yaml.safe_load((Path(__file__).parent / "commands.yml").read_text(encoding="utf-8"))

PROGRAMS = (
    *(
        "kata",
        "make",
        "pytest",
        "python",
        "python3",
        "pip",
        "nbgrader",
        "jupyter",
        "dask",
        "srun",
        "sudo",
        "apt-get",
        "cd",
    ),
    *(
        ".",
        "source",
        "git",
        "bash",
        "sh",
        "docker",
        "podman",
        "systemd-run",
        "curl",
        "ulimit",
        "export",
        "timeout",
        "nice",
        "time",
    ),
    *("echo", "for", "cp", "mv", "mkdir", "zip", "unzip", "tail", "sed"),
)
"""What a line of code begins with when it is a command."""
OURS = re.compile(r"^(?:\w+=\S+ +)*(?:(?:python3?|bash) +)?(?P<path>(?:scripts|benchmarks|\.ci)/\S+)")
SHELLS = ("", "sh", "bash", "shell", "console")
COMMENT = re.compile(r"\s+#(?:\s.*)?$")
HEADING = re.compile(r"^#+ +(.*)$")
FENCE = re.compile(r"^ *```(\S*)")
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")

WITH_NBGRADER = ("nbgrader", "teacher")
"""Stages on which the instructor's extra is used."""

pytestmark = pytest.mark.timeout(900)


@dataclass(frozen=True)
class Line:
    """A line of a document: where it stands, and the language of the block of code that it is in, if it is in one."""

    document: str
    heading: str
    number: int
    text: str
    language: str | None


@dataclass(frozen=True)
class Command:
    """A command in a block of code."""

    document: str
    heading: str
    number: int
    text: str

    @property
    def id(self) -> str:
        return f"{self.document}:{self.number} {self.text}"


def read(path: Path) -> Iterator[Line]:
    """The lines of a document. Code is fenced, or indented by four after an empty line."""
    document, heading, fence, indented, empty = path.relative_to(ROOT).as_posix(), "", None, False, True
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if (found := FENCE.match(text)) and (fence is None or not found[1]):
            fence = found[1] if fence is None else None
            continue
        if fence is None and (found := HEADING.match(text)):
            heading = found[1]
        indented = text.startswith("    ") and (indented or empty)
        yield Line(document, heading, number, text, fence if fence is not None else "" if indented else None)
        empty = not text.strip()
        indented = indented or (empty and indented)


def is_command(text: str) -> bool:
    words = text.lstrip("(").split()
    return bool(words) and (words[0] in PROGRAMS or OURS.match(text) is not None)


def commands_in(path: Path) -> list[Command]:
    found, begun = [], ""
    for line in read(path):
        if line.language not in SHELLS:
            continue
        text = begun + COMMENT.sub("", line.text.strip().removeprefix("$ "))
        begun = text.removesuffix("\\") if text.endswith("\\") else ""
        if is_command(text) and not begun:
            found.append(Command(line.document, line.heading, line.number, text))
    return found


COMMANDS = [command for path in DOCUMENTS for command in commands_in(path)]
MENTIONED = sorted(
    {
        (line.document, text)
        for path in DOCUMENTS
        for line in read(path)
        if line.language is None
        for text in INLINE.findall(line.text)
        if is_command(text)
    }
)
NOT_RUN = {(each["in"], each["command"]): each["why"] for each in TABLE["not_run"]}
STATUSES = {(each["in"], each["under"], each["command"]): each["status"] for each in TABLE["statuses"]}


def stage_of(command: Command) -> str | None:
    """Where a command is typed; None for one that is not."""
    if (command.document, command.text) in NOT_RUN:
        return None
    for stage, places in TABLE["stages"].items():
        if [command.document, command.heading] in places or [command.document, "*"] in places:
            return str(stage)
    return None


def is_long(text: str) -> bool:
    """Whether it is one of the programs of ours that go on for long."""
    found = OURS.match(text)
    return found is not None and any(found["path"].startswith(path) for path in TABLE["long_programs"])


RUN = [command for command in COMMANDS if stage_of(command)]
PLANS = {
    stage: [
        command
        for document, _ in places
        for command in RUN
        if command.document == document and stage_of(command) == stage
    ]
    for stage, places in TABLE["stages"].items()
}


# --- commands that are run -----------------------------------------------------------------------------------------


class Performance:
    """The commands of one stage, typed one after another as far as they are wanted; what stands in two documents, once."""

    def __init__(self, kind: str, stage: Any, before: Callable[..., None]) -> None:
        self._left = list(PLANS[kind])
        self._stage = stage
        self._before = before
        self._endings: dict[Command, Any] = {}
        self._entered: list[tuple[str, str]] = []

    def ending_of(self, wanted: Command) -> Any:
        while wanted not in self._endings:
            command = self._left.pop(0)
            elsewhere = [
                ending
                for each, ending in self._endings.items()
                if each.text == command.text and each.document != command.document
            ]
            self._enter(command)
            self._endings[command] = elsewhere[0] if elsewhere else self._stage.type(command.text)
        return self._endings[wanted]

    def _enter(self, command: Command) -> None:
        """Do what a reader does on the way to a command: in the sections before it, and just before it."""
        for place, text in sections(command.document).items():
            if place not in self._entered:
                self._entered.append(place)
                self._before(self._stage, *place, text)
            if place[1] == command.heading:
                break
        self._before(self._stage, command.document, command.text, "")


def sections(document: str) -> dict[tuple[str, str], str]:
    """The text below each heading of a document."""
    lines = (ROOT / document).read_text(encoding="utf-8").splitlines(keepends=True)
    starts = {line.heading: line.number for line in reversed(list(read(ROOT / document)))}
    begins = sorted((number, heading) for heading, number in starts.items())
    ends = [number - 1 for number, _ in begins[1:]] + [len(lines)]
    return {
        (document, heading): "".join(lines[start - 1 : end]) for (start, heading), end in zip(begins, ends, strict=True)
    }


@pytest.fixture(scope="module")
def perform(set_up: Callable[[str], Any], before: Callable[..., None]) -> Callable[[Command], Any]:
    """What became of a command, when all that stands before it has been typed."""
    made: dict[str, Performance] = {}

    def ending(command: Command) -> Any:
        kind = stage_of(command)
        assert kind is not None
        if kind in WITH_NBGRADER and sys.version_info < (3, 11):
            pytest.skip("nbgrader is not made for 3.10; `make test` installs it from 3.11 on")
        if kind not in made:
            made[kind] = Performance(kind, set_up(kind), before)
        return made[kind].ending_of(command)

    return ending


@pytest.mark.thorough
@pytest.mark.parametrize(
    "command",
    [pytest.param(each, id=each.id) for each in RUN],
)
def test_a_command_does_what_it_is_for(command: Command, perform: Callable[[Command], Any]) -> None:
    ending = perform(command)
    assert ending.status == STATUSES.get((command.document, command.heading, command.text), 0), ending.said
    assert "Traceback (most recent call last)" not in ending.said


# --- commands that are not ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", [command for command in COMMANDS if command not in RUN], ids=lambda command: command.id
)
def test_what_is_not_run_has_a_reason_and_is_well_formed(command: Command) -> None:
    assert (command.document, command.text) in NOT_RUN or is_long(command.text), (
        "put it into a stage of tests/docs/commands.yml, or say there why it can't be run"
    )
    assert wrong_in(command.text) == []


@pytest.mark.parametrize(("document", "text"), MENTIONED, ids=lambda part: part)
def test_a_command_within_a_sentence_is_well_formed(document: str, text: str) -> None:
    assert wrong_in(text) == []


@pytest.mark.parametrize("table", ["not_run", "statuses"])
def test_the_table_names_only_what_the_documents_have(table: str) -> None:
    known = {(command.document, command.text) for command in COMMANDS}
    assert [each for each in TABLE[table] if (each["in"], each["command"]) not in known] == []


def wrong_in(text: str) -> list[str]:
    """What a command gives to kata, make or a script of ours that these do not know."""
    parts = re.split(r"\s(?:&&|\|\|?|;)\s", text)
    return [problem for part in parts for problem in _wrong_in_one(part)]


def _wrong_in_one(text: str) -> list[str]:
    words = shlex.split(re.sub(r"^(?:srun|sudo|time|nice) ", "", text.strip()))
    if words and words[0] == "kata":
        return wrong_for_kata(words[1:])
    if words and words[0] == "make":
        return wrong_for_make([word for word in words[1:] if "=" not in word and not word.startswith("-")])
    if found := OURS.match(text):
        return wrong_for_script(found["path"], words)
    return []


def wrong_for_kata(words: list[str]) -> list[str]:
    command: Any = typer.main.get_command(app)
    while getattr(command, "commands", None) and words and not words[0].startswith("-"):
        if words[0] not in command.commands:
            return [f"there is no command {words[0]}"]
        command, words = command.commands[words[0]], words[1:]
    known = {"--help"} | {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    return [word for word in words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]


def wrong_for_make(targets: list[str]) -> list[str]:
    known = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert known
    return [target for target in targets if target not in known[1].split()]


def wrong_for_script(path: str, words: list[str]) -> list[str]:
    if "*" in path:
        return [] if list(ROOT.glob(path)) else [f"no file is called {path}"]
    if not (ROOT / path).exists():
        return [f"there is no {path}"]
    if (ROOT / path).is_dir():
        return []
    # an option may be declared in a module beside the script
    source = "".join(each.read_text(encoding="utf-8") for each in (ROOT / path).parent.glob(f"*{Path(path).suffix}"))
    return [word for word in words if word.startswith("--") and f'"{word.partition("=")[0]}"' not in source]


# --- options, and other code -----------------------------------------------------------------------------------------


def all_commands(command: Any, name: str = "kata") -> Iterator[tuple[str, Any]]:
    yield name, command
    for each, below in getattr(command, "commands", {}).items():
        yield from all_commands(below, f"{name} {each}")


KATA = dict(all_commands(typer.main.get_command(app)))


@pytest.mark.parametrize("name", KATA)
def test_every_command_and_option_says_in_its_help_what_it_is_for(name: str) -> None:
    command = KATA[name]
    assert command.help, name
    assert [option.name for option in command.params if not getattr(option, "help", None)] == []


def test_every_command_stands_in_a_guide() -> None:
    said = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    assert [name for name in KATA if name not in said] == []


BLOCKS = re.compile(r"^```(python|json|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_code_of_other_kinds_can_be_read(path: Path) -> None:
    readers = {
        "python": lambda text: compile(text, path.name, "exec"),
        "json": json.loads,
        "yaml": lambda text: list(yaml.safe_load_all(text)),
    }
    for language, text in BLOCKS.findall(path.read_text(encoding="utf-8")):
        readers[language](text)


@pytest.mark.parametrize("target", ["demo", "test", "test-all", "instructor", "bench"])
def test_make_knows_what_to_do(target: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", target], cwd=ROOT, capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
