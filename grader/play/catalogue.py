"""What can be played. Nothing heavy is imported for the list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Switch = Literal["mask", "scale", "residual", "head"]


@dataclass(frozen=True)
class Play:
    """An exercise that can be played: the module of its scene, what is seen there, what can be switched off.

    reads: what one types, in words; empty where nothing is. goes_on: whether a scene that was stopped keeps its state.
    """

    id: str
    scene: str
    seen: str
    reads: str = ""
    switches: tuple[Switch, ...] = ()
    goes_on: bool = False


HEADS = "a text model reads with your heads: one looks a letter back, one finds what followed the last time"
SCALE = "scores of a trained model made smaller and larger: without 1/√d all weight falls on one letter"
WRITER = "your model learns a rhyme while you look on, and writes; Ctrl-C stops it, and it goes on"
WINDOW = "how far back a model remembers through a window of your making"
CACHE = "the same text with and without your cache, and the time for one more token"
PADDED = "the same sentence with and without padding, the mask right and inverted"
GROUPED = "a trained model with 8, 4, 2 and 1 heads of keys and values: what it costs and what it saves"
LETTERS = "a text of a to z, blanks and full stops"
GAPS = "a text of a to z, blanks and full stops, with _ for each letter that is to be guessed"

PLAYS = (
    Play("scaled_scores", "scale", SCALE, GAPS, ("scale",)),
    Play("attention", "scale", SCALE, GAPS, ("scale",)),
    Play("self_attention", "scale", SCALE, GAPS, ("scale",)),
    Play(
        "cross_attention",
        "dates",
        "a translator of dates asks through your class; see what each place of the answer looks at",
        "a date, such as 3 May 2024 or 24.12.1999",
    ),
    Play("causal_attention", "heads", HEADS, LETTERS, ("mask", "scale", "residual", "head")),
    Play("multi_head_wrapper", "heads", HEADS, LETTERS, ("mask", "scale", "residual", "head")),
    Play("multi_head_attention", "heads", HEADS, LETTERS, ("mask", "scale", "residual", "head")),
    Play(
        "padded_multi_head_attention",
        "padding",
        "the same sentence with and without padding, the mask right and inverted",
        GAPS,
    ),
    Play("grouped_query_attention", "grouped", GROUPED, GAPS),
    Play("convert_to_gqa", "grouped", GROUPED, GAPS),
    Play("sliding_window_mask", "window", WINDOW, LETTERS),
    Play("kv_cache", "cache", CACHE, LETTERS),
    Play("tiny_gpt", "writer", WRITER, goes_on=True),
)


def play_of(id: str) -> Play | None:
    """How an exercise is played; None for one that is not."""
    return next((play for play in PLAYS if play.id == id), None)
