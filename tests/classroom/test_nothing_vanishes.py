"""Everything in the folder of a class is a submission, or named with the reason: in what is said and in OUT."""

from __future__ import annotations

import csv
import os
import socket
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.record import Record
from tests.records import without_timings

Run = Callable[..., "subprocess.CompletedProcess[str]"]
RIGHT = "def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
TERMS = ["--isolation", "best", "--seed", 5, "--jobs", 1]
PASSED_OVER = {".DS_Store", "__MACOSX", "out", "roster.csv"}


@pytest.fixture
def odd(room: Any) -> Any:
    """One right answer among all that may lie in a folder, the roster and OUT among it."""
    texts = {"erin.tar.gz": "\x1f", "fay.tar": "", "gil.rar": "Rar!", "notes.txt": "see you", "=1+1.csv": "a"}
    room.hand_in({"ada/share.py": True, **texts, "\x1b[2J.pdf": "a", ".DS_Store": "\0", "__MACOSX/a": ""})
    (room.folder / "empty").mkdir()
    for name in ("pipe", "hal.py"):
        os.mkfifo(room.folder / name)
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(room.folder / "socket"))
    os.symlink("/etc/passwd", room.folder / "link")
    os.symlink("ada", room.folder / "ida")
    room.place, room.out = room.folder, room.folder / "out"
    room.roster = "id,name\nada,Ada\nempty,Em\nerin,Erin\nfay,Fay\ngil,Gil\nhal,Hal\nida,Ida\n"
    return room


def test_every_entry_is_a_submission_or_named(odd: Any) -> None:
    run = odd.grade({}, odd.roster)
    points = {"ada": 4, "empty": 0, "erin": 0, "fay": 0, "gil": 0, "hal": 0, "ida": 0}
    assert odd.points == points
    there = {name for name in os.listdir(odd.folder) if name.split(".")[0] not in points}
    shown = {name.partition(" #")[0].replace("\ufffd", "\x1b").removeprefix("'") for name in odd.unmatched}
    assert there == shown | PASSED_OVER
    assert odd.unmatched["notes.txt"] == "It is no folder, zip, notebook or .py file."
    assert odd.unmatched["link"] == "It is a link and was not followed."
    assert "not opened" in odd.unmatched["pipe"] and "not opened" in odd.unmatched["socket"]
    assert any(entry.startswith("'=1+1.csv #") for entry in odd.unmatched), "no spreadsheet takes it for a formula"
    said = "\n".join(run.remarks)
    for told in (
        "empty: empty holds no exercise",
        "erin: erin.tar.gz is packed in a way that is not read here; hand in a zip.",
        "fay: fay.tar is packed in a way",
        "gil: gil.rar is packed in a way",
        "ida: ida is a link",
        "hal: hal.py",
        "Passed over: .DS_Store, __MACOSX, out, roster.csv.",
    ):
        assert told in said


@pytest.mark.thorough
def test_terminal_is_not_steered_by_names(odd: Any, kata: Run) -> None:
    done = kata("grade-class", ".", "--out", "../res", *TERMS, "--course", odd.root, cwd=odd.folder)
    assert "\ufffd[2J.pdf #" in done.stderr and "\x1b" not in done.stderr + done.stdout


@pytest.mark.parametrize("format", ["canvas", "moodle"])
def test_names_in_what_an_export_says_do_not_steer_the_terminal(format: str, room: Any, kata: Run) -> None:
    roster = 'Student,ID,SIS User ID\n"Lovelace, Ada",101,s1\n'
    names = ("Ada Lovelace_9001", "Eve \x1b]0;x\x07\x1b[2J_9002")
    room.grade({f"{name}_assignsubmission_file/share.py": True for name in names}, roster)
    done = room.export(kata, format)
    assert "Eve \ufffd]0;x" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_second_claim_keeps_nobody_else_out_of_an_export(room: Any, kata: Run) -> None:
    room.grade(
        {"ada/share.py": True, "zoe/share.py": True, "Zoe Fox/share.py": False}, "id,name\nada,Ada\nzoe,Zoe Fox\n"
    )
    exported = csv.DictReader(room.export(kata, "csv").stdout.splitlines())
    rows = {row["submission"]: row["points"] for row in exported}
    assert rows == {"ada": "4", "zoe": ""}


def test_class_zip_loses_nothing_either(room: Any) -> None:
    room.folder = room.place / "class.zip"
    with zipfile.ZipFile(room.folder, "w") as archive:
        archive.writestr("index.html", "<p>")
        archive.writestr("week/ada/share.py", RIGHT)
        archive.writestr("week/empty/", "")
        archive.writestr("week/erin.tgz", b"\x1f\x8b")
        archive.writestr("week/notes.txt", "see you")
        archive.writestr("week/.DS_Store", "")
        archive.writestr("../out.py", RIGHT)
        with pytest.warns(UserWarning):
            for content in (RIGHT, b"x = 1\n"):
                archive.writestr("week/bo.py", content)
    run = room.grade()
    assert room.points == {"ada": 4, "empty": 0, "erin": 0}
    assert set(room.unmatched) == {"index.html", "notes.txt", "../out.py", "week/bo.py"}
    said = "\n".join(run.remarks)
    assert "two files named week/bo.py" in room.unmatched["week/bo.py"] and "two files named week/bo.py" in said
    assert "Passed over: week/.DS_Store." in said


@pytest.mark.thorough
@pytest.mark.parametrize("make", ["folder", "zip in a folder"])
def test_record_is_the_same_alone_and_in_a_class(make: str, course_root: Path, kata: Run, tmp_path: Path) -> None:
    work = tmp_path / "class" / "ada"
    work.mkdir(parents=True)
    if make == "folder":
        (work / "share.py").write_text(RIGHT)
        (work / "notes.txt").write_bytes(b"")
    else:
        with zipfile.ZipFile(work / "work.zip", "w") as archive:
            archive.writestr("share.py", RIGHT)
            archive.writestr("notes.txt", "")
    (tmp_path / "class" / "bo.py").write_text(RIGHT)
    assert kata("grade-class", "class", "--out", "out", *TERMS, "--course", course_root, cwd=tmp_path).returncode == 0
    terms = ["--isolation", "best", "--seed", 5, "--course", course_root]
    assert kata("grade", work, "--json", "ada.json", *terms, cwd=tmp_path).returncode == 0
    lines = (tmp_path / "out" / "results.jsonl").read_text("utf-8").splitlines()
    together, alone = Record.from_json(lines[0]), Record.from_json((tmp_path / "ada.json").read_text("utf-8"))
    same = {"digest": "", "submission": "ada"}
    assert without_timings(together).model_copy(update=same) == without_timings(alone).model_copy(update=same)
    assert together.points == 4
