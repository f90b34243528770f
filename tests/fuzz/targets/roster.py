"""Class lists and moments as spreadsheets save them, in whatever encoding; and the names that learning platforms give."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.classroom.claims import Claim, resolve
from grader.classroom.lms_names import TITLES, NamesError, platform_of, read_names
from grader.classroom.members import Learner
from grader.classroom.roster import Matcher, RosterError, read_roster
from grader.classroom.times import TimesError, by_attempt, by_learner, read_extensions, read_hand_ins
from grader.render.safe_text import visible
from tests.fuzz.damage import ODD_TEXTS, damaged
from tests.fuzz.sound import assert_sentence
from tests.fuzz.targets.archive import COURSE
from tests.fuzz.watching import scratch

LEARNERS = (Learner(name="ada", shown="Ada Lovelace", email="ada@x.org"), Learner(name="bob", shown="Bob"))
ROSTERS = (
    "id,name,email\nada,Ada Lovelace,ada@x.org\nbob,Bob,\n",
    'Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"Lovelace, Ada",4,17,ada,1\n',
    "First name;Surname;ID number;Email address\nAda;Lovelace;17;ada@x.org\n",
    "OrgDefinedId\tUsername\tLast Name\tFirst Name\n#17\t#ada\tLovelace\tAda\n",
    "learner,time,unit,attempt\nada,2026-11-20 18:00 +01:00,01_soft_lookup,1\nbob,2026-11-21T10:00Z,*,\n",
    "submission;until\nada;20.11.2026 18:00\n",
    "username,handed in at\nada,2026-10-25 02:30\nada,9999-12-31 23:59 -23:59\nbob,0001-01-01 00:00 +14:00\n",
)
GIVEN = (
    "Ada Lovelace_4_assignsubmission_file_softmax.py",
    "lovelaceada_LATE_12_34_softmax-1.py",
    "Kata_ada_attempt_2026-11-20-10-00-00_softmax.py",
    "12-34 - Ada Lovelace - Nov 20, 2026 416 PM",
    "_" * 60,
    "a_1" * 30,
)


def run(data: bytes) -> None:
    """Every reader of such files gives rows, or one sentence; nobody of the class is mistaken for another."""
    path = scratch() / "list.csv"
    path.write_bytes(data)
    try:
        roster = read_roster(path)
    except RosterError as error:
        assert_sentence(_on_a_terminal(error))
    else:
        assert len({each.id for each in roster}) == len(roster)
        matcher = Matcher(roster)
        for each in roster:
            found = matcher.learner(each.id)
            assert found in (None, each), (found, each)
    for read in (read_hand_ins, read_extensions):
        try:
            rows = read(path, COURSE)
        except (TimesError, RosterError) as error:
            assert_sentence(_on_a_terminal(error))
        else:
            assert all(row.moment.tzinfo is not None for row in rows)
            by_learner(rows, LEARNERS), by_attempt(rows, LEARNERS)
    name = data[:200].decode("utf-8", "replace")
    for platform in TITLES:
        for said in read_names(platform, [name, *GIVEN]).values():
            resolve([Claim(platform, said.name or said.submitter, said.ids)], ())
    with suppress(NamesError):
        platform_of([name, *GIVEN])


def _on_a_terminal(error: Exception) -> str:
    """As the command tells it: a quoted cell may hold anything, line ends too."""
    return visible(str(error)).replace("\n", " ")


def inputs() -> SearchStrategy[bytes]:
    """Exports of the known platforms in the encodings of spreadsheets, damaged; and names of hand-ins."""
    odd = st.builds(
        lambda text, old, new: text.replace(old, new),
        st.sampled_from(ROSTERS),
        st.sampled_from(("ada", "17", "2026-11-20", "\n", ",", "18:00", "email")),
        st.sampled_from((*ODD_TEXTS, '"', '""', "2026-02-30", "25:00", "+99:99", "2026-11-20 18:00 Europe/Nowhere")),
    )
    encoded = st.builds(
        lambda text, encoding: text.encode(encoding, "replace"),
        odd | st.sampled_from(ROSTERS),
        st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252")),
    )
    return damaged(encoded) | damaged(st.sampled_from(GIVEN).map(str.encode))
