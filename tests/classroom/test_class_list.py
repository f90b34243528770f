"""Whose each submission of a class is: cases in class_list.yml, run on real folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.classroom.class_list import ClassList, Identification, class_in
from grader.classroom.roster import read_roster
from grader.classroom.unmatched import UNMATCHED, read_matches, write_unmatched
from grader.course import Course
from grader.errors import KataError
from tests.cases import rows, table

_TABLE = table(__file__, "class_list.yml")
ROSTERS: Mapping[str, str] = _TABLE["rosters"]


def case_of(told: Mapping[str, Any]) -> SimpleNamespace:
    """A class and what must come of it, as class_list.yml says."""
    assert told.keys() <= _TABLE["unsaid"].keys()
    return SimpleNamespace(**{**_TABLE["unsaid"], **told})


CASES = {name: case_of(told) for name, told in _TABLE["cases"].items()}


def lay_out(names: list[str], folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(exist_ok=True) if name.endswith("/") else path.touch()
    return folder


def identification(case: SimpleNamespace, place: Path, course: Course) -> Identification:
    matches = {str(entry): id for entry, id in case.match.items()}
    graded = {str(entry): dict.fromkeys(ids, 1) for entry, ids in case.graded.items()}
    by = Identification(None, case.of, matches, before=case.remembered, graded=graded)
    if not case.roster:
        return by
    (place / "roster.csv").write_text(ROSTERS.get(case.roster, case.roster), "utf-8")
    return replace(by, roster=read_roster(place / "roster.csv", course))


def check(found: ClassList, case: SimpleNamespace) -> None:
    assert {each.entry: list(each.learners) for each in found.submissions} == {
        str(entry): list(map(str, ids)) for entry, ids in case.counts.items()
    }
    for is_submission, expected in ((True, case.nobodys), (False, case.others)):
        rows = {each.entry: each.why for each in found.unmatched if each.why and each.is_submission == is_submission}
        assert rows.keys() == {str(entry) for entry in expected}
        assert [entry for entry, why in expected.items() if why not in rows[str(entry)]] == []
    words = {each.entry: each.learner for each in found.unmatched if each.learner}
    assert not case.words or words == case.words
    assert {id for each in found.submissions if each.name.is_late for id in each.learners} == set(case.late)
    assert [said for said in case.says if not any(said in remark for remark in found.remarks)] == []
    assert not case.platform or found.platform == case.platform
    assert not found.moved
    everyone = [id for each in found.submissions for id in each.learners]
    assert len(everyone) == len(set(everyone)) and set(everyone) <= {each.id for each in found.learners}


@rows(CASES)
def test_each_submission_is_its_learners_or_nobodys(case: SimpleNamespace, course: Course, tmp_path: Path) -> None:
    """Or a person is asked, where only a person can say."""
    by, folder = identification(case, tmp_path, course), lay_out(case.files, tmp_path / "class")
    if case.refused:
        with pytest.raises(KataError) as refused:
            class_in(folder, by)
        assert [part for part in case.refused if part not in str(refused.value)] == []
    else:
        check(class_in(folder, by), case)


def test_what_nobody_has_is_written_filled_in_and_read_again(tmp_path: Path) -> None:
    folder = lay_out(["zoe/", "zoe.zip", "=1+1/", "two\nlines/", "a.txt"], tmp_path / "class")
    path = tmp_path / UNMATCHED

    def graded(by: Identification) -> dict[str, tuple[str, ...]]:
        found = class_in(folder, by)
        write_unmatched(path, found.unmatched)
        return {each.entry: each.learners for each in found.submissions}

    (formula,) = [entry for entry in graded(Identification()) if entry.startswith("'=1+1 #")]
    assert graded(Identification(matches={formula: "ada"}))[formula] == ("ada",)
    assert read_matches(path) == {formula: "ada", "a.txt": "", "zoe": "", "zoe.zip": ""}
    told = {**read_matches(path), "zoe.zip": "zoe"}
    assert graded(Identification(matches=told))["zoe.zip"] == ("zoe",)
    assert read_matches(path) == told, "a person's word stays in the file"
    told["gone"] = "bo"
    by = Identification(before=told)
    assert graded(by)["zoe.zip"] == ("zoe",), "what was said earlier needs no --match"
    assert graded(replace(by, matches={"a.txt": "", "zoe": "@cy"}))["zoe"] == ("@cy",)
    assert read_matches(path)["zoe"] == "@cy", "though a spreadsheet is shown '@cy"
    assert "zoe.zip" not in graded(replace(by, matches={"zoe.zip": ""})), "and is taken back by one"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("entry,who\na,b\n", "has no columns entry and learner"),
        ("entry,learner\na,b\na,c\n", "has several rows of a."),
    ],
    ids=["a column that is not there", "an entry twice"],
)
def test_file_of_matches_that_cannot_be_used_says_why(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(KataError, match=told):
        read_matches(tmp_path / "m.csv")


def test_names_that_look_alike_in_the_file_can_be_told_apart(course: Course, tmp_path: Path) -> None:
    folder = lay_out(["=1/", "'=1/", "a\x01/", "a\x02/", "b/"], tmp_path / "class")
    (tmp_path / "roster.csv").write_text("id,name\n7,Zoe\n", "utf-8")
    roster = read_roster(tmp_path / "roster.csv", course)
    write_unmatched(tmp_path / UNMATCHED, class_in(folder, Identification(roster)).unmatched)
    entries = list(read_matches(tmp_path / UNMATCHED))
    assert len(entries) == 5
    for entry in entries:
        found = class_in(folder, Identification(roster, matches={entry: "7"}))
        assert [(each.entry, each.learners) for each in found.submissions] == [(entry, ("7",))]


def test_what_is_ours_and_what_is_odd_is_no_learner(course: Course, tmp_path: Path) -> None:
    folder = lay_out(["ada/", "out/", "roster.csv", "x.txt"], tmp_path / "class")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "link.zip").symlink_to("nowhere")
    (folder / "lost").symlink_to("x" * 300)  # what the system cannot look up
    found = class_in(folder, Identification(ignored=(folder / "out", folder / "roster.csv", tmp_path / "gone")))
    assert [each.entry for each in found.submissions] == ["ada", "link.zip"]  # reading it says that it is a link
    assert [each.entry for each in found.unmatched] == ["link", "lost", "x.txt"]
    assert "Passed over: out, roster.csv." in found.remarks
    (problem,) = found.submissions[1].read(course).problems
    assert "is a link" in problem.message


def test_ids_are_distinct_text_whatever_the_files_are_called(tmp_path: Path) -> None:
    names = ("x.py", "x.py.py", "y\udcff.py", "y\udcfe.py", "x2 (2)", "\u200b")
    folder = lay_out([f"{name}/" for name in names], tmp_path / "class")
    ids = [id for each in class_in(folder, Identification()).submissions for id in each.learners]
    assert len(set(ids)) == len(names) and all(id.encode("utf-8") for id in ids)


def test_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(KataError, match=r"^gone does not exist\.$"):
        class_in(tmp_path / "gone", Identification())
