"""The texts that the models of `kata play` are trained and measured on, all made here.

Stories are about people whose names are made up anew for each: a name can't be known by heart, only copied from where
it stood before. Repeats are letters by chance, said twice.
"""

from __future__ import annotations

import random

from .letters import ALPHABET

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
    """A name that nobody has: two or three syllables."""
    return "".join(chance.choice(CONSONANTS) + chance.choice(VOWELS) for _ in range(chance.choice((2, 2, 3))))


def story(chance: random.Random, length: int) -> str:
    """So many letters of a story, from its beginning."""
    a, b, text = name(chance), name(chance), ""
    while len(text) < length:
        first, second = chance.sample((a, b), 2)
        text += chance.choice(SENTENCES).format(a=first, b=second, thing=chance.choice(THINGS)) + " "
    return text[:length]


def repeat(chance: random.Random, length: int, period: int) -> str:
    """Letters by chance, said again from the start after `period` of them."""
    said = "".join(chance.choice(LETTERS) for _ in range(period))
    return (said * (length // period + 1))[:length]
