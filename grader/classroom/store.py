"""OUT/class.db: everything known of a graded class, in one SQLite database. Its schema is here.

A result is of one learner and one exercise, and known by what it depends on: the source, and its run, which has the
exercise's kit, the seed, the level and the versions. A run adds rows and takes none of earlier runs away: of a
learner's rows about the same thing, that of the latest run counts. Each submission is one transaction, with the
journal and syncs of SQLite's own: a killed run leaves all of it or nothing. Who writes holds the lock on OUT.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal

from filelock import Timeout
from pydantic import TypeAdapter

from grader.errors import KataError
from grader.files import lock_at, refuse_link
from grader.intake import SourceFile, Submission
from grader.record import ExerciseResult, Problem

from .class_list import ClassList
from .final_points import Override
from .grading_terms import Run
from .roster import Learner
from .unmatched import TAKEN_AWAY, Unmatched

DATABASE, RESULTS, LOCK = "class.db", "results.jsonl", ".lock"
BUSY_SECONDS = 60  # to wait while another command reads or writes
VERSION = 9  # of the schema
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY,
    about TEXT NOT NULL             -- the course and all else that results depend on, and the first run, as JSON
);
CREATE TABLE IF NOT EXISTS learners (
    place INTEGER PRIMARY KEY,      -- in the order of the class
    learner TEXT NOT NULL UNIQUE,
    run INTEGER NOT NULL,           -- the last one in whose class they were
    has_work INTEGER NOT NULL,      -- whether a submission of theirs was in it
    about TEXT NOT NULL             -- names, and what the policy has to know, as JSON
);
CREATE TABLE IF NOT EXISTS submissions (
    learner TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs,
    entry TEXT NOT NULL,            -- the name in the folder of the class, or TAKEN_AWAY
    digest TEXT NOT NULL,           -- of all sources and problems
    problems TEXT NOT NULL,         -- as JSON
    PRIMARY KEY (learner, run)
);
CREATE TABLE IF NOT EXISTS results (
    learner TEXT NOT NULL,
    exercise TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs,
    digest TEXT NOT NULL,           -- of what was graded
    name TEXT,                      -- of the file; nothing if there was none
    content BLOB,                   -- compressed by zlib
    result TEXT NOT NULL,           -- the exercise's part of the record, as JSON
    PRIMARY KEY (learner, exercise, run)
);
CREATE TABLE IF NOT EXISTS overrides (
    learner TEXT NOT NULL,
    exercise TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES runs,  -- the last one when the points were set
    points REAL,                    -- nothing: an earlier override is taken back
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (learner, exercise, run)
);
CREATE TABLE IF NOT EXISTS unmatched (        -- what counts for nobody, and what a person has given to a learner
    entry TEXT NOT NULL, why TEXT NOT NULL, is_submission INTEGER NOT NULL, learner TEXT NOT NULL
);
PRAGMA user_version = {VERSION};
COMMIT;
"""
AS_OF = "run BETWEEN :first AND :last"
"""What was stored by a run and those before it that it goes on with."""
THEIRS = f"WHERE learner = :learner AND {AS_OF}"
"""A learner's rows as of a run. In a query for `max(run)` SQLite gives the other columns of the row that has it."""
Standing = Literal["graded", "waiting", "absent"]
"""Of a learner as of a run: has a record; has none yet; nothing of theirs was in the class."""

_RUN = TypeAdapter(Run)
_LEARNER = TypeAdapter(Learner)
_PROBLEMS = TypeAdapter(tuple[Problem, ...])


@dataclass(frozen=True)
class Row:
    """A stored result of one exercise, with what was graded and its digest. source: None if there was none."""

    result: ExerciseResult
    digest: str
    run: Run
    source: SourceFile | None


# --- opening ----------------------------------------------------------------------------------------------------------


