"""The letters that the models of `kata play` read and write."""

from __future__ import annotations

ALPHABET = " .abcdefghijklmnopqrstuvwxyz"
CONTEXT = 64
"""The longest text in one go, in letters."""
GAP, HIDDEN = len(ALPHABET), "_"
"""Stands for a letter that is to be guessed, as a number and as it is typed."""


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
    """The same, where letters may be hidden. Raises ValueError."""
    return [GAP if letter == HIDDEN else encode(letter)[0] for letter in text]
