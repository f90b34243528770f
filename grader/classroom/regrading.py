"""Some exercises graded again for everybody, after the course was mended: the rest of every record stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.course import Course
from grader.results import CourseStamp, ExerciseResult, GradedAgain, Record

from .course_digest import course_digest
from .results_file import Line, final_lines, record_at
from .run_header import RunError, RunHeader, header_of
from .terms import Terms


class Regrading:
    """Which exercises are graded again, on what terms, and what becomes of a record.

    before: on what terms the class was graded. now: on what terms these exercises are graded again.
    """

    def __init__(self, results: Path, before: RunHeader, now: RunHeader, course: Course, terms: Terms) -> None:
        self._results, self._course = results, course
        self._before, self._now, self._terms = before, now, terms
        self._stamp = CourseStamp(title=course.title, version=course.version, digest=course_digest(course))
        self._lines: Mapping[str, Line] = {}

    @property
    def only(self) -> list[str]:
        """The exercises that are graded again."""
        return self._now.only

    def refuse_others(self, out: Path) -> None:
        """Raise RunError where these exercises cannot stand beside what was graded."""
        before, now = self._before, self._now
        differences = []
        if before.course_title != now.course_title:
            differences.append(f"the course was {before.course_title} and is {now.course_title}")
        if before.isolation != now.isolation:
            differences.append(f"the isolation was {before.isolation} and is {now.isolation}")
        if before.only and (strange := sorted(set(now.only) - set(before.only))):
            differences.append(f"{', '.join(strange)} was not among the exercises that were chosen")
        if differences:
            raise RunError(f"{out} was graded on other terms: {'; '.join(differences)}. Give another folder.")

    def begin(self) -> None:
        """Look at the records as they are now. Raises ResultsError."""
        self._lines = dict(final_lines(self._results))

    def has(self, name: str) -> bool:
        """Whether a learner has a record in which exercises can be graded again."""
        return name in self._lines

    def is_done(self, name: str, digest: str) -> bool:
        """Whether that was done already on these terms, of a submission with this digest."""
        graded = {each.id: each.graded_again for each in self._record(name).exercises}
        return all(graded.get(id) == self._again(id, digest) for id in self.only)

    def together(self, partial: Record) -> Record:
        """A learner's record with the exercises that were graded again in the places of the earlier ones.

        One that the grader failed at keeps what it had.
        """
        old = self._record(partial.submission)
        fresh = {
            each.id: each.model_copy(update={"graded_again": self._again(each.id, partial.digest)})
            for each in partial.exercises
            if each.status != "error"
        }
        exercises = {each.id: _raw(each) for each in old.exercises} | fresh
        places = {each.id: place for place, each in enumerate(self._course.exercises)}
        ordered = sorted(exercises.values(), key=lambda each: places.get(each.id, len(places)))
        record = Record.of(
            submission=old.submission,
            isolation=old.isolation,
            seed=old.seed,
            course=old.course,
            exercises=ordered,
            problems=old.problems,
        )
        return record.model_copy(update={"digest": old.digest})

    def header(self) -> RunHeader:
        """On what terms the class is graded once all are done.

        Where more of the course has changed than was graded again, the run stays one on its earlier terms but for that.
        """
        before = self._before
        kits = {**before.kits, **self._now.kits}
        header = before.model_copy(update={"kits": kits, "versions": self._now.versions})
        if self.left_behind():
            return header
        whole = self._whole()
        names = ("course_version", "course_sha256", "checks_sha256", "catalogue_sha256", "kits")
        return header.model_copy(update={name: getattr(whole, name) for name in names})

    def left_behind(self) -> list[str]:
        """Exercises that would be graded by something else now, and are not graded again."""
        whole = self._whole()
        return [id for id in self._before.changed_kits(whole) if id not in self.only]

    def _whole(self) -> RunHeader:
        """On what terms all that was chosen at first would be graded now; what was withdrawn since is left out."""
        known = {each.id for each in self._course.exercises}
        only = tuple(id for id in self._before.only if id in known)
        return header_of(self._course, Terms(self._terms.course, self._terms.level, self._before.seed, only), {})

    def _again(self, id: str, digest: str) -> GradedAgain:
        return GradedAgain(course=self._stamp, kit=self._now.kits[id], digest=digest, seed=self._terms.seed)

    def _record(self, name: str) -> Record:
        return record_at(self._results, self._lines[name])


def _raw(exercise: ExerciseResult) -> ExerciseResult:
    return exercise.model_copy(update={"final_points": None, "final_max_points": None})
