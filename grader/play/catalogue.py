"""What can be played. Nothing heavy is imported for the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Switch = Literal["mask", "scale", "residual", "head"]


@dataclass(frozen=True)
class Play:
    """An exercise that can be played: the module of its scene, what is seen there, what can be switched off.

    reads: what one types, in words; empty where nothing is.
    """

    id: str
    scene: str
    seen: str
    reads: str = ""
    switches: tuple[Switch, ...] = ()


HEADS = "a text model reads with your heads: one looks a letter back, one finds what followed the last time"
LETTERS = "a text of a to z, blanks and full stops"

PLAYS = (
    Play(
        "cross_attention",
        "dates",
        "a translator of dates asks through your class; see what each place of the answer looks at",
        "a date, such as 3 May 2024 or 24.12.1999",
    ),
    Play("causal_attention", "heads", HEADS, LETTERS, ("mask", "scale", "residual", "head")),
    Play("multi_head_wrapper", "heads", HEADS, LETTERS, ("mask", "scale", "residual", "head")),
    Play("multi_head_attention", "heads", HEADS, LETTERS, ("mask", "scale", "residual", "head")),
)


def play_of(id: str) -> Play | None:
    """How an exercise is played; None for one that is not."""
    return next((play for play in PLAYS if play.id == id), None)
