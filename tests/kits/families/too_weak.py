"""Hidden scores that are only 100 lower: a hidden token with a high score comes through.

fill, weak_fill   a text with -torch.inf, and the same with -100.0
hide, taken_off   a text that hides scores, and the same with 100 taken off instead
loud              the check in which hidden scores are far above the visible ones
"""

from grader.judge.authoring import Mistake

COMES_THROUGH = "The hidden scores are not far enough below the visible ones (100 is too little), so a hidden token still gets weight. Use -inf (or -1e9)."

FAMILY = [
    Mistake("fill-of-minus-100", COMES_THROUGH, caught_by="$loud", edits=[("$fill", "$weak_fill")]),
    Mistake(
        "minus-100-added",
        COMES_THROUGH,
        caught_by="$loud",
        edits=[("$hide", "$taken_off")],
        same_as="fill-of-minus-100",
    ),
]
