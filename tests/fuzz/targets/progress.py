"""A learner's own progress file."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.practice.progress import AttemptEntry, DamagedProgress, Progress, ProgressFile
from grader.practice.review import coming_back, settle
from tests.fuzz.damage import damaged_json
from tests.fuzz.sound import assert_sentence
from tests.fuzz.targets.archive import COURSE
from tests.fuzz.watching import scratch

AT = datetime(2026, 11, 20, 12, tzinfo=timezone.utc)
GIVEN: dict[str, Any] = {
    "version": 1,
    "exercises": {
        "softmax": {
            "attempts": [
                {"at": "2026-11-18T10:00:00Z", "status": "failed", "points": 1, "max_points": 4, "digest": "a",
                 "failed": ["test_rows"], "mistakes": {"whole-sum": "You divided by one sum."}},
                {"at": "2026-11-18T10:09:00Z", "status": "passed", "points": 4, "max_points": 4, "digest": "b"},
                {"at": "2026-11-19T09:00:00Z", "status": "failed", "points": 1, "max_points": 4, "digest": "c",
                 "kind": "review"},
            ],
            "hints": [{"at": "2026-11-18T10:05:00Z", "level": 1, "attempts": 1}],
            "passed_at": "2026-11-18T10:09:00Z",
            "reviews": [{"at": "2026-11-19T08:50:00Z", "attempts": 2, "hints": 1, "failed": True}],
            "card": {"card_id": 1, "state": 2, "step": None, "stability": 3.5, "difficulty": 5.2,
                     "due": "2026-11-22T10:00:00+00:00", "last_review": "2026-11-19T09:00:00+00:00"},
        },
        "causal_mask": {"passed_at": "2026-11-18T10:09:00Z", "solution_seen_at": "2026-11-18T10:08:00Z"},
        "self_attention": {"skipped": True},
    },
}  # fmt: skip


def run(data: bytes) -> None:
    """The file is read, or set aside to the byte once and for all; what is read can be gone on with and kept."""
    folder = scratch()
    file = ProgressFile(folder)
    file.path.write_bytes(data)
    try:
        progress = file.read()
    except DamagedProgress as error:
        assert_sentence(str(error))
        (aside,) = folder.glob("progress.damaged-*.json")
        assert aside.read_bytes() == data
        assert file.read() == Progress()
        return
    coming_back(COURSE, progress, AT)
    with file.change() as changed:
        for id in ("softmax", "causal_mask"):
            done = changed.of(id)
            before = len(done.attempts)
            for kind in ("practice", "review"):
                attempt = AttemptEntry(at=AT, status="passed", points=4, max_points=4, digest=f"d{kind}", kind=kind)
                done.note(attempt)
                settle(done, attempt)
            assert len(done.attempts) >= min(before, 1000) and done.is_passed
    coming_back(COURSE, file.read(), AT)
    assert not list(folder.glob("progress.damaged-*.json"))


def inputs() -> SearchStrategy[bytes]:
    """A file with a bit of everything, damaged; moments at the ends of time among it."""
    times = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-11-18T10:00:00", "1e300", "-62135596801")
    return damaged_json(st.builds(_at, st.sampled_from(times), st.integers(0, 8)))


def _at(time: str, place: int) -> Any:
    """The file with one of its moments replaced."""
    whole = json.dumps(GIVEN)
    pieces = whole.split('"2026-11')
    if place + 1 < len(pieces):
        rest = pieces[place + 1].partition('"')[2]
        return json.loads('"2026-11'.join(pieces[: place + 1]) + f'"{time}"' + "".join([rest, *_rest(pieces, place)]))
    return json.loads(whole)


def _rest(pieces: list[str], place: int) -> list[str]:
    return [f'"2026-11{piece}' for piece in pieces[place + 2 :]]
