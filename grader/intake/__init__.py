"""What a learner hands in: a folder, a zip, a notebook or one file, read as bytes by name.

Nothing here is extracted to disk, imported, compiled or parsed as Python, and no link is followed. What
counts is what `names` recognises; whatever else lies about is reported, never guessed at.
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
