"""A class list as spreadsheets and learning platforms save it, in whatever encoding."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.classroom.roster import read_roster
from grader.course import load_course
from grader.errors import KataError
from grader.render.safe_text import visible
from tests.fuzz.damage import ODD, damaged
from tests.fuzz.watching import ROOT, assert_sentence, scratch

COURSE = load_course(ROOT / "course.yml")

REPLACED = ("ada", "17", "\n", ",", "email")


def run(data: bytes) -> None:
    """It gives learners with ids of their own, or one sentence."""
    path = scratch() / "list.csv"
    path.write_bytes(data)
    try:
        roster = read_roster(path, COURSE)
    except KataError as error:
        assert_sentence(visible(str(error)).replace("\n", " "))  # as the command shows it
    else:
        assert len({each.id for each in roster}) == len(roster)


def inputs() -> SearchStrategy[bytes]:
    """Exports of the known platforms in the encodings of spreadsheets, with odd cells, and damaged."""
    odd = st.builds(
        lambda text, old, new: text.replace(old, new),
        st.sampled_from(ODD["rosters"]),
        st.sampled_from(REPLACED),
        st.sampled_from((*ODD["texts"], '"', '""', ",ada")),
    )
    encodings = st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"))
    texts = st.sampled_from(ODD["rosters"]) | odd
    return damaged(st.builds(lambda text, encoding: text.encode(encoding, "replace"), texts, encodings))
