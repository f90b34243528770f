"""Whose a submission says that it is, and which learner of a roster that means.

A number or login of the platform's own decides. A name that learners can change decides only where the roster has
nothing better, and what could mean two learners means none.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .lms_names import TITLES, Platform
from .roster import Enrolled, Matcher


@dataclass(frozen=True)
class Claim:
    """Whose a submission says that it is.

    ids: the platform's own id first; more than one where the name can be read in several ways.
    name: as people are shown there; of a plain name all of it.
    """

    platform: Platform
    name: str
    ids: tuple[str, ...] = ()

    @property
    def submitter(self) -> str:
        """The same for two submissions if they claim to be the same learner's, as far as is known without a roster.

        It depends on nobody else's submission; of Blackboard, all before the attempt.
        """
        mark = self.ids[0] if self.ids and self.platform != "blackboard" else folded(self.name)
        # a name that is no text is kept in a table, and stays another's than any other
        return f"{self.platform} {mark}".encode("utf-8", "backslashreplace").decode("utf-8")

    @property
    def is_doubtful(self) -> bool:
        """Whether its name can be read as another's, too: so where Canvas lets display names look like its numbers."""
        return self.platform == "canvas" and len(self.ids) > 1


def folded(text: str) -> str:
    """The text as it is the same for names that differ by case or by invisible characters alone."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in plain if unicodedata.category(char) != "Cf").strip()


@dataclass(frozen=True)
class Whose:
    """Which learner of a roster a claim means; or between which ones it leaves open."""

    learner: Enrolled | None = None
    between: tuple[Enrolled, ...] = ()


@dataclass(frozen=True)
class Resolved:
    """Whose each submission is, in the order of the claims, and what there is to say about how that was found."""

    whose: tuple[Whose, ...]
    remarks: tuple[str, ...] = ()


def resolve(claims: Sequence[Claim], roster: Sequence[Enrolled]) -> Resolved:
    """Find the learners of a roster that these claims mean, all of one download."""
    finder = _Finder(claims, roster)
    return Resolved(tuple(finder.whose(claim) for claim in claims), tuple(finder.remarks()))


MOST_HYPHENS = 12
"""In a team's and a learner's name together."""


class _Finder:
    def __init__(self, claims: Sequence[Claim], roster: Sequence[Enrolled]) -> None:
        self._claims = claims
        self._matcher = Matcher(roster)
        self._has_participants = any(each.participant for each in roster)
        self._logins = self._likeliest_logins()
        self._ids_decide = self._are_canvas_ids()
        of_moodle = [each for each in claims if each.platform == "moodle"]
        # where teams hand in together, Moodle writes TEAM-NAME for everybody, and for who is in none a default team's
        self._by_teams = bool(of_moodle) and all("-" in each.name for each in of_moodle)

    def whose(self, claim: Claim) -> Whose:
        """The learner that one claim means."""
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
        """Who is meant by what stands behind the team's name, which may have hyphens too."""
        parts = name.split("-")[:MOST_HYPHENS]
        behind = ("-".join(parts[place:]) for place in range(1, len(parts)))
        return tuple(row for text in behind for row in self._matcher.by_name(text))

    def remarks(self) -> Iterable[str]:
        """What the person who grades should know about how learners were found."""
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

    def _of_canvas(self, claim: Claim) -> Whose:
        numbered = self._matcher.by_number(claim.ids[0])
        doubtful = [row for id in claim.ids[1:] for row in self._matcher.by_number(id)]
        named = self._matcher.by_name(claim.name)
        if self._ids_decide:
            if numbered or doubtful:  # another way to read it casts doubt, and never takes a row
                found = _one_of([*numbered, *doubtful])
                return found if found.learner in numbered or found.between else Whose(None, (*doubtful,))
            return _one_of([row for row in named if not _has_number(row)])
        return _one_of([*numbered, *named]) if named else Whose()

    def _are_canvas_ids(self) -> bool:
        """Whether the roster's numbers are Canvas's: where the names agree with them, or tell nothing.

        A name is its learner's to choose, so few that disagree say nothing, either.
        """
        agree = disagree = found = 0
        for claim in self._claims:
            if claim.platform != "canvas":
                continue
            numbered, named = self._matcher.by_number(claim.ids[0]), self._matcher.by_name(claim.name)
            found += bool(numbered)
            if numbered and named:
                is_so = set(numbered) <= set(named)  # others may bear the same name
                agree += is_so
                disagree += not is_so
        return found > 0 and (agree >= disagree or 2 * disagree <= found)

    def _likeliest_logins(self) -> list[int]:
        """Which of the ways to cut the assignment's title off finds most learners; all of them, where several do."""
        logins = [claim.ids for claim in self._claims if claim.platform == "blackboard"]
        ways = range(min(map(len, logins), default=0))
        found = [sum(bool(self._matcher.by_login(ids[way])) for ids in logins) for way in ways]
        return [way for way in ways if found[way] == max(found) > 0]


def _one_of(rows: Sequence[Enrolled]) -> Whose:
    different = tuple(dict.fromkeys(rows))
    return Whose(different[0]) if len(different) == 1 else Whose(None, different)


def _has_number(learner: Enrolled) -> bool:
    return any(id.isascii() and id.isdigit() for id in learner.ids)
