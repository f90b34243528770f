"""Every command in README.md and docs/ is run as it stands there, or commands.yml says why it can't be."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from markdown_it import MarkdownIt

from grader.cli.app import app
from tests.cases import table

from .stage import BETWEEN, SECONDS, Ending, Stage, type_in

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TABLE = table(__file__, "commands.yml")

OURS = re.compile(r"^(?:\w+=\S+ +)*(?:(?:python3?|bash) +)?(?P<path>(?:scripts|benchmarks|\.ci)/\S+)")
NBGRADER = Path(sys.executable).with_name("nbgrader")
SHELLS = ("", "sh", "bash", "shell", "console")
COMMENT = re.compile(r"\s+#(?:\s.*)?$")
CONTINUED = re.compile(r"\\\n\s*")
BLOCKS = re.compile(r"^```(python|json|yaml)\n(.*?)^```", re.MULTILINE | re.DOTALL)

WITH_NBGRADER = ("nbgrader", "teacher")
"""Stages on which the instructor's extra is used."""


@dataclass
class Section:
    """A part of a document: its text, the commands in its code, and those within its sentences."""

    document: str
    heading: str
    text: str = ""
    commands: list[str] = field(default_factory=list)
    mentioned: list[str] = field(default_factory=list)


def is_command(text: str) -> bool:
    words = text.lstrip("(").split()
    return bool(words) and (words[0] in TABLE["programs"] or OURS.match(text) is not None)


def sections(path: Path) -> Iterator[Section]:
    """The sections of a document, with the commands in blocks of code and those within sentences."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    tokens = MarkdownIt().parse("".join(lines))
    section, begun = Section(path.relative_to(ROOT).as_posix(), ""), 0
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and token.map:
            section.text, begun = "".join(lines[begun : token.map[0]]), token.map[0]
            yield section
            section = Section(section.document, tokens[place + 1].content)
        elif token.type in ("fence", "code_block") and token.info in SHELLS:
            for line in CONTINUED.sub("", token.content).splitlines():
                section.commands += filter(is_command, [COMMENT.sub("", line.strip().removeprefix("$ "))])
        else:
            codes = (each.content for each in token.children or () if each.type == "code_inline")
            section.mentioned += filter(is_command, codes)
    section.text = "".join(lines[begun:])
    yield section


SECTIONS = [section for path in DOCUMENTS for section in sections(path)]
NOT_RUN = {(each["in"], each["command"]): each["why"] for each in TABLE["not_run"]}
STATUSES = {(each["in"], each["under"], each["command"]): each["status"] for each in TABLE["statuses"]}


def stage_of(section: Section, command: str) -> str | None:
    """Where a command is typed; None for one that is not."""
    if (section.document, command) in NOT_RUN:
        return None
    places = ([section.document, section.heading], [section.document, "*"])
    return next((kind for kind, known in TABLE["stages"].items() if any(each in known for each in places)), None)


# --- commands that are run -------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.timeout(1800)  # all that is typed there
@pytest.mark.parametrize("kind", TABLE["stages"])
def test_every_command_does_what_it_is_for(
    kind: str, tmp_path: Path, kata: Callable[..., Any], run_command: Callable[..., Any]
) -> None:
    if kind in WITH_NBGRADER and sys.version_info < (3, 11):
        pytest.skip("nbgrader is not made for 3.10; `make test` installs it from 3.11 on")
    patient = partial(run_command, seconds=SECONDS)
    runners = {"kata": kata, "nbgrader": partial(patient, NBGRADER), "bash": partial(patient, "bash")}
    stage = Stage(kind, tmp_path, runners)
    ended: dict[str, tuple[str, Ending]] = {}
    wrong = []
    documents = {document for document, _ in TABLE["stages"][kind]}
    for section in SECTIONS:
        if section.document in documents:
            enter(stage, section)
        for command in section.commands:
            if stage_of(section, command) != kind:
                continue
            if act := BETWEEN.get((section.document, command)):
                act(stage)
            if command not in ended or ended[command][0] == section.document:  # what stands in two documents, once
                ended[command] = section.document, stage.type(command)
            status, said = ended[command][1]
            due = STATUSES.get((section.document, section.heading, command), 0)
            if status != due or "Traceback (most recent call last)" in said:
                wrong.append(f"{section.document}, {section.heading}: {command} ended with {status}\n{said}")
    assert ended and not wrong, "\n".join(wrong)


def enter(stage: Stage, section: Section) -> None:
    """Do what a reader does in a section beside its commands."""
    if section.document == "docs/author.md":
        type_in(stage, section.text)
    if act := BETWEEN.get((section.document, section.heading)):
        act(stage)


# --- commands that are not -------------------------------------------------------------------------------------------


def is_long(text: str) -> bool:
    """Whether it is one of the programs of ours that go on for long."""
    found = OURS.match(text)
    return found is not None and any(found["path"].startswith(path) for path in TABLE["long_programs"])


NOT_TYPED = [(each, text) for each in SECTIONS for text in each.commands if stage_of(each, text) is None]


@pytest.mark.parametrize(("section", "text"), [pytest.param(*each, id=each[1]) for each in NOT_TYPED])
def test_what_is_not_run_has_a_reason_and_is_well_formed(section: Section, text: str) -> None:
    assert (section.document, text) in NOT_RUN or is_long(text), (
        "put it into a stage of tests/docs/commands.yml, or say there why it can't be run"
    )
    assert wrong_in(text) == []


@pytest.mark.parametrize("text", sorted({text for each in SECTIONS for text in each.mentioned}))
def test_a_command_within_a_sentence_is_well_formed(text: str) -> None:
    assert wrong_in(text) == []


@pytest.mark.parametrize("table", ["not_run", "statuses"])
def test_the_table_names_only_what_the_documents_have(table: str) -> None:
    known = {(each.document, text) for each in SECTIONS for text in each.commands}
    assert [each for each in TABLE[table] if (each["in"], each["command"]) not in known] == []


def wrong_in(text: str) -> list[str]:
    """What a command gives to kata, make or a script of ours that these do not know."""
    return [wrong for part in re.split(r"\s(?:&&|\|\|?|;)\s", text) for wrong in _wrong_in_one(part)]


def _wrong_in_one(text: str) -> list[str]:
    words = shlex.split(re.sub(r"^(?:srun|sudo|time|nice) ", "", text.strip()))
    if words[:1] == ["kata"]:
        return wrong_for_kata(words[1:])
    if words[:1] == ["make"]:
        known = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert known
        return [each for each in words[1:] if "=" not in each and each[0] != "-" and each not in known[1].split()]
    found = OURS.match(text)
    return wrong_for_script(found["path"], words) if found else []


def wrong_for_kata(words: list[str]) -> list[str]:
    command: Any = typer.main.get_command(app)
    while getattr(command, "commands", None) and words and not words[0].startswith("-"):
        if words[0] not in command.commands:
            return [f"there is no command {words[0]}"]
        command, words = command.commands[words[0]], words[1:]
    known = {"--help"} | {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
    return [word for word in words if re.match(r"--?[a-z]", word) and word.partition("=")[0] not in known]


def wrong_for_script(path: str, words: list[str]) -> list[str]:
    if not list(ROOT.glob(path)):
        return [f"there is no {path}"]
    if "*" in path or (ROOT / path).is_dir():
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
    done = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0 and done.stdout.strip(), done.stderr
