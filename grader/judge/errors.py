"""Errors that end a check: of the course or the grader itself, or of the learner. Light to import."""

from __future__ import annotations


class GraderBroken(Exception):
    """The checks themselves can't be run; nothing was graded."""


class BankError(GraderBroken):
    """A bank of mistakes that cannot be used as it is written; for the course's author."""


class CheckFailed(Exception):
    """The learner's code does not do what this check asks for; the text is for the learner."""
