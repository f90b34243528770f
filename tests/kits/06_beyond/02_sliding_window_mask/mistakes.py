from families import results

from grader.judge.authoring import Mistake

WIDE = "test_narrow_and_wide_windows"
BEFORE, AFTER = "(distance < 0)", "(distance >= window)"
RETURN = f"return {BEFORE} | {AFTER}"

MISTAKES = [
    Mistake(
        "window-one-too-wide",
        "Each token sees one key too many: `window` counts the token itself too, so the farthest visible key is i - window + 1.",
        edits=[("distance >= window", "distance > window")],
    ),
    Mistake(
        "window-one-too-narrow",
        "Each token sees one key too few. It sees `window` of them, itself among them: i - window + 1 up to i.",
        edits=[("distance >= window", "distance >= window - 1")],
    ),
    Mistake(
        "two-sided",
        "The window reaches to both sides, as in the Longformer paper. Here later tokens stay hidden.",
        edits=[(RETURN, "return distance.abs() >= window")],
    ),
    Mistake(
        "not-causal",
        "Only the tokens that lie too far back are hidden; all later ones are visible. Hide everything above the diagonal as well.",
        edits=[(RETURN, f"return {AFTER}")],
    ),
    Mistake(
        "no-window",
        "This is the plain causal mask: however far back, every earlier token is visible. Hide those that are `window` or more "
        "steps back.",
        edits=[(RETURN, f"return {BEFORE}")],
    ),
    Mistake(
        "inverted",
        "True and False are exchanged: True means hidden here, and yours is True where a token may look.",
        edits=[(RETURN, f"return ~({BEFORE} | {AFTER})")],
    ),
    Mistake(
        "looks-ahead",
        "The window is on the wrong side: token i sees itself and later tokens. Rows belong to the queries, columns to the keys.",
        edits=[("position[:, None] - position[None, :]", "position[None, :] - position[:, None]")],
    ),
    Mistake(
        "window-split-over-both-sides",
        "Half of the window is before the token and half after it. The window ends at the token: i - window + 1 up to i.",
        edits=[(RETURN, "return distance.abs() > window // 2")],
    ),
    Mistake(
        "nothing-hidden",
        "Nothing is hidden: no key is both later and too far back. A token is hidden when it is one *or* the other.",
        edits=[(RETURN, f"return {BEFORE} & {AFTER}")],
    ),
    Mistake(
        "slice-wraps-round",
        "For the first tokens i - window + 1 is negative, and Python counts a negative start of a slice from the end. Let the slice start at 0 there.",
        edits=[
            (
                RETURN,
                "mask = torch.ones_like(distance, dtype=torch.bool)\n"
                "    for i in range(num_tokens):\n"
                "        mask[i, i - window + 1 : i + 1] = False\n"
                "    return mask",
            )
        ],
    ),
    Mistake(
        "blocks",
        "The tokens were cut into blocks of `window`, and each token sees its own block only. The window moves along: for token i it is "
        "i - window + 1 up to i.",
        edits=[(RETURN, f"return {BEFORE} | (position[:, None] // window != position[None, :] // window)")],
    ),
    Mistake(
        "diagonal-hidden",
        "The token itself is hidden. It is part of its own window.",
        edits=[(RETURN, f"return (distance <= 0) | {AFTER}")],
    ),
    Mistake(
        "next-token-visible",
        "Each token sees the one right after it. Everything above the diagonal is hidden: triu with diagonal=1.",
        edits=[(BEFORE, "(distance < -1)")],
    ),
    Mistake(
        "lower-triangle-and-next",
        "The wrong triangle is hidden (tril): earlier tokens, the token itself and the next one. Hide what is later: triu.",
        edits=[(RETURN, "return distance >= -1")],
    ),
    Mistake(
        "wide-window-refused",
        "A window wider than the text was refused. It is allowed, and hides only the later tokens.",
        caught_by=WIDE,
        edits=[("    position =", "    assert window <= num_tokens\n    position =")],
    ),
    results.returned("float32-only", "(distance < 0) | (distance >= window)"),
    Mistake(
        "whole-numbers",
        "The pattern is right, but it is made of whole numbers. The mask should be boolean: .bool() at the end.",
        edits=[(RETURN, f"return ({BEFORE} | {AFTER}).long()")],
    ),
    Mistake(
        "additive",
        "This is an additive mask, with 0 and minus infinity. Here a boolean one is wanted: True where it is hidden.",
        edits=[
            (RETURN, f'return torch.zeros(num_tokens, num_tokens).masked_fill({BEFORE} | {AFTER}, float("-inf"))'),
        ],
    ),
    Mistake(
        "leading-axis",
        "The mask has one axis too many, in front. Its shape is (n, n): a row for each query, a column for each key.",
        edits=[(RETURN, f"return ({BEFORE} | {AFTER})[None]")],
    ),
]
