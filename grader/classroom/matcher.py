"""Finds the learners of a roster whom an id, a login, an email or a name means."""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

from .learners import Learner as Enrolled

MOST_WORDS = 12
"""The most words of a name for which other orders are tried."""


class Matcher:
    """Finds learners of a roster by a text."""

    def __init__(self, roster: Sequence[Enrolled]) -> None:
        self._exact = _meant_by(roster, _own_ids, str)
        self._ids = _meant_by(roster, _own_ids, str.casefold)
        self._emails = _meant_by(roster, lambda each: [each.email], str.casefold)
        self._mailboxes = _meant_by(roster, _mailbox_in(_own_domain(roster)), str.casefold)
        self._spelt = _meant_by(roster, _name_keys, _as_spelt)
        self._names = _meant_by(roster, _name_keys, _letters_and_digits)
        self._participants = _meant_by(roster, lambda each: [each.participant], str)

    def learner(self, text: str) -> Enrolled | None:
        """The learner with this id, login, email or name; None for nobody or several."""
        found = self.candidates(text)
        return found[0] if len(found) == 1 else None

    def candidates(self, text: str) -> tuple[Enrolled, ...]:
        """All learners with this id, login or email; if there are none, those with this name."""
        return self.by_login(text) or self.by_name(text)  # an id that two learners have is nobody's name

    def by_login(self, text: str) -> tuple[Enrolled, ...]:
        """All learners with this id, login or email. Learners can set their email, so ids come first."""
        folded = text.casefold()
        tiers = (self._ids.get(folded, ()), self._emails.get(folded, ()), self._mailboxes.get(folded, ()))
        exact = self._exact.get(text, ())
        return exact if len(exact) == 1 else next(filter(None, tiers), ())

    def by_number(self, text: str) -> tuple[Enrolled, ...]:
        """All learners with this id."""
        return self._exact.get(text, ())

    def by_name(self, text: str) -> tuple[Enrolled, ...]:
        """All learners with this name. Equal accents come first, because accents make names different."""
        return self._spelt.get(_as_spelt(text)) or self._names.get(_letters_and_digits(text), ())

    def by_participant(self, number: str) -> tuple[Enrolled, ...]:
        """All learners with this number in a Moodle assignment."""
        return self._participants.get(number, ())


def _meant_by(
    roster: Sequence[Enrolled], keys: Callable[[Enrolled], list[str]], spelt: Callable[[str], str]
) -> dict[str, tuple[Enrolled, ...]]:
    """The learners that each key can mean."""
    meant: dict[str, list[Enrolled]] = defaultdict(list)
    for learner in roster:
        for key in {spelt(text) for text in keys(learner)} - {""}:
            meant[key].append(learner)
    return {key: tuple(learners) for key, learners in meant.items()}


def _own_domain(roster: Sequence[Enrolled]) -> str:
    """The domain of most emails; empty if there is none. Learners can choose an address with another domain."""
    domains = Counter(each.email.partition("@")[2].casefold() for each in roster if each.email)
    domain, count = max(domains.items(), key=lambda item: item[1], default=("", 0))
    return domain if 2 * count > sum(domains.values()) else ""


def _mailbox_in(domain: str) -> Callable[[Enrolled], list[str]]:
    def mailboxes(learner: Enrolled) -> list[str]:
        box, _, own = learner.email.partition("@")
        return [box] if domain and own.casefold() == domain else []

    return mailboxes


def _own_ids(learner: Enrolled) -> list[str]:
    return [learner.id, *learner.ids]


def _name_keys(learner: Enrolled) -> list[str]:
    family, comma, given = learner.name.partition(",")
    words = f"{given} {family}".split() if comma else learner.name.split()
    # Canvas writes lovelaceada and garciamarquezgabriel: only Canvas knows how many words the family name has
    turned = [" ".join([*words[place:], *words[:place]]) for place in range(1, min(len(words), MOST_WORDS))]
    return [learner.name, " ".join(words), *turned]


def _letters_and_digits(text: str) -> str:
    """The text without case, accents, spaces and signs, as platforms write names in file names."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(character for character in plain if character.isalnum())


def _as_spelt(text: str) -> str:
    """The same, but keeps accents and vowel signs: Müller and Muller, राम and रमा are different names."""
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(char for char in plain if char.isalnum() or unicodedata.category(char).startswith("M"))
