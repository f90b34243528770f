"""Errors that end a check: the course's, the grader's own, or the learner's. Light to import."""

from __future__ import annotations

from grader.errors import KataError


class GraderBroken(KataError):
    """The checks themselves can't be run; nothing was graded."""


class BankError(GraderBroken):
    """A bank of mistakes that cannot be used as written; for the course's author."""


class NotInPlan(GraderBroken):
    """A check asks for what is not in the plan; only the whole course can answer it."""


class CheckFailed(Exception):
    """The learner's code does not do what this check asks for; the text is for the learner."""
