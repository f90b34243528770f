"""Hidden scores that are only 100 lower: a hidden token with a high score comes through."""

from grader.judge.authoring import Mistake

COMES_THROUGH = "The hidden scores are not far enough below the visible ones (100 is too little), so a hidden token still gets weight. Use -inf (or -1e9)."


def mistake(*, fill: str, weak_fill: str, loud: str) -> Mistake:
    """`fill`: a text with -torch.inf; `loud`: the check in which hidden scores are far above the visible ones."""
    return Mistake("fill-of-minus-100", COMES_THROUGH, caught_by=loud, edits=[(fill, weak_fill)])
