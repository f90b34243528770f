"""The letters, texts and dates that the models of `kata play` read and write; all are generated here.

Stories are about people with random names, new for each story, or, for some models, with names that readers know: so a
model gains little by learning names by heart, it copies them from an earlier place. Repeats are random letters, written
twice.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable

from grader.errors import KataError

ALPHABET = " .abcdefghijklmnopqrstuvwxyz"
CONTEXT = 64
"""The longest text of one run, in letters."""
GAP, HIDDEN = len(ALPHABET), "_"
"""Stands for a letter to be guessed, as a number and as it is typed."""


def encode(text: str, *, gaps: bool = False) -> list[int]:
    """The number of each letter; gaps: hidden ones are allowed. Raises KataError for a text the models cannot read."""
    known = ALPHABET + HIDDEN * gaps
    lowered = text.lower()
    if unknown := sorted(set(lowered) - set(known)):
        raise KataError(f"The model reads a to z, blanks and full stops, not {unknown[0]!r}.")
    return [known.index(letter) for letter in lowered]


def decode(numbers: list[int]) -> str:
    """The text of some numbers."""
    return "".join(ALPHABET[number] for number in numbers)


LETTERS = ALPHABET[2:]
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
NAMES = (
    *("anna", "bella", "dana", "david", "dina", "emma", "fiona", "greta", "ida", "iris", "karin", "kim", "lena"),
    *("leo", "lisa", "luka", "mara", "maria", "mila", "mona", "nick", "nina", "nora", "olga", "oscar", "paul"),
    *("peter", "rita", "robin", "rosa", "sam", "sara", "simon", "sofia", "tim", "tina", "tom", "toni", "vera"),
)
THINGS = ("plum", "kite", "drum", "lamp", "coin", "book")
SENTENCES = (
    "{a} met {b}.",
    "{a} gave {b} a {thing}.",
    "{a} and {b} sang.",
    "{a} lost a {thing}.",
    "{b} found the {thing}.",
    "{b} said no to {a}.",
    "{b} saw {a}.",
)


def name(chance: random.Random) -> str:
    """A random name of two or three syllables."""
    return "".join(chance.choice(CONSONANTS) + chance.choice(VOWELS) for _ in range(chance.choice((2, 2, 3))))


def known_name(chance: random.Random) -> str:
    """A name that readers know, or, as often, a random one: so nothing is gained by learning names by heart."""
    return chance.choice(NAMES) if chance.random() < 0.5 else name(chance)


def story(chance: random.Random, length: int, name: Callable[[random.Random], str] = name) -> str:
    """The first `length` letters of a random story."""
    a, b, text = name(chance), name(chance), ""
    while len(text) < length:
        first, second = chance.sample((a, b), 2)
        text += chance.choice(SENTENCES).format(a=first, b=second, thing=chance.choice(THINGS)) + " "
    return text[:length]


def repeat(chance: random.Random, length: int, period: int) -> str:
    """Random letters, repeated after every `period` letters."""
    said = "".join(chance.choice(LETTERS) for _ in range(period))
    return (said * (length // period + 1))[:length]


# --- dates, as the translator reads and writes them -------------------------------------------------------------------

FIRST_HALF = ("january", "february", "march", "april", "may", "june")
MONTHS = (*FIRST_HALF, "july", "august", "september", "october", "november", "december")
DATE_LETTERS = " ,./-0123456789abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789-"
SLOTS = len("2024-05-03")
LONGEST = len("september 30, 2024")
FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)
FORMS = ("{day} {month} {year}", "{month} {day}, {year}", "{day}.{number}.{year}", "{day} {short} {year}")


def date_pair(chance: random.Random) -> tuple[str, str]:
    """A random date in one of the forms, and its translation."""
    date = FIRST + datetime.timedelta(days=chance.randint(0, (LAST - FIRST).days))
    return written(date, chance.choice(FORMS)), date.isoformat()


def written(date: datetime.date, form: str) -> str:
    """A date in one of the forms."""
    month = MONTHS[date.month - 1]
    return form.format(day=date.day, month=month, short=month[:3], number=date.month, year=date.year)


def encode_date(text: str) -> list[int]:
    """The number of each letter, padded with blanks. Raises KataError for an unreadable text."""
    lowered = text.lower()
    if unknown := sorted(set(lowered) - set(DATE_LETTERS)):
        raise KataError(f"The translator reads letters, digits, blanks and ,./- but not {unknown[0]!r}.")
    if not 1 <= len(lowered) <= LONGEST:
        raise KataError(f"Type a date of at most {LONGEST} letters, such as 3 May 2024.")
    return [DATE_LETTERS.index(letter) for letter in lowered.ljust(LONGEST)]
