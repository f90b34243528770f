"""A class, run after run: what is graded, whose it is, what counts and what is said; the stories stand in runs.yml."""

from __future__ import annotations

import csv
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest

from grader.classroom.after_grading import compared, override_points
from grader.errors import KataError
from tests.cases import rows, table

TABLE: Mapping[str, Any] = table(__file__, "runs.yml")
WORK = {"right": True, "wrong": False}
KITS = {"share": "01_parts/01_share", "split": "02_more/01_split"}
OPTIONS = ("only", "seed", "level", "platform", "resume", "anew", "pages")
BEFORE_GRADING = {".lock", "unmatched.csv"}
"""What a run that graded nothing may leave in OUT."""


def step(**told: Any) -> SimpleNamespace:
    """One run, what happens before it, and what must come of it."""
    unsaid = TABLE["unsaid"]
    assert told.keys() <= {*unsaid, *OPTIONS}
    options = {name: told.pop(name) for name in OPTIONS if name in told}
    return SimpleNamespace(**{**unsaid, **told}, options=options)


STORIES = {
    name: [step(**(TABLE["starts"][each] if isinstance(each, str) else each)) for each in steps]
    for name, steps in TABLE["stories"].items()
}


@rows(STORIES, "steps")
def test_run_after_run(steps: Sequence[SimpleNamespace], room: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, each in enumerate(steps):
        _prepare(each, room, monkeypatch)
        _grade(each, room, {"resume": number > 0, **each.options})
    last = steps[-1]
    if not (last.refused or last.failing):
        options = {name: last.options[name] for name in ("only", "seed") if name in last.options}
        _grade(step(graded=[], unmatched=last.unmatched, same=True), room, {"resume": True, **options})


def test_what_a_person_fills_in_is_not_lost_when_the_run_is_stopped(room: Any) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    room.grade({"1/share.py": True, "stranger/share.py": True}, TABLE["rosters"]["mallory"])
    path = room.out / "unmatched.csv"
    filled = path.read_text("utf-8-sig").replace("called so.,", "called so.,2")
    path.write_text(filled, "utf-8")
    override_points(room.out, "1", "share", "3", "Talked.", room.course)
    assert ",2" in filled and path.read_text("utf-8") == filled
    with pytest.raises(KataError, match="Stopped"):
        room.grade(resume=True, matches=path, heard=interrupt)
    assert "stranger,,2" in path.read_text("utf-8") and room.points == {"1": 3}
    room.grade(resume=True)
    assert room.points == {"1": 3, "2": 4}


@pytest.mark.parametrize("learner", ["1", ""], ids=["given to another", "taken back"])
def test_what_a_person_takes_away_is_taken_when_the_run_is_stopped(learner: str, room: Any) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    room.grade({"1/split.py": True, "stranger/share.py": True}, TABLE["rosters"]["mallory"])
    for text, heard in (("3", lambda: None), (learner, interrupt)):
        (room.out / "unmatched.csv").write_text(f"entry,learner\nstranger,{text}\n", "utf-8")
        with suppress(KataError):
            room.grade(resume=True, heard=heard)
    run = room.grade(resume=True)
    assert room.points == {"1": 4, "3": 0} and not any("Handed in anew" in said for said in run.remarks)


def _prepare(each: SimpleNamespace, room: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    room.folder = room.place / (each.folder or room.folder.name)
    room.out = room.folder / each.out if each.out else room.out
    room.hand_in({name: WORK.get(text, text) for name, text in each.work.items()})
    for path in (room.folder / name for name in each.remove):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for old, new in each.rename.items():
        (room.folder / old).rename(room.folder / new)
    for name in each.pack:
        shutil.make_archive(str(room.folder / name), "zip", room.folder / name)
        shutil.rmtree(room.folder / name)
    for name, inside in each.zips.items():
        with zipfile.ZipFile(room.folder / name, "w") as archive:
            for member in inside:
                archive.writestr(member, "def share(amounts): return amounts")
    for name, text in each.write.items():
        (room.root / name).parent.mkdir(parents=True, exist_ok=True)
        (room.root / name).write_text(text, "utf-8")
    for change in each.edit:
        room.edit(*change)
    for unit in each.withdrawn:
        text = (room.root / "course.yml").read_text("utf-8")
        (room.root / "course.yml").write_text(text.partition(f"  - folder: {unit}\n")[0], "utf-8")
    room.be_generous(*(KITS[id] for id in each.generous))
    if each.programs:
        monkeypatch.setattr("grader.classroom.grading_terms.version", lambda name: f"{each.programs} {name}")


def _grade(each: SimpleNamespace, room: Any, options: Mapping[str, Any]) -> None:
    """One run, and a look at all that came of it."""
    if each.fill:
        _fill_in(each, room)
    results = room.out / "results.jsonl"
    written = results.read_bytes() if results.exists() else None
    before, there = room.records if written else {}, {path.name for path in room.out.glob("*")}
    judge = room.judge(failing={name: ValueError("odd") for name in each.failing})
    texts = {"roster": TABLE["rosters"].get(each.roster, each.roster), "match": each.match}

    def run_it() -> Any:
        for learner, exercise, points, *reason in each.override:
            override_points(room.out, learner, exercise, points, *(reason or ["Talked."]), room.course)
        return room.grade(pool=judge, **texts, **options)

    if each.refused:
        with pytest.raises(KataError) as refused:
            run_it()
        parts = each.refused if isinstance(each.refused, list) else [each.refused]
        assert isinstance(each.refused, list) or "\n" not in str(refused.value)
        assert [part for part in parts if part not in str(refused.value)] == []
        assert (results.read_bytes() if results.exists() else None) == written
        assert written or there <= {path.name for path in room.out.glob("*")} <= there | BEFORE_GRADING
        _see_rows(each, room)
        return
    run = run_it()
    told, records = "\n".join(run.remarks), room.records
    lines = compared(room.out, None, room.course) if options["resume"] and written else ()
    moves = [line.strip() for line in lines if line.startswith("  ")]
    assert [moves, run.faults, run.summary.unmatched] == [*map(list, (each.moves, each.faults, each.unmatched))]
    assert [said for said in each.says if said not in told] == [said for said in each.silent if said in told] == []
    _see_rows(each, room)
    if each.points is not None:
        assert list(room.points.items()) == [(str(id), points) for id, points in each.points.items()]
    if each.asked is not None:
        asked = {name.removesuffix(".zip"): ids for name, ids in judge.asked}
        assert asked == {str(name): tuple(ids.split()) for name, ids in each.asked.items()}
        assert all(records[id].exercises == before[id].exercises for id in before.keys() - asked.keys())
    assert each.graded is None or run.graded == each.graded
    assert each.absent is None or run.summary.absent == each.absent
    assert {id: records[id] for id in each.kept} == {id: before[id] for id in each.kept}
    assert {id: records[str(id)].counted_max_points for id in each.worth} == each.worth
    assert {id: [problem.file for problem in records[str(id)].problems] for id in each.problems} == each.problems
    assert {id: " ".join(one.id for one in records[str(id)].exercises) for id in each.exercises} == each.exercises
    assert not each.same or results.read_bytes() == written


def _fill_in(each: SimpleNamespace, room: Any) -> None:
    """Fill in the column of OUT/unmatched.csv, as a person does."""
    path = room.out / "unmatched.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = {row["entry"]: row["learner"] for row in csv.DictReader(file)}
    assert each.fill.keys() <= rows.keys()
    filled = (f"{entry},,{learner}" for entry, learner in {**rows, **each.fill}.items())
    path.write_text("\n".join(["entry,why,learner", *filled, ""]), "utf-8")


def _see_rows(each: SimpleNamespace, room: Any) -> None:
    if each.rows is not None:
        rows = room.unmatched
        assert rows.keys() == {str(entry) for entry in each.rows}
        assert [entry for entry, why in each.rows.items() if why not in rows[str(entry)]] == []
