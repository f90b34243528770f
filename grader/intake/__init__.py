"""Reads what a learner hands in, a folder, a zip, a notebook or one file, into bytes by file name.

Nothing here is extracted to disk, imported, compiled or parsed as Python, and no link is followed. Only files that
`names` recognises count; all others are reported, never guessed at.
"""

from .reading import LeftOut, Listing, Part, find_submissions, look_into, nothing_in, read_parts, read_submission
from .submission import Problem, SourceFile, Submission, SubmissionError

__all__ = [
    "LeftOut",
    "Listing",
    "Part",
    "Problem",
    "SourceFile",
    "Submission",
    "SubmissionError",
    "find_submissions",
    "look_into",
    "nothing_in",
    "read_parts",
    "read_submission",
]
