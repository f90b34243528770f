"""Who of a class is meant by what somebody types; and that learners and submissions can be kept and sent."""

from __future__ import annotations

import pickle
from datetime import datetime, timezone
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from grader.classroom.final_points import HandIn
from grader.classroom.roster import Learner, find_learner
from grader.classroom.submission_files import SubmissionFiles
from grader.errors import KataError
from grader.intake import LooseFile

CLASS = (
    Learner("1815", "Ada Byron", "ada@uni.example", ("1815", "ab12")),
    Learner("1816", "Li, Bo", "bo@uni.example", ("1816",)),
    Learner("1817", "Bo Li", ids=("1817",)),
)


@pytest.mark.parametrize("text", ["1815", "AB12", "ADA@uni.example", "ada byron", "Byron Ada"], ids=str)
def test_learner_is_found_by_id_login_email_and_name(text: str) -> None:
    assert find_learner(CLASS, text, "OUT", "kata explain OUT").id == "1815"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Bo Li", "'Bo Li' could be 2 learners: give one of the ids 1816, 1817."),
        ("Ada", "Nobody in OUT is called 'Ada'. Ids there look like '1815', '1816', '1817', such as: kata explain OUT 1815"),
    ],
    ids=["several", "nobody"],
)  # fmt: skip
def test_who_is_nobody_or_several_is_asked_for(text: str, told: str) -> None:
    with pytest.raises(KataError) as refused:
        find_learner(CLASS, text, "OUT", "kata explain OUT")
    assert str(refused.value) == told


def test_learner_is_the_same_from_json_and_files_are_the_same_in_another_process() -> None:
    noon = datetime(2026, 3, 1, 11, 14, tzinfo=timezone.utc)
    ada = Learner("1815", "Ada", section="Friday", hand_in=HandIn({"*": noon}, {"01_parts": 0.5}, exempt=("share",)))
    adapter = TypeAdapter(Learner)
    again = adapter.validate_json(adapter.dump_json(ada))
    assert again == ada and again.hand_in == ada.hand_in
    files = SubmissionFiles("a.py", ("1815",), Path("a.py"), (LooseFile(Path("a.py"), "share.py"),), is_late=True)
    assert pickle.loads(pickle.dumps(files)) == files
