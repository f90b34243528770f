"""A course in which somebody types, and all that they get to see.

`kata` is called in this process, by the function that the program calls; the other words are those of WORDS.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import warnings
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import pytest
from filelock import FileLock

from grader.practice.progress import ProgressFile
from grader.practice.review import cards_of

from .. import called
from ..cases import table
from ..records import records_in, row_of

ROOT = Path(__file__).parents[2]
SOURCES = table(__file__, "sources.yml")
"""What a learner may write; `{id}` is the exercise's."""
VARYING = {
    r' time(stamp)?="[^"]*"': "",
    r'"(duration|execution_time)": [^,\n]+': r'"\1": TIME',
    r"\d+\.\d+ s\b": "TIME",
    r"(damaged-|archive/\w+/)[\dTZ_:-]+": r"\1TIME",
    r'([Ii]solation(?:"? value)?[":= ]+)(full|reduced|process)\b': r"\1LEVEL",
    r",(full|reduced),(\d+)(?=\s)": r",LEVEL,\2",
    r"(?m)^! Isolation here is .*\n": "",
    r"20[\dT:. -]+Z\b": "TIME",
    r"(?m)^=+ (.* in) [\d.]+s =+$": r"= \1 TIME =",
    r"(?m)(?<= in )[\d.]+s$": "TIME",
    r'(?<="seconds":)[\d.]+': "TIME",
    r'(?<="digest":")\w{64}': "DIGEST",
    r"-[\d.]+\+(answers|plans)\.[a-z]{8}": r"-VERSION+\1.DIGEST",
    r"(?<=checks, )[\d.]+ MB": "SIZE",
    r"(\b\d\.\d{3})\d{2,}": r"\1..",
}
"""What differs from run to run, or from machine to machine."""
BLOCKS = "p|div|h[1-6]|li|tr|ul|ol|section|table|caption|summary|details|svg|title|desc|text|g"


@dataclass(frozen=True)
class Desk:
    """Where somebody works: the folder that holds the course, and the variables of their shell."""

    place: Path
    changed: pytest.MonkeyPatch

    def transcript(self, text: str) -> str:
        """The same text, with what comes of each line that begins with "$ "."""
        typed = [line for line in text.splitlines() if line.startswith(("# ", "$ "))]
        shown = [f"{line}\n" if line[0] == "#" else f"{line}\n{self._type(line[2:])}\n" for line in typed]
        return f"{''.join(shown).rstrip()}\n"

    def _type(self, line: str) -> str:
        for name, value in {"PLACE": str(self.place), "CLONE": str(ROOT), "ESC": "\x1b", "BELL": "\x07"}.items():
            line = line.replace(name, value)
        word, *words = shlex.split(line)
        shown = WORDS[word](self, *words)
        for path in (self.place, ROOT):
            shown = shown.replace(str(path), "PLACE" if path == self.place else "CLONE")
        for varying, said in VARYING.items():
            shown = re.sub(varying, said, shown)
        return "".join(f"{part.rstrip()}\n" for part in shown.splitlines())

    def set(self, name: str, value: str) -> str:
        """Set a variable of the shell."""
        self.changed.setenv(name, value)
        time.tzset()
        return ""

    def at(self, moment: str) -> str:
        """From now on it is this time, in UTC."""
        return self.set("KATA_NOW", f"{moment.replace(' ', 'T')}:00+00:00")

    def cd(self, folder: str) -> str:
        """Go to a folder; `~` is the one that holds the course."""
        self.changed.chdir(folder.replace("~", str(self.place)))
        return ""


def said(done: subprocess.CompletedProcess[str]) -> str:
    """Standard output, standard error behind "! ", and the exit status if it is not 0."""
    behind = "".join(f"! {line}\n" for line in done.stderr.splitlines())
    return f"{done.stdout}{behind}{f'[{done.returncode}]' if done.returncode else ''}"


def _write(_: Desk, name: str, source: str) -> str:
    """A source by its name, or a text, into a file."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    text = SOURCES.get(source, source.replace("\\n", "\n"))
    path.write_text(text.replace("{id}", re.sub(r"^\d+_", "", path.stem)), encoding="utf-8")
    return ""


def _edit(_: Desk, name: str, before: str, after: str) -> str:
    """Replace the last occurrence of a text in a file."""
    first, found, last = Path(name).read_text("utf-8").rpartition(before)
    assert found, f"{before!r} is not in {name}"
    Path(name).write_text(first + after.replace("\\n", "\n") + last, encoding="utf-8")
    return ""


def _show(_: Desk, name: str) -> str:
    """A file, each line behind "| "; of XML, a line for each tag."""
    text = Path(name).read_text("utf-8")
    lines = (text.replace("><", ">\n<") if text.startswith("<?xml") else text).splitlines()
    return "".join(f"| {line}\n" for line in lines)


def _list(_: Desk, folder: str) -> str:
    """Every file below a folder, or in a zip."""
    if zipfile.is_zipfile(folder):
        return "\n".join(zipfile.ZipFile(folder).namelist())
    found = sorted(path.as_posix() for path in Path(folder).rglob("*") if path.is_file())
    return "\n".join(found) if Path(folder).is_dir() else f"There is no {folder}."


def _holding(_: Desk, text: str, folder: str) -> str:
    """The files below a folder that hold a text, or have it in their names."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return "\n".join(path.as_posix() for path in files if text.encode() in path.as_posix().encode() + path.read_bytes())


def _remove(_: Desk, name: str) -> str:
    shutil.rmtree(name) if Path(name).is_dir() else Path(name).unlink()
    return ""


def _move(_: Desk, name: str, to: str) -> str:
    Path(to).parent.mkdir(parents=True, exist_ok=True)
    shutil.move(name, to)
    return ""


