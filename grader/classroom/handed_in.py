"""Finds the submission of a graded learner again, for an appeal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from grader.course import Course, Exercise
from grader.errors import KataError
from grader.files import write_file
from grader.intake import Submission, SubmissionError, read_submission

from .class_folder import ReadingOptions, class_in
from .entries import OutOfReach, read_entry
from .lms_names import platform_called
from .members import ListedLearner as Learner
from .members import find_learner
from .page_names import page_stem
from .results_file import Result, digest_of, read_results
from .roster import read_roster
from .run_header import RunHeader
from .same_class import rows_before

APPEALS = "appeals"
"""In OUT: copies of learners' files that have no path of their own, for example in a zip."""


@dataclass(frozen=True)
class HandedIn:
    """A submission found again. `path`: where it is; None if it is among other learners' files or in a zip."""

    submission: Submission
    path: Path | None
    remark: str = ""


def result_of_learner(out: Path, called: str) -> Result:
    """The record of a learner, found by id, login, email or name. Raises KataError."""
    results = read_results(out)
    learner = find_learner(results.learners, called, out, f"kata explain {out}")
    return results[results.learners.index(learner)]


def from_path(path: Path, course: Course, result: Result) -> HandedIn:
    """The submission at a given path. Raises SubmissionError."""
    return _checked(read_submission(path, course), path, result)


def find_again(out: Path, header: RunHeader | None, result: Result, course: Course) -> HandedIn:
    """Find the submission of a record where the class was; with a remark if it is not what was graded.

    Raises SubmissionError, with a sentence, when it is not found.
    """
    if header is None or header.source is None:
        raise SubmissionError(f"{out} is of an older make, and does not say where the submissions are: --file does.")
    with TemporaryDirectory() as unpacked:  # not in OUT, which another run may use
        try:
            return _found(header, out, Path(unpacked), result, course)
        except (KataError, OutOfReach) as error:
            raise SubmissionError(f"{error} --file names what was handed in.") from None


def _found(header: RunHeader, out: Path, unpacked: Path, result: Result, course: Course) -> HandedIn:
    source = header.source
    assert source is not None
    folder = Path(source.submissions)
    is_packed = folder.suffix.lower() == ".zip"
    roster = read_roster(Path(source.roster), course, withdrawn=header.kits) if source.roster else None
    how = ReadingOptions(roster, platform_called(source.names), rows_before(out, header, roster))
    with class_in(folder, unpacked if is_packed else out, course, how) as members:
        entry = next((each for each in members.entries if each.name == result.learner.name), None)
        if entry is None:
            raise SubmissionError(f"{folder} holds nothing of {result.learner.shown} any more.")
        return _checked(read_entry(entry, course), None if entry.parts or is_packed else entry.path, result)


def _checked(submission: Submission, path: Path | None, result: Result) -> HandedIn:
    record = result.record
    if record.digest and digest_of(submission) != record.digest:
        return HandedIn(submission, path, "What lies there now is not, to the byte, what was graded.")
    return HandedIn(submission, path)


def place_of(handed_in: HandedIn, exercise: Exercise, out: Path, course: Course, learner: Learner) -> Path:
    """A path from which `kata grade` reads this source of an exercise; it is copied into OUT if there is none.

    Raises OSError when it cannot be written.
    """
    source = handed_in.submission.sources[exercise.id]
    if handed_in.path is not None and _holds(handed_in.path, exercise.id, source.content, course):
        return handed_in.path
    path = out / APPEALS / page_stem(learner.name) / exercise.file_name
    write_file(path, source.content, below=out)
    return path


def _holds(path: Path, exercise: str, content: bytes, course: Course) -> bool:
    try:
        found = read_submission(path, course).sources.get(exercise)
    except SubmissionError:
        return False
    return found is not None and found.content == content
