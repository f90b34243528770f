#!/usr/bin/env python
"""Writes the files of examples/class that are made of others: run it when a stub or examples/sources has changed.

lucia_ferrari/                   every stub as it is given out
林美玲/                          right answers to all: her own to the first ones, the others from the alternatives
bjarne_lindqvist/                the stubs that he left as they were
*/07_debug_attn_weights.py       the stub with a learner's repair
kwame_mensah.zip                 examples/sources/kwame_mensah, zipped to the same bytes wherever this runs
hana_sato/04_scaled_scores.py    a file that an editor saved as UTF-16
"""

from __future__ import annotations

import argparse
import re
import shutil
import zipfile
from pathlib import Path

from grader.authoring.alternatives import load_alternatives
from grader.course import Course, Exercise, load_course

ROOT = Path(__file__).resolve().parents[1]
CLASS = ROOT / "examples" / "class"
SOURCES = ROOT / "examples" / "sources"

UNTOUCHED = "lucia_ferrari"
ALL_RIGHT = "林美玲"
OWN = {
    "softmax",
    "qkv_linear",
    "scaled_scores",
    "self_attention",
    "debug_attn_weights",
    "causal_mask",
    "masked_softmax",
    "split_heads",
    "multi_head_attention",
    "repeat_kv",
    "grouped_query_attention",
}
HALF_DONE = Path("bjarne_lindqvist", "attention-kata", "exercises")
LEFT = ("qkv_linear", "split_heads")
ZIPPED = "kwame_mensah"

FAULT = "F.softmax(attn_weights, dim=-1)"
REPAIRS = {
    ALL_RIGHT: "F.softmax(attn_scores, dim=-1)",
    "diego_fernandez": "F.softmax(attn_scores * self.scaling, dim=-1)",
}

UTF_16 = """\
def scaled_scores(query, key):
    return query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
"""


def main() -> None:
    """Write them into examples/class, or into the folder given instead."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=CLASS, help="instead of examples/class")
    make(parser.parse_args().folder)


def make(folder: Path) -> None:
    """Write every made file below `folder`."""
    course = load_course(ROOT / "course.yml")
    shutil.rmtree(folder / UNTOUCHED, ignore_errors=True)
    for exercise in course.exercises:
        copy_stub(course, exercise, folder / UNTOUCHED)
    for exercise in course.exercises:
        if exercise.id not in OWN:
            ways = load_alternatives(course, exercise).values()
            # not one that goes on from the course's own class
            right = next((way for way in ways if not re.search(r"^class (\w+)\(\1\)", way, re.MULTILINE)), None)
            right = right or course.solution_path(exercise).read_text(encoding="utf-8")
            write(folder / ALL_RIGHT / exercise.file_name, right.encode("utf-8"))
    for id in LEFT:
        copy_stub(course, course.exercise(id), folder / HALF_DONE)
    for learner, repair in REPAIRS.items():
        repaired(course, folder / learner, repair)
    zipped(SOURCES / ZIPPED, folder / f"{ZIPPED}.zip")
    write(folder / "hana_sato" / "04_scaled_scores.py", b"\xff\xfe" + UTF_16.encode("utf-16-le"))


def copy_stub(course: Course, exercise: Exercise, folder: Path) -> None:
    """Copy a stub to its place in a learner's own `exercises`."""
    stub = course.stub_path(exercise)
    write(folder / stub.relative_to(course.root / "exercises"), stub.read_bytes())


def repaired(course: Course, folder: Path, repair: str) -> None:
    """Copy the debug task's file with one expression changed."""
    exercise = course.exercise("debug_attn_weights")
    text = course.stub_path(exercise).read_text(encoding="utf-8")
    if text.count(FAULT) != 1:
        raise SystemExit(f"{exercise.file_name} has no single {FAULT} any more: mend scripts/make_examples.py")
    write(folder / exercise.file_name, text.replace(FAULT, repair).encode("utf-8"))


def zipped(folder: Path, archive: Path) -> None:
    """Zip a folder without times, owners and compression, which differ from machine to machine."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as zip:
        for path in sorted(folder.rglob("*.py")):
            info = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), (2024, 1, 1, 0, 0, 0))
            info.create_system, info.external_attr = 3, 0o100644 << 16  # as if zipped on Unix
            zip.writestr(info, path.read_bytes())


def write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


if __name__ == "__main__":
    main()
