"""When two checks failed for the same reason, or at least in the same way, by their messages."""

from __future__ import annotations

import re

ERROR_PLACE = re.compile(r"\A[^\n:]{1,80}? in line \d{1,6}\b")
"""The begin of the message of an error: its type and the learner's line. What follows differs with a case's sizes."""
ONLY_NUMBERS = re.compile(r"has the right shape, but|\byours (?:is|are) \[|right elsewhere, is wrong|numbers? is right")
"""Messages that say no more than that numbers are wrong, and which."""
OWN_LINE = re.compile(r" in line \d{1,6}\b[^:]*(?=:)")
"""A learner's line in a sentence that says what is wrong after a colon."""
NUMBER = re.compile(r"\d[\d.,]*")


def reason_of(message: str) -> str:
    """Equal for errors of one type in one line, and for equal messages: those are said once."""
    place = ERROR_PLACE.match(message)
    return place[0] if place else message


def cause_of(message: str) -> str:
    """Equal for learners of a class whose code fails for the same cause: the message's first line, without theirs."""
    return OWN_LINE.sub("", message.strip().partition("\n")[0])


def way_of(message: str, title: str) -> str:
    """Equal for checks that failed in the same way, as with other wrong numbers: of those one is enough to begin with.

    title: of the check, which says why it failed where there is no message.
    """
    if ONLY_NUMBERS.search(message):
        return "wrong numbers"
    if ERROR_PLACE.match(message):
        return reason_of(message)
    return NUMBER.sub("#", message) or title
