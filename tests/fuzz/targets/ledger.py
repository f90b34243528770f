"""What an earlier run left in OUT: results, class list and header, torn or edited; and a run that goes on with it."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from grader.classroom.ledger import DAMAGED, RESULTS, SUPERSEDED, Ledger
from grader.classroom.members import CLASS_LIST, ClassListError, Learner, write_class_list
from grader.classroom.results_file import ResultsError, handed_in_nothing, read_results, ungraded
from grader.classroom.run_header import RUN, RunError, read_run
from grader.record import Record, RecordError
from tests.fuzz.damage import damaged, damaged_json
from tests.fuzz.sound import assert_sentence
from tests.fuzz.targets.record import GOLDEN, records
from tests.fuzz.watching import scratch

BETWEEN = b"\x1c\n"
"""Between the contents of the files in one input."""

FRESH = Record.from_json(GOLDEN[0]).model_copy(update={"submission": "graded now"})
HEADER = {
    "version": 1,
    "course_title": "Tiny",
    "course_version": "1",
    "course_sha256": "0",
    "checks_sha256": "1",
    "seed": 7,
    "isolation": "full",
    "only": [],
    "versions": {"torch": "2"},
    "arguments": {},
}


def run(data: bytes) -> None:
    """Reading tells in a sentence what is wrong; going on loses no record and no byte, and mends the file for good."""
    out = scratch()
    for name, content in zip((RESULTS, CLASS_LIST, RUN), data.split(BETWEEN, 2), strict=False):
        (out / name).write_bytes(content)
    _read(out)
    before = (out / RESULTS).read_bytes()
    _go_on(out, before)
    with suppress(ClassListError):
        write_class_list(out / CLASS_LIST, [Learner(name="ada", shown="Ada")], ["ada", "bob", FRESH.submission])
        results = read_results(out)
        assert [result.record.submission for result in results][-1:] != []


def _read(out: Path) -> None:
    try:
        read_run(out)
    except RunError as error:
        assert_sentence(str(error))
    try:
        results = read_results(out)
        names = [result.learner.name for result in results]
        assert len(set(names)) == len(names) or (out / CLASS_LIST).exists()
        ungraded(out), handed_in_nothing(out)
    except ResultsError as error:
        assert_sentence(str(error))


def _go_on(out: Path, before: bytes) -> None:
    ledger = Ledger(out)
    recovered = ledger.go_on()
    for remark in recovered.remarks:
        assert_sentence(remark)
    whole = [line for line in before.split(b"\n")[:-1] if _name(line) is not None]
    torn = before.rpartition(b"\n")[2]
    names = {_name(line) for line in (*whole, torn)} - {None}
    assert set(recovered.known) == names
    ledger.append([FRESH.to_json()])
    ledger.finish([])
    now = (out / RESULTS).read_bytes()
    kept = [(out / name).read_bytes() for name in (DAMAGED, SUPERSEDED) if (out / name).exists()]
    everything = b"\n".join([now, *kept])
    for line in before.split(b"\n")[:-1]:
        assert line in everything, "a line is lost"
    final = [_name(line) for line in now.split(b"\n")[:-1]]
    assert None not in final and len(set(final)) == len(final) and set(final) == names | {FRESH.submission}
    again = Ledger(out)
    assert again.go_on().remarks == ()
    again.close()
    assert (out / RESULTS).read_bytes() == now


def _name(line: bytes) -> str | None:
    try:
        return Record.from_json(line).submission
    except RecordError:
        return None


def inputs() -> SearchStrategy[bytes]:
    """Results with good, bad, doubled and torn lines; class lists and headers, whole and spoilt."""
    good = records().map(lambda record: Record.from_json(json.dumps(record)).to_json().encode())
    lines = st.lists(good | good | damaged_json(records()) | st.sampled_from((b"", b" ", b"\r", b"null")), max_size=4)
    results = st.builds(
        lambda lines, end: b"\n".join(lines) + end, lines, st.sampled_from((b"\n", b"", b"\n{", b'\n{"ver'))
    )
    learner = {"name": "ada", "shown": "Ada", "email": "", "handed_in": True, "in_roster": True}
    classes = st.lists(damaged_json(st.just(learner), most=1), max_size=3).map(b"\n".join)
    headers = damaged_json(st.just(HEADER), most=1)
    whole = st.builds(lambda *files: BETWEEN.join(files), results, classes, headers)
    return whole | damaged(results)
