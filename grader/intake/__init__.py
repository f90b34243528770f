"""Reads what a learner hands in, a folder, a zip, a notebook or one file, into bytes by exercise.

Nothing here is extracted to disk, imported or compiled, and no link is followed. Only files that
`names` recognises count; all others are reported, never guessed at.
"""

from .reading import SourceFile, Submission, read_files, read_submission
from .walk import SubmissionError

__all__ = ["SourceFile", "Submission", "SubmissionError", "read_files", "read_submission"]
