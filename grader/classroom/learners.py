"""The learners of a class, and who of them is meant by a text: an id, a login, an email or a full name."""

from __future__ import annotations

import shlex
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from grader.errors import KataError

from .final_points import HandIn
from .platforms import Platform

MOST_WORDS = 12
"""The most words of a name for which other orders are tried."""


@dataclass(frozen=True)
class Learner:
    """One learner of a class.

    id: a record's `submission`. name: for people. ids: every number and login, of the roster, or without one the
    platform's own. canvas_id, participant: the number in Canvas, and in one assignment of Moodle's, where the roster is
    their own export. hand_in: what the policy has to know. in_roster: False if only a submission says that there is
    such a learner; platform: the one that calls them so then.
    """

    id: str
    name: str
    email: str = ""
    ids: tuple[str, ...] = ()
    participant: str = ""
    group: str = ""
    hand_in: HandIn = field(default=HandIn(), compare=False)
    section: str = ""
    canvas_id: str = ""
    in_roster: bool = True
    platform: Platform = "plain"
    roster_row: str = field(default="", compare=False)


def folded(text: str) -> str:
    """The text without differences of case, of Unicode's forms and of invisible characters."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in plain if unicodedata.category(char) != "Cf").strip()


def name_key(text: str) -> str:
    """A name without blanks and signs too, as platforms write it in file names; accents make names different."""
    return "".join(char for char in folded(text) if char.isalnum() or unicodedata.category(char).startswith("M"))


class Finder:
    """Finds learners by a text. Several are found where it could mean each of them."""

    def __init__(self, learners: Iterable[Learner]) -> None:
        everyone = tuple(learners)
        self._ids = _by(everyone, lambda each: (each.id, *each.ids), folded)
        self._emails = _by(everyone, lambda each: [each.email], folded)
        self._names = _by(everyone, _orders, name_key)
        self._groups = _by(everyone, lambda each: [each.group], name_key)

    def find(self, text: str) -> tuple[Learner, ...]:
        """Those with this id, login or email; if there are none, those with this name."""
        return self.by_id(text) or self._emails.get(folded(text), ()) or self.by_name(text)

    def by_id(self, text: str) -> tuple[Learner, ...]:
        """Those with this id or login; the only one who has it to the letter, if there is one."""
        found = self._ids.get(folded(text), ())
        exact = tuple(each for each in found if text in (each.id, *each.ids))
        return exact if len(exact) == 1 else found

    def by_name(self, text: str) -> tuple[Learner, ...]:
        """Those with this name, its words in any order that begins elsewhere and goes round."""
        return self._names.get(name_key(text), ())

    def by_group(self, text: str) -> tuple[Learner, ...]:
        """The members of the group with this name."""
        return self._groups.get(name_key(text), ())


def _by(
    learners: Sequence[Learner], texts: Callable[[Learner], Iterable[str]], key: Callable[[str], str]
) -> Mapping[str, tuple[Learner, ...]]:
    found: dict[str, list[Learner]] = defaultdict(list)
    for learner in learners:
        for each in {key(text) for text in texts(learner)} - {""}:
            found[each].append(learner)
    return {each: tuple(owners) for each, owners in found.items()}


def _orders(learner: Learner) -> list[str]:
    """The name from each of its words on: only Canvas knows how many words the family name has, which it puts first."""
    if learner.name == learner.id:
        return []
    family, _, given = learner.name.partition(",")
    words = f"{given} {family}".split()
    return [learner.name, *(" ".join([*words[at:], *words[:at]]) for at in range(min(len(words), MOST_WORDS)))]


def find_learner(learners: Sequence[Learner], text: str, place: object, command: str) -> Learner:
    """The learner of `place` whom a text means. `command`: to show in the message; an id is added to it.

    Raises KataError when it is nobody, or could be several.
    """
    found = Finder(learners).find(text)
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(each.id for each in found)
        raise KataError(f"{text!r} could be {len(found)} learners: give one of the ids {ids}.")
    some = ", ".join(repr(each.id) for each in learners[:3])
    example = f", such as: {command} {shlex.quote(learners[0].id)}" if learners else ""
    raise KataError(f"Nobody in {place} is called {text!r}. Ids there look like {some}{example}")
