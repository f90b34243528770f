"""What a submission's record depends on, as one number: the same digest, the same record."""

from __future__ import annotations

import hashlib

from grader.submission import Submission


def digest_of(submission: Submission) -> str:
    """SHA-256 of the sources that count and of what was wrong on the way, whatever the submission is called."""
    total = hashlib.sha256()
    for exercise, source in sorted(submission.sources.items()):
        _add(total, b"source", exercise.encode(), source.content)
    for problem in submission.problems:
        told = (problem.file, problem.kind, problem.message, problem.exercise or "")
        _add(total, b"problem", *(part.encode("utf-8", "surrogatepass") for part in told))
    return total.hexdigest()


def _add(total: hashlib._Hash, *parts: bytes) -> None:
    for part in parts:
        total.update(f"{len(part)}:".encode())
        total.update(part)
