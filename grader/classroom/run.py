"""One run of `kata grade-class`: sends out what has no result on these terms, and stores what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

from grader.course import Course
from grader.intake import Submission
from grader.intake.names import first_few
from grader.record import Record

from .class_list import ClassList
from .dispatch import Dispatch
from .grading_terms import Terms
from .judging import Graded, digest_of, fault_record
from .store import ClassMember, ReadWork, Run, Store
from .submission_files import OutOfReach, SubmissionFiles

Advance = Callable[[str, bool], None]
"""Called with the name of each submission, and whether there was anything to grade."""


@dataclass
class Tally:
    """The progress of a run."""

    total: int
    graded: int = 0
    unchanged: int = 0
    faults: list[str] = field(default_factory=list)
    """The learners of whom something has no points because of a fault of the grader."""
    remarks: list[str] = field(default_factory=list)
    """Sentences for the person who grades."""


class ClassRun:
    """Grades a class into a database.

    run: not yet stored; it is when the first result comes, so that a run that can grade nothing changes nothing.
    before: the run that it goes on with. again: whether only those with results get results of `terms.only` again.
    """

    def __init__(
        self,
        store: Store,
        run: Run,
        everyone: ClassList,
        course: Course,
        *,
        before: Run | None = None,
        again: bool = False,
    ) -> None:
        self._store, self.run, self._everyone, self._course = store, run, everyone, course
        self._before, self._again = before, again
        self._untaken = len(everyone.submissions)
        self._graded_before = store.graded(before) if before else set()
        self._times = (
            {each.learner.id: dict(each.learner.hand_in.at) for each in store.members(before)} if before else {}
        )
        self._versions = {each.id: each.versions for each in store.runs()}
        self._anew: list[str] = []
        """Who has handed in something else since the run before."""
        self.tally = Tally(self._untaken)

    @property
    def submissions(self) -> Sequence[SubmissionFiles]:
        """What was handed in."""
        return self._everyone.submissions

    def grade(self, executor: Executor, width: int, terms: Terms, advance: Advance) -> None:
        """Grade everybody without a result on these terms. width: the number of batches sent out at the same time.

        Raises KataError when results cannot be stored, MachineError and GraderBroken when grading is impossible; what
        was stored stays.
        """
        dispatch = Dispatch(executor, width, terms)
        for files, graded in dispatch.results(self._todo(terms, advance), lambda: self._untaken):
            self._keep(files, graded if isinstance(graded, Graded) else self._fault(files, graded, terms))
            advance(files.entry, True)
        self.begin()
        self._tell_of_others()

    def begin(self) -> None:
        """Store the run and the class, if it is not stored."""
        if not self.run.id:
            work = {id for files in self._everyone.submissions for id in files.learners}
            members = [ClassMember(each, each.id in work) for each in self._everyone.learners]
            self.run = self._store.begin(self.run, members, self._everyone.unmatched)

    def _todo(self, terms: Terms, advance: Advance) -> Iterator[SubmissionFiles]:
        ids = terms.only or tuple(each.id for each in self._course.exercises)
        for files in self._everyone.submissions:
            self._untaken -= 1
            if (self._again and self._graded_before.isdisjoint(files.learners)) or self._is_done(files, ids):
                self.tally.unchanged += 1
                advance(files.entry, False)
            else:
                yield files

    def _is_done(self, files: SubmissionFiles, ids: tuple[str, ...]) -> bool:
        """Whether each of these exercises has a result of just this work, by just these checks."""
        if self._before is None or not self._graded_before.issuperset(files.learners):
            return False
        try:
            digest = digest_of(files.read(self._course))
        except OutOfReach as error:
            self.tally.remarks.append(f"{files.entry} keeps its results of the earlier run. {error}")
            return True
        except Exception:  # a judge's process will find and report the error
            return False
        keys = [self._store.keys(learner, self._before) for learner in files.learners]
        if not self._again and any(digest not in {known for _, known, _ in each.values()} for each in keys):
            self._anew += files.learners
        return all(id in each and self._is_same(id, digest, *each[id]) for each in keys for id in ids)

    def _is_same(self, id: str, digest: str, kit: str, known: str, run: int) -> bool:
        """Whether a result is of this work by these checks; where it is graded again, also by these programs."""
        is_newer = not self._again or self._versions[run] == self.run.versions
        return (kit, known) == (self.run.kits[id], digest) and is_newer

    def _keep(self, files: SubmissionFiles, graded: Graded) -> None:
        record = Record.from_json(graded.record)
        learners = [id for id in files.learners if not self._again or id in self._graded_before]
        results = [each for each in record.exercises if not (self._again and each.status == "error")]
        self.begin()
        with self._store.one_submission():
            for learner in learners if results else ():
                self._store.add(self.run, learner, graded.work, results, is_late=files.is_late)
        self.tally.graded += 1
        if not record.complete:
            self.tally.faults += learners
        elif reason := record.why_unreadable or _why_empty(record):
            self.tally.remarks += [f"{learner}: {reason}" for learner in learners]

    def _fault(self, files: SubmissionFiles, reason: str, terms: Terms) -> Graded:
        self.tally.remarks += [f"{learner} was not graded. {reason}" for learner in files.learners]
        record = fault_record(files.entry, reason, self._course, terms)
        return Graded(record.to_json(), ReadWork(Submission(files.entry, {}, ()), digest=""))

    def _tell_of_others(self) -> None:
        """Remarks on learners who were in the run before, and on work that is not graded again."""
        listed = {each.id: each for each in self._everyone.learners}
        gone = [id for id in sorted(self._graded_before) if id not in listed]
        self.tally.remarks += [f"{id} is not among the submissions any more; the record is kept." for id in gone]
        late = [id for id in self._anew if (at := self._times.get(id)) and at == dict(listed[id].hand_in.at)]
        if late:
            self.tally.remarks.append(
                f"Handed in anew, while the roster still has the earlier time: {first_few(late)}. Give --roster "
                "with the times of today, as it may be late."
            )
        if self._again and self.tally.faults:
            self.tally.remarks.append(f"Not graded again, so the earlier points stay: {', '.join(self.tally.faults)}.")
        waiting = [each.entry for each in self._everyone.submissions if self._graded_before.isdisjoint(each.learners)]
        if self._again and waiting:
            self.tally.remarks.append(
                f"Without a record, so nothing is graded again: {first_few(waiting)}. "
                "--resume without --only grades them, before or after."
            )


def _why_empty(record: Record) -> str:
    """Why a submission has no exercises, if its problems do not say it already."""
    return record.problems[0].message if record.is_empty and record.problems else ""
