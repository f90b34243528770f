"""The letters and texts that the models of `kata play` read and write; all are generated here.

Stories are about people with random names, new for each story: so a model cannot learn a name by heart, it can only
copy it from an earlier place. Repeats are random letters, written twice.
"""

from __future__ import annotations

import random

ALPHABET = " .abcdefghijklmnopqrstuvwxyz"
CONTEXT = 64
"""The longest text of one run, in letters."""
GAP, HIDDEN = len(ALPHABET), "_"
"""Stands for a letter to be guessed, as a number and as it is typed."""


def encode(text: str) -> list[int]:
    """The number of each letter. Raises ValueError, with a sentence, for a text the models cannot read."""
    lowered = text.lower()
    if unknown := sorted(set(lowered) - set(ALPHABET)):
        raise ValueError(f"The model reads a to z, blanks and full stops, not {unknown[0]!r}.")
    return [ALPHABET.index(letter) for letter in lowered]


def decode(numbers: list[int]) -> str:
    """The text of some numbers."""
    return "".join(ALPHABET[number] for number in numbers)


def encode_with_gaps(text: str) -> list[int]:
    """The same, with hidden letters allowed. Raises ValueError."""
    return [GAP if letter == HIDDEN else encode(letter)[0] for letter in text]


LETTERS = ALPHABET[2:]
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
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


def story(chance: random.Random, length: int) -> str:
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
