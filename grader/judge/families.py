"""Families of mistakes: mistakes that several exercises share, written once as templates that each bank fills in.

A family is a file `families/NAME.py` beside the units' kits. Its FAMILY is a list of Mistake with words such as
`$width` for what each reference names differently. A bank lists `from_family("NAME", "id", ...)` where these mistakes
belong, and defines the words in its own WORDS.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from grader.course.errors import did_you_mean
from grader.course.model import FAMILIES

from .authored import place
from .faults import BankError

if TYPE_CHECKING:
    from .mistakes import Mistake


@dataclass(frozen=True)
class FromFamily:
    """Stands in a bank's list for mistakes of a family."""

    family: str
    ids: tuple[str, ...]
    words: Mapping[str, str]


def from_family(family: str, *ids: str, **words: str) -> FromFamily:
    """Mistakes of a family by their ids. `words` apply to these only, and override the bank's WORDS."""
    return FromFamily(family, ids, words)


class Families:
    """The families that one bank uses, filled in with its words."""

    def __init__(self, bank: Path, words: object, read: Callable[[Path], Sequence[Mistake]]) -> None:
        if not isinstance(words, dict) or not all(isinstance(text, str) for text in (*words, *words.values())):
            raise BankError(f"{place(bank)}: WORDS must be a dict of texts")
        self._bank = place(bank)
        self._folder = bank.parents[2] / FAMILIES
        self._words: dict[str, str] = words
        self._read = read
        self._families: dict[str, dict[str, Mistake]] = {}
        self._used: set[str] = set()

    def expanded(self, listed: Sequence[object]) -> list[object]:
        """A bank's list with families expanded. Raises BankError for an unknown family, mistake or word."""
        found: list[object] = []
        for each in listed:
            found.extend(self._taken(each) if isinstance(each, FromFamily) else [each])
        taken = [(each.family, id) for each in listed if isinstance(each, FromFamily) for id in each.ids]
        if repeated := [id for family, id in taken if taken.count((family, id)) > 1]:
            raise BankError(f"{self._bank}: {repeated[0]!r} is taken twice: take it once")
        unused = sorted(self._words.keys() - self._used)
        if unused:
            raise BankError(f"{self._bank}: no family that it takes mistakes from has the word {unused[0]!r} of WORDS")
        return found

    def _taken(self, wanted: FromFamily) -> list[Mistake]:
        family = self._family(wanted.family)
        words = _Words({**self._words, **wanted.words})
        taken = [self._filled(self._member(family, wanted.family, id), wanted.family, words) for id in wanted.ids]
        unused = sorted(wanted.words.keys() - words.used)
        if unused:
            raise BankError(f"{self._bank}: what it takes from {FAMILIES}/{wanted.family}.py has no word {unused[0]!r}")
        self._used |= words.used
        return taken

    def _family(self, name: str) -> dict[str, Mistake]:
        if name not in self._families:
            path = self._folder / f"{name}.py"
            if not path.is_file():
                known = sorted(each.stem for each in self._folder.glob("*.py"))
                raise BankError(f"{self._bank}: there is no {FAMILIES}/{name}.py{did_you_mean(name, known)}")
            self._families[name] = {mistake.id: mistake for mistake in self._read(path)}
        return self._families[name]

    def _member(self, family: Mapping[str, Mistake], name: str, id: str) -> Mistake:
        if id not in family:
            raise BankError(f"{self._bank}: {FAMILIES}/{name}.py has no mistake {id!r}{did_you_mean(id, list(family))}")
        return family[id]

    def _filled(self, mistake: Mistake, family: str, words: _Words) -> Mistake:
        def filled(text: str) -> str:
            return Template(text).substitute(words)

        try:
            made = replace(
                mistake,
                message=filled(mistake.message),
                caught_by=filled(mistake.caught_by),
                edits=[(filled(old), filled(new)) for old, new in mistake.edits],
                source=filled(mistake.source),
                same_as=filled(mistake.same_as),
            )
            object.__setattr__(made, "where", mistake.where)  # the family's file, which is what its author has to edit
            return made
        except KeyError as missing:
            needs = f"{FAMILIES}/{family}.py needs the word {missing.args[0]!r} for {mistake.id!r}"
            raise BankError(f"{self._bank}: {needs}, so add it to WORDS") from None
        except ValueError:
            raise BankError(f"{FAMILIES}/{family}.py: mistake {mistake.id!r} has a $ that no word follows") from None


class _Words(dict[str, str]):
    """A dict that records which words were used."""

    def __init__(self, words: Mapping[str, str]) -> None:
        super().__init__(words)
        self.used: set[str] = set()

    def __getitem__(self, word: str) -> str:
        text = super().__getitem__(word)
        self.used.add(word)
        return text