@contextmanager
def writing(out: Path) -> Iterator[Store]:
    """Lock OUT and open its database to write; what was not there is made, and taken away again if no run is stored.

    Raises KataError when another command writes, when OUT holds results without a database, or cannot be locked.
    """
    is_new, store = not out.exists(), None
    lock = lock_at(out / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise KataError(f"Another command is writing into {out}: wait until it ends, or give another folder.") from None
    except NotImplementedError:
        raise KataError(f"The file system of {out} cannot lock files: give a folder on this machine's disk.") from None
    try:
        if (out / RESULTS).exists() and not (out / DATABASE).exists():
            raise KataError(f"{out} holds no {DATABASE}, though it holds {RESULTS}: grade into another folder.")
        with _connected(out, "rwc") as store:
            yield store
    finally:
        if store and not store.runs:
            (out / DATABASE).unlink()
        if is_new and [each.name for each in out.iterdir()] == [LOCK]:
            with suppress(OSError):
                (out / LOCK).unlink()
                out.rmdir()
        lock.release()


@contextmanager
def reading(out: Path) -> Iterator[Store]:
    """Open the database of a graded class. Raises KataError when there is none, or it cannot be read."""
    with _connected(out, "rw") as store:
        if not store.runs:
            raise KataError(f"{out} holds no results yet: begin with `kata grade-class DIR --out {out}`.")
        yield store


@contextmanager
def _connected(out: Path, mode: str) -> Iterator[Store]:
    path = out / DATABASE
    for name in (DATABASE, f"{DATABASE}-journal"):
        refuse_link(out / name)
    where = f"{path.absolute().as_uri()}?mode={mode}"
    try:
        with closing(sqlite3.connect(where, uri=True, timeout=BUSY_SECONDS, isolation_level="IMMEDIATE")) as connection:
            for setting in ("journal_mode=DELETE", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
                connection.execute(f"PRAGMA {setting}")
            (made_by,) = connection.execute("PRAGMA user_version").fetchone()
            is_used = connection.execute("SELECT 1 FROM sqlite_master").fetchone()
            if made_by not in (0, VERSION) or (is_used and not made_by):
                raise KataError(
                    f"{path} is of another version of this program, or of another one: give another folder."
                )
            if not made_by:  # it is new, or a killed run has left it so
                connection.executescript(SCHEMA)
            yield Store(path, connection)
    except sqlite3.Error as error:
        raise KataError(f"{path} cannot be used: {error}.") from None


class Store:
    """The database of one class. Its methods raise KataError when it cannot be written.

    runs: all of them, in order; their ids count from 1.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._sql = path, connection
        self.folder = path.parent
        found = connection.execute("SELECT about FROM runs ORDER BY id")
        self.runs = [_RUN.validate_json(about) for (about,) in found]

    # --- writing ------------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """What is changed in this block is stored as a whole, or not at all."""
        try:
            with self._sql:
                yield
        except sqlite3.Error as error:
            raise KataError(f"{self._path} cannot be written: {error}.") from None

    def _insert(self, table: str, *row: object) -> None:
        """Insert a row, or put it in the place of one with the same key."""
        self._sql.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def begin(self, run: Run, everyone: ClassList) -> Run:
        """Store a run that begins, and its class; also what was taken away, lest that be forgotten if it is stopped."""
        work = {id: files.entry for files in everyone.submissions for id in files.learners}
        id = len(self.runs) + 1
        run = replace(run, id=id, first=run.first or id)
        with self._transaction():
            self._insert("runs", id, _RUN.dump_json(run).decode())
            for each in everyone.learners:
                self._insert("learners", None, each.id, id, each.id in work, _LEARNER.dump_json(each).decode())
            for learner in (learner for learner, entry in work.items() if entry == TAKEN_AWAY):
                self._insert("submissions", learner, id, TAKEN_AWAY, "", "[]")
            self._list_unmatched(everyone.unmatched)
        self.runs.append(run)
        return run

    def _list_unmatched(self, rows: Iterable[Unmatched]) -> None:
        self._sql.execute("DELETE FROM unmatched")
        for row in rows:
            self._insert("unmatched", row.entry, row.why, row.is_submission, row.learner)

    def add(self, run: Run, submission: Submission, results: Mapping[str, Sequence[ExerciseResult]]) -> None:
        """Store what was handed in, for each learner with their results: as a whole, or not at all.

        A fault of the grader takes no earlier result away. What came to nothing else is not stored.
        """
        digest, problems = submission.digest(), _PROBLEMS.dump_json(submission.problems).decode()
        with self._transaction():
            for learner, theirs in results.items():
                new = [each for each in theirs if each.status != "error" or each.id not in self.rows(learner, run)]
                if new or (not theirs and self.last_submission(learner, run)[:2] != (submission.name, digest)):
                    self._insert("submissions", learner, run.id, submission.name, digest, problems)
                for each in new:
                    source = submission.sources.get(each.id)
                    file = (source.name, zlib.compress(source.content)) if source else (None, None)
                    result = each.model_dump_json(exclude_defaults=True)
                    self._insert("results", learner, each.id, run.id, submission.digest(each.id), *file, result)

    def override(self, run: Run, learner: str, exercise: str, points: float | None, reason: str) -> None:
        """Store points that a person sets after a run; None takes an earlier override back."""
        with self._transaction():
            at = datetime.now(timezone.utc).isoformat(timespec="seconds")
            self._insert("overrides", learner, exercise, run.id, points, reason, at)

    @contextmanager
    def forgetting(self, learner: str, unmatched: Iterable[Unmatched]) -> Iterator[None]:
        """Delete everything of a learner, and of `unmatched` all but these: stored when the block ends, if it does."""
        with self._transaction():
            for table in ("results", "submissions", "overrides", "learners"):
                self._sql.execute(f"DELETE FROM {table} WHERE learner = ?", (learner,))
            self._list_unmatched(unmatched)
            yield
        self._sql.execute("VACUUM")

    # --- queries ------------------------------------------------------------------------------------------------------

    def _ask(self, query: str, run: Run | None, learner: str = "") -> sqlite3.Cursor:
        """The rows of a query about a run and those before it that it goes on with: between :first and :last."""
        first, last = (run.first, run.id) if run else (0, 0)
        return self._sql.execute(query, {"first": first, "last": last, "learner": learner})

    def learners(self) -> list[Learner]:
        """Everybody who was ever in the class."""
        return [_LEARNER.validate_json(about) for (about,) in self._sql.execute("SELECT about FROM learners")]

    def standing(self, run: Run | None) -> list[tuple[Learner, Standing]]:
        """Those who are in the class of this run or have a record, the class first, in its order."""
        found = self._ask(
            f"""SELECT about, CASE
                WHEN learner IN (SELECT learner FROM results WHERE {AS_OF}) THEN 'graded'
                WHEN has_work THEN 'waiting' ELSE 'absent' END AS standing
            FROM learners WHERE run >= :last OR standing = 'graded' ORDER BY run DESC, place""",
            run,
        )
        return [(_LEARNER.validate_json(about), standing) for about, standing in found]

    def rows(self, learner: str, run: Run | None) -> dict[str, Row]:
        """The results of a learner that count, as of this run, by exercise: of each the latest. None as of no run."""
        query = f"SELECT exercise, result, digest, name, content, max(run) FROM results {THEIRS} GROUP BY exercise"
        rows = {}
        for id, result, digest, name, content, by in self._ask(query, run, learner):
            source = SourceFile(id, name, zlib.decompress(content)) if content is not None else None
            rows[id] = Row(ExerciseResult.model_validate_json(result), digest, self.runs[by - 1], source)
        return rows

    def entries(self, run: Run | None) -> dict[str, dict[str, int]]:
        """Whose each entry of the class's folder was that was graded, and in which run last, as of this run."""
        found: dict[str, dict[str, int]] = defaultdict(dict)
        query = f"SELECT entry, learner, max(run) FROM submissions WHERE {AS_OF} GROUP BY entry, learner"
        for entry, learner, by in self._ask(query, run):
            found[entry][learner] = by
        return found

    def last_submission(self, learner: str, run: Run | None) -> tuple[str, str, tuple[Problem, ...]]:
        """The entry, the digest and the problems of what a learner handed in last, as of this run; empty if none."""
        query = f"SELECT entry, digest, problems, max(run) FROM submissions {THEIRS}"
        entry, digest, problems, _ = self._ask(query, run, learner).fetchone()
        return entry or "", digest or "", _PROBLEMS.validate_json(problems or "[]")

    def overrides(self, learner: str, run: Run) -> dict[str, Override]:
        """A learner's points that were set by hand, as of this run, by exercise."""
        query = f"SELECT exercise, points, reason, max(run) FROM overrides {THEIRS} GROUP BY exercise"
        found = self._ask(query, run, learner)
        return {id: Override(points, reason) for id, points, reason, _ in found if points is not None}

    def unmatched(self) -> list[Unmatched]:
        """What was handed in and is nobody's, or was given to a learner by a person, as of the last run."""
        found = self._sql.execute("SELECT entry, why, is_submission, learner FROM unmatched ORDER BY rowid")
        return [Unmatched(entry, why, bool(flag), learner) for entry, why, flag, learner in found]
