"""Everything in the folder of a class is a submission, or named with the reason: in the terminal and in OUT."""

from __future__ import annotations

import csv
import os
import re
import socket
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.record import Record, without_timings

Run = Callable[..., "subprocess.CompletedProcess[str]"]
RIGHT = b"def share(amounts):\n    return amounts / amounts.sum(-1, keepdim=True)\n"
TERMS = ["--isolation", "best", "--seed", 5, "--jobs", 1]
ALL = 4.0


def records(out: Path) -> dict[str, Record]:
    lines = (out / "results.jsonl").read_text("utf-8").splitlines()
    return {record.submission: record for record in map(Record.from_json, lines)}


def listed(out: Path) -> dict[str, str]:
    with (out / "unmatched.csv").open(encoding="utf-8-sig", newline="") as rows:
        return {row["entry"]: row["why"] for row in csv.DictReader(rows)}


@pytest.fixture(scope="module")
def graded(
    tmp_path_factory: pytest.TempPathFactory, course_root: Path, kata: Run
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    place = tmp_path_factory.mktemp("whole")
    folder = place / "class"
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / "share.py").write_bytes(RIGHT)
    (folder / "empty").mkdir()
    (folder / "erin.tar.gz").write_bytes(b"\x1f\x8b")
    (folder / "fay.tar").write_bytes(b"")
    (folder / "gil.rar").write_bytes(b"Rar!")
    (folder / "notes.txt").write_text("see you")
    (folder / "=1+1.csv").write_text("a")
    (folder / "\x1b[2J.pdf").write_text("a")
    (folder / ".DS_Store").write_bytes(b"\0")
    (folder / "__MACOSX").mkdir()
    os.mkfifo(folder / "pipe")
    os.mkfifo(folder / "hal.py")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(folder / "socket"))
    os.symlink("/etc/passwd", folder / "link")
    os.symlink("ada", folder / "ida")
    (folder / "roster.csv").write_text("id,name\nada,Ada\nempty,Em\nerin,Erin\nfay,Fay\ngil,Gil\nhal,Hal\nida,Ida\n")
    command = ["grade-class", "class", "--out", "class/out", "--roster", "class/roster.csv", *TERMS]
    return folder / "out", kata(*command, "--course", course_root, cwd=place)


