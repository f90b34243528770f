"""Which learner of a roster a submission's name means.

The platform's own number or login decides. A display name, which learners can change, decides only where the roster has
nothing better. A name that could mean two learners means none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .learners import Learner as Enrolled
from .lms_names import TITLES, Platform
from .matcher import Matcher


@dataclass(frozen=True)
class Claim:
    """The learner that a submission's name states.

    ids: the platform's own id first; several if the name can be read in several ways. name: the display name; for a
    plain name all of it.
    """

    platform: Platform
    name: str
    ids: tuple[str, ...] = ()

    @property
    def submitter(self) -> str:
        """A key that is equal for two submissions that state the same learner, without using a roster.

        It does not depend on other submissions. For Blackboard it is the whole name before the attempt.
        """
        mark = self.ids[0] if self.ids and self.platform != "blackboard" else folded(self.name)
        # the class list stores this as UTF-8: escape other characters, so that different names stay different
        return f"{self.platform} {mark}".encode("utf-8", "backslashreplace").decode("utf-8")

    @property
    def is_doubtful(self) -> bool:
        """Whether it can also be read as another learner's.

        Canvas puts the display name first, and that may contain numbers that look like Canvas's own.
        """
        return self.platform == "canvas" and len(self.ids) > 1


def folded(text: str) -> str:
    """Normalize a name, so that case and invisible characters make no difference."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in plain if unicodedata.category(char) != "Cf").strip()


@dataclass(frozen=True)
class LearnerMatch:
    """The learner of a roster that a claim means, or the learners that it could mean."""

    learner: Enrolled | None = None
    between: tuple[Enrolled, ...] = ()


@dataclass(frozen=True)
class Resolved:
    """The learner of each submission, in the order of the claims, and remarks on how they were found."""

    matches: tuple[LearnerMatch, ...]
    remarks: tuple[str, ...] = ()


def resolve(claims: Sequence[Claim], roster: Sequence[Enrolled]) -> Resolved:
    """Find the learners of a roster that these claims mean; all claims are of one download."""
    finder = _Finder(claims, roster)
    return Resolved(tuple(finder.match(claim) for claim in claims), tuple(finder.remarks()))


MOST_HYPHENS = 12
"""The most parts between hyphens of a team's and a learner's name that are tried."""


class _Finder:
    def __init__(self, claims: Sequence[Claim], roster: Sequence[Enrolled]) -> None:
        self._claims = claims
        self._matcher = Matcher(roster)
        self._has_participants = any(each.participant for each in roster)
        self._logins = self._likeliest_logins()
        self._ids_decide = self._are_canvas_ids()
        of_moodle = [each for each in claims if each.platform == "moodle"]
        # for team submissions Moodle writes TEAM-NAME for everybody; those without a team have a default team's name
        self._by_teams = bool(of_moodle) and all("-" in each.name for each in of_moodle)

    def match(self, claim: Claim) -> LearnerMatch:
        """Find the learner that one claim means."""
        if claim.platform == "plain":
            return _one_of(self._matcher.candidates(claim.name))
        if claim.platform == "blackboard":
            return _one_of([row for place in self._logins for row in self._matcher.by_login(claim.ids[place])])
        if claim.platform == "canvas":
            return self._of_canvas(claim)
        if claim.platform == "moodle" and self._has_participants:
            return _one_of(self._matcher.by_participant(claim.ids[0]))
        named = self._matcher.by_name(claim.name)
        if not named and claim.platform == "moodle" and self._by_teams:
            named = self._named_behind(claim.name)
        return _one_of(named)

    def _named_behind(self, name: str) -> tuple[Enrolled, ...]:
        """Find the learner by the name after the team's name; the team's name may contain hyphens."""
        parts = name.split("-")[:MOST_HYPHENS]
        behind = ("-".join(parts[place:]) for place in range(1, len(parts)))
        return tuple(row for text in behind for row in self._matcher.by_name(text))

    def remarks(self) -> Iterable[str]:
        """Yield remarks on how learners were found, for the person who grades."""
        by_name = {each.platform for each in self._claims if self._goes_by_name(each)}
        for platform in sorted(by_name):
            better = {"canvas": "Canvas's own gradebook", "moodle": "Moodle's grading worksheet"}.get(platform)
            advice = f" {better} as --roster has the ids." if better else ""
            yield (
                f"The roster lacks {TITLES[platform]}'s own ids, so learners were found by the names shown there, "
                f"which they may be able to change.{advice}"
            )

    def _goes_by_name(self, claim: Claim) -> bool:
        if claim.platform == "canvas":
            return not self._ids_decide
        return claim.platform == "brightspace" or (claim.platform == "moodle" and not self._has_participants)

    def _of_canvas(self, claim: Claim) -> LearnerMatch:
        numbered = self._matcher.by_number(claim.ids[0])
        doubtful = [row for id in claim.ids[1:] for row in self._matcher.by_number(id)]
        named = self._matcher.by_name(claim.name)
        if self._ids_decide:
            if numbered or doubtful:  # a second reading makes it doubtful, but never gives it a row
                found = _one_of([*numbered, *doubtful])
                return found if found.learner in numbered or found.between else LearnerMatch(None, (*doubtful,))
            return _one_of([row for row in named if not _has_number(row)])
        return _one_of([*numbered, *named]) if named else LearnerMatch()

    def _are_canvas_ids(self) -> bool:
        """Whether the roster's numbers are Canvas's own ids: decided by how often the names agree.

        Learners choose their display names, so a few that disagree do not count.
        """
        agree = disagree = found = 0
        for claim in self._claims:
            if claim.platform != "canvas":
                continue
            numbered, named = self._matcher.by_number(claim.ids[0]), self._matcher.by_name(claim.name)
            found += bool(numbered)
            if numbered and named:
                is_so = set(numbered) <= set(named)  # several learners may have this name
                agree += is_so
                disagree += not is_so
        return found > 0 and (agree >= disagree or 2 * disagree <= found)

    def _likeliest_logins(self) -> list[int]:
        """The cuts between assignment title and login that find most learners; several if they find equally many."""
        logins = [claim.ids for claim in self._claims if claim.platform == "blackboard"]
        ways = range(min(map(len, logins), default=0))
        found = [sum(bool(self._matcher.by_login(ids[way])) for ids in logins) for way in ways]
        return [way for way in ways if found[way] == max(found) > 0]


def _one_of(rows: Sequence[Enrolled]) -> LearnerMatch:
    different = tuple(dict.fromkeys(rows))
    return LearnerMatch(different[0]) if len(different) == 1 else LearnerMatch(None, different)


def _has_number(learner: Enrolled) -> bool:
    return any(id.isascii() and id.isdigit() for id in learner.ids)