def _python(_: Desk, name: str) -> str:
    """Run a script, and of a traceback show the last place and the error."""
    done = subprocess.run([sys.executable, name], env={}, capture_output=True, encoding="utf-8", timeout=100)
    lines = done.stderr.splitlines()
    done.stderr = "\n".join([line for line in lines if line.startswith("  File ")][-1:] + lines[-1:])
    return said(done)


def _pytest(_: Desk, *words: str) -> str:
    """Run pytest as a learner does, who has none of our plugins."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_", "CI", "BUILD"))
    }
    bare = (sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "--no-header")
    return said(subprocess.run([*bare, *words], env=kept, capture_output=True, encoding="utf-8", timeout=100))


def _unzip(_: Desk, names: str, to: str) -> str:
    """Unpack the archive whose name fits a pattern."""
    (path,) = Path().glob(names)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(to)
    return ""


def _notebook(_: Desk, name: str, *files: str) -> str:
    """A notebook with a cell for each of these files."""
    sources = [Path(file).read_text("utf-8") for file in files]
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    Path(name).write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return ""


def _progress(_: Desk, id: str) -> str:
    """What is noted of an exercise: a line for each attempt, hint and review, and the day on which it comes back."""
    known = json.loads(Path(".kata/progress.json").read_text("utf-8"))["exercises"].get(id, {})
    lines = [f"{each.get('kind', 'practice')}: {each['status']}, {each['points']:g}" for each in known["attempts"]]
    lines += [f"hint {each.get('level') or each['mistake']}" for each in known.get("hints", ())]
    lines += ["review"] * len(known.get("reviews", ()))
    card = cards_of(ProgressFile(Path(".kata")).read()).get(id)
    return "\n".join([*lines, *([f"back on {card.due:%Y-%m-%d}"] if card else [])])


def text_of(page: str) -> str:
    """The text of a page, a line for each block."""
    html = re.sub(r"<(style|script)\b.*?</\1>", "", " ".join(page.split()))
    lines = re.sub(rf"</?(?:{BLOCKS})\b[^>]*>", "\n", html).splitlines()
    texts = (" ".join(unescape(re.sub(r"<[^>]+>", " ", line)).split()) for line in lines)
    return "\n".join(text for text in texts if text)


def _records(_: Desk, out: str) -> str:
    """A line for each exercise that was handed in: status, points, how each check ended, and the mistakes named."""
    handed_in = [
        row_of(each, record["submission"], each["id"])
        for record in records_in(Path(out))
        for each in record["exercises"]
        if each["status"] != "missing"
    ]
    return "\n".join(map(" ".join, handed_in))


def _pack(_: Desk, name: str, *members: str) -> str:
    """Make a zip of files; behind "=" stands a source by its name, a file, or a text."""
    with zipfile.ZipFile(name, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of two members with one name
        for member, _, source in (each.partition("=") for each in members):
            text = SOURCES.get(source, source).replace("{id}", re.sub(r"^\d+_", "", Path(member).stem))
            archive.writestr(member, Path(source).read_bytes() if Path(source).is_file() else text)
    return ""


def _special(_: Desk, *names: str) -> str:
    """Make pipes, and sockets of what is called so."""
    for name in names:
        if not name.endswith("socket"):
            os.mkfifo(name)
            continue
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(name)
    return ""


def _scores(_: Desk, folder: str) -> str:
    """What each file for Gradescope or GitHub gives: its score, or those of its tests together."""
    files = {path.name: json.loads(path.read_text("utf-8")) for path in sorted(Path(folder).iterdir())}
    scores = {
        name: each.get("score", sum(one.get("score", 0) for one in each["tests"])) for name, each in files.items()
    }
    return "\n".join(f"{name}: {score:g}" for name, score in scores.items())


def _differing(_: Desk, one: str, other: str) -> str:
    """The files that are not in both folders, or not alike."""
    found = [
        {path.relative_to(folder).as_posix(): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}
        for folder in (one, other)
    ]
    names = sorted({*found[0], *found[1]})
    return "\n".join(name for name in names if found[0].get(name) != found[1].get(name))


def _locked(desk: Desk, lock: str, word: str, *words: str) -> str:
    """Type something while another command holds a lock."""
    with FileLock(lock):
        return WORDS[word](desk, *words)


def _cut(_: Desk, name: str, start: str) -> str:
    """Take out of a file all that stands behind a text, and the text."""
    before, found, _rest = Path(name).read_text("utf-8").partition(start)
    assert found, f"{start!r} is not in {name}"
    Path(name).write_text(before, encoding="utf-8")
    return ""


def _link(_: Desk, name: str, to: str) -> str:
    Path(to).symlink_to(Path(name).resolve())
    return ""


WORDS: Mapping[str, Callable[..., str]] = {
    "kata": lambda _, *words: said(called.kata(words, dict(os.environ))),
    "set": Desk.set,
    "at": Desk.at,
    "cd": Desk.cd,
    "write": _write,
    "edit": _edit,
    "ls": _list,
    "grep": _holding,
    "rm": _remove,
    "mv": _move,
    "ln": _link,
    "cp": lambda _, name, to: str(shutil.copytree(name, to, dirs_exist_ok=True))[:0],
    "cat": _show,
    "progress": _progress,
    "records": _records,
    "page": lambda _, name: text_of(Path(name).read_text("utf-8")),
    "python": _python,
    "pytest": _pytest,
    "unzip": _unzip,
    "notebook": _notebook,
    "pack": _pack,
    "special": _special,
    "scores": _scores,
    "diff": _differing,
    "locked": _locked,
    "cut": _cut,
    "mkdir": lambda _, name: Path(name).mkdir() or "",
    "has": lambda _, name: f"{name} is {'there' if os.path.lexists(name) else 'not there'}",
}