def test_every_entry_is_a_submission_or_named(graded: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    out, done = graded
    assert done.returncode == 0, done.stderr
    found = records(out)
    left_out = listed(out)
    there = set(os.listdir(out.parent))
    stems = {name.split(".")[0] for name in there} & set(found)
    assert {name for name in there if name.split(".")[0] not in stems} == {
        name.partition(" #")[0].replace("\ufffd", "\x1b").removeprefix("'") for name in left_out
    } | {".DS_Store", "__MACOSX", "out", "roster.csv"}
    assert left_out["notes.txt"] == "It is no folder, zip, notebook or .py file."
    assert left_out["link"] == "It is a link and was not followed."
    assert "not opened" in left_out["pipe"] and "not opened" in left_out["socket"]


def test_points_are_those_of_what_was_handed_in(graded: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    found = records(graded[0])
    assert {name: record.points for name, record in found.items()} == {
        "ada": ALL, "empty": 0, "erin": 0, "fay": 0, "gil": 0, "hal": 0, "ida": 0
    }  # fmt: skip


def test_terminal_names_them_and_is_not_steered(graded: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    _, done = graded
    assert re.search(r"Not graded: \ufffd\[2J\.pdf #\w+, '=1\+1\.csv #\w+, notes\.txt\.", done.stderr)
    assert "Passed over: .DS_Store, __MACOSX, out, roster.csv." in done.stderr
    for told in (
        "empty: empty holds no exercise",
        "erin: erin.tar.gz is packed in a way that is not read here; hand in a zip.",
        "fay: fay.tar is packed in a way",
        "gil: gil.rar is packed in a way",
        "ida: ida is a link",
        "hal: hal.py",
    ):
        assert told in done.stderr
    assert "\x1b[2J" not in done.stderr


def test_list_has_no_formula(graded: tuple[Path, subprocess.CompletedProcess[str]]) -> None:
    assert any(entry.startswith("'=1+1.csv #") for entry in listed(graded[0]))


@pytest.mark.thorough
def test_class_zip_loses_nothing_either(course_root: Path, kata: Run, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
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
    done = kata("grade-class", "class.zip", "--out", "out", *TERMS, "--course", course_root, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    points = {name: record.points for name, record in records(tmp_path / "out").items()}
    assert points == {"ada": ALL, "empty": 0, "erin": 0}
    found = listed(tmp_path / "out")
    assert set(found) == {"index.html", "notes.txt", "../out.py", "week/bo.py"}
    assert "two files named week/bo.py" in found["week/bo.py"] and "two files named week/bo.py" in done.stderr
    assert "Passed over: week/.DS_Store." in done.stderr


@pytest.mark.thorough
def test_files_of_a_platform_are_their_learners_whatever_their_kind(
    course_root: Path, kata: Run, tmp_path: Path
) -> None:
    files = {
        "lovelaceada_101_501_01_share.py": RIGHT,
        "lovelaceada_101_502_notes.pdf": b"%PDF",
        "evileve_102_503_work.tar.gz": b"\x1f\x8b",
        "foxzoe_103_text.html": b"<p>I am ill.",
        "libo_104_505_thoughts.txt": b"hm",
    }
    (tmp_path / "class").mkdir()
    for name, content in files.items():
        (tmp_path / "class" / name).write_bytes(content)
    done = kata("grade-class", "class", "--out", "out", *TERMS, "--course", course_root, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = records(tmp_path / "out")
    assert {name: record.points for name, record in found.items()} == {
        "101": ALL, "102": 0, "103": 0, "104": 0
    }  # fmt: skip
    assert "notes.pdf is not a file of this course" in found["101"].problems[0].message
    assert "104: libo_104_505_thoughts.txt is not a folder, a .py file" in done.stderr
    assert listed(tmp_path / "out") == {}


@pytest.mark.thorough
@pytest.mark.parametrize("make", ["folder", "zip in a folder"])
def test_record_is_the_same_alone_and_in_a_class(make: str, course_root: Path, kata: Run, tmp_path: Path) -> None:
    folder = tmp_path / "class"
    work = folder / "ada"
    work.mkdir(parents=True)
    if make == "folder":
        (work / "share.py").write_bytes(RIGHT)
        (work / "notes.txt").write_bytes(b"")
    else:
        with zipfile.ZipFile(work / "work.zip", "w") as archive:
            archive.writestr("share.py", RIGHT)
            archive.writestr("notes.txt", "")
    (folder / "bo.py").write_bytes(RIGHT)
    path = next(each for each in folder.iterdir() if each.name != "bo.py")
    assert kata("grade-class", "class", "--out", "out", *TERMS, "--course", course_root, cwd=tmp_path).returncode == 0
    terms = ["--isolation", "best", "--seed", 5, "--course", course_root]
    assert kata("grade", path, "--json", "ada.json", *terms, cwd=tmp_path).returncode == 0
    alone = Record.from_json((tmp_path / "ada.json").read_text("utf-8"))
    together = records(tmp_path / "out")["ada"]
    same = {"digest": "", "submission": "ada"}
    assert without_timings(together).model_copy(update=same) == without_timings(alone).model_copy(update=same)
    assert together.points == ALL


def test_folder_without_any_submission_names_what_is_there(course_root: Path, kata: Run, tmp_path: Path) -> None:
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "notes.txt").touch()
    done = kata("grade-class", "class", "--out", "out", *TERMS, "--course", course_root, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "class holds no submission: no folder, .zip, .ipynb or .py file. What is there: notes.txt. "
        "Expected is one of these a learner, such as class/ada/03_softmax.py.\n"
    )
