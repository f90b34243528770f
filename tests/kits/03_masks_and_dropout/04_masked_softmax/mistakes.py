from families import kept, results

from grader.judge.authoring import Mistake

CORNER = "mask[:num_tokens, :num_tokens]"
FILL = 'scores.float().masked_fill(hidden, float("-inf"))'
WEIGHTS = "torch.softmax(masked, dim=-1)"
EXPS = "torch.exp(masked - masked.amax(dim=-1, keepdim=True))"
RETURN = f"return {WEIGHTS}.to(scores.dtype)"
CROPPED = "test_uses_the_upper_left_corner_of_a_larger_mask"
EXTREME = "test_hidden_weigh_nothing_at_scores_of_a_thousand"
HALF = "test_half_precision"
MANNERS = "test_scores_and_mask_are_left_alone"

NOT_LOW_ENOUGH = (
    "The number filled in for hidden scores isn't low enough: with scores of ±1000 a hidden place still gets weight. Fill in minus "
    "infinity, or a number such as -1e4."
)
RENORMALISED = (
    "The weights were set to 0 after the softmax and each row divided by its new sum. That fails when a hidden score is far above the "
    "visible ones: then the visible weights are 0 already. Mask the scores, before the softmax."
)


def overwritten(name, message, code):
    """Scores written into, with each of the numbers that people fill in."""
    fills = {
        "": 'float("-inf")',
        "-1e9": "-1e9",
    }
    return [
        Mistake(name + ending, message, caught_by=MANNERS, edits=[(FILL, code.format(fill))])
        for ending, fill in fills.items()
    ]


MISTAKES = [
    Mistake(
        "mask-after-softmax",
        "The mask was applied to the weights, after the softmax, so the rows no longer sum to 1. Hide the scores before the "
        "softmax.",
        edits=[
            (FILL, "scores.float()"),
            (RETURN, f"return {WEIGHTS}.masked_fill(hidden, 0.0).to(scores.dtype)"),
        ],
    ),
    Mistake(
        "mask-after-softmax-renormalised",
        RENORMALISED,
        caught_by=EXTREME,
        edits=[
            (FILL, "scores.float()"),
            (
                RETURN,
                f"weights = {WEIGHTS} * ~hidden\n    return (weights / weights.sum(dim=-1, keepdim=True)).to(scores.dtype)",
            ),
        ],
    ),
    Mistake(
        "infinity-after-softmax",
        "The weights themselves were filled with minus infinity. It belongs in the scores, before the softmax, which turns it into 0.",
        edits=[
            (FILL, "scores.float()"),
            (RETURN, f'return {WEIGHTS}.masked_fill(hidden, float("-inf")).to(scores.dtype)'),
        ],
    ),
    Mistake(
        "filled-with-zero",
        "Hidden scores were set to 0, or to a number very near it such as 1e-9, but a score of 0 still gets weight: exp(0) is 1. Fill in "
        "minus infinity.",
        edits=[('float("-inf")', "0.0")],
    ),
    Mistake("fill-far-from-low-enough", NOT_LOW_ENOUGH, caught_by=EXTREME, edits=[('float("-inf")', "-100.0")]),
    Mistake(
        "zero-times-infinity",
        "The mask was multiplied by minus infinity, and 0 times infinity is NaN: so every visible score became NaN. Use masked_fill or "
        "torch.where.",
        edits=[(FILL, 'scores.float() + hidden.float() * float("-inf")')],
    ),
    Mistake(
        "overflow",
        "exp() was taken of the scores as they are, and exp(1000) is infinite. Let torch.softmax do it, or subtract each row's "
        "largest visible score first.",
        caught_by=EXTREME,
        edits=[(RETURN, "exps = masked.exp()\n    return (exps / exps.sum(dim=-1, keepdim=True)).to(scores.dtype)")],
    ),
    Mistake(
        "filled-with-plus-infinity",
        "Plus infinity was filled in, and infinity minus infinity is NaN in the softmax. Hidden scores become minus infinity.",
        edits=[('float("-inf")', 'float("inf")')],
    ),
    Mistake(
        "inverted",
        "The visible places were hidden, and the hidden ones seen. True means hidden here.",
        edits=[(f"hidden = {CORNER}", f"hidden = ~{CORNER}")],
    ),
    Mistake(
        "mask-ignored",
        "The mask has no effect: this is the plain softmax. masked_fill returns a new tensor: keep it (masked_fill_ would write into the "
        "caller's scores). And is what is filled in or added very low (-1e9, not -1e-9)?",
        edits=[(FILL, "scores.float()")],
    ),
    Mistake(
        "mask-rebuilt",
        "The causal mask was applied, whatever `mask` says. Use the mask that is passed in.",
        edits=[(f"hidden = {CORNER}", "hidden = torch.ones(num_tokens, num_tokens).triu(1).bool()")],
    ),
    Mistake(
        "softmax-over-queries",
        "The softmax runs over the queries (the last axis but one), so the columns sum to 1. Each query spreads its weight over "
        "the keys: dim=-1.",
        edits=[("dim=-1", "dim=-2")],
    ),
    *[
        Mistake(
            f"softmax-over-axis-{axis}",
            f"The softmax runs over dim={axis}, the {which} axis. It belongs on the keys, the last axis, whatever comes before it: dim=-1.",
            edits=[("dim=-1", f"dim={axis}")],
        )
        for axis, which in enumerate(("first", "second"))
    ],
    Mistake(
        "no-softmax",
        "The masked scores came back, without the softmax. Take it over the last axis.",
        edits=[(WEIGHTS, "masked")],
    ),
    Mistake(
        "divided-by-the-mean",
        "The weights of a row sum to the number of keys, not to 1: the exps were divided by their mean. Divide them by their sum.",
        edits=[(WEIGHTS, f"{WEIGHTS} * scores.shape[-1]")],
    ),
    Mistake(
        "log-weights",
        "These are the logarithms of the weights. Use softmax in place of log_softmax.",
        edits=[("torch.softmax", "torch.log_softmax")],
    ),
    Mistake(
        "scaled",
        "The scores were divided by the square root of the number of tokens. Nothing is scaled here: the scores come in ready.",
        edits=[(WEIGHTS, "torch.softmax(masked / num_tokens**0.5, dim=-1)")],
    ),
    Mistake(
        "not-cropped",
        "The mask was used whole. It may be larger than the scores: cut it down to their n rows and n columns.",
        caught_by=CROPPED,
        edits=[(f"hidden = {CORNER}", "hidden = mask")],
    ),
    Mistake(
        "only-rows-cut",
        "Only the rows of the mask were cut down. Its columns must fit the scores too: n rows and n columns.",
        caught_by=CROPPED,
        edits=[(f"hidden = {CORNER}", "hidden = mask[:num_tokens]")],
    ),
    Mistake(
        "lower-right-corner",
        "The mask was cut down to its lower right corner. The first n rows and columns are the right ones: the upper left corner.",
        caught_by=CROPPED,
        edits=[(f"hidden = {CORNER}", "hidden = mask[-num_tokens:, -num_tokens:]")],
    ),
    Mistake(
        "three-axes-only",
        "The shape was unpacked into exactly three sizes. There may be any number of leading axes: read the last one only.",
        edits=[("num_tokens = scores.shape[-1]", "_, num_tokens, _ = scores.shape")],
    ),
    Mistake(
        "fill-too-large-for-float16",
        "A number like -1e9 was filled into float16 scores, and float16 ends at 65504. Fill in minus infinity, or go to float32 "
        "first.",
        caught_by=HALF,
        edits=[(FILL, "scores.masked_fill(hidden, -1e9).float()")],
    ),
    Mistake(
        "computed-in-half-precision",
        "The softmax was computed in the scores' own half precision, where numbers near 1000 are far apart. Go to float32 first.",
        caught_by=HALF,
        edits=[
            ("scores.float()", "scores"),
            (WEIGHTS, "torch.exp(masked - masked.logsumexp(dim=-1, keepdim=True))"),
        ],
    ),
    Mistake(
        "float32-returned",
        "The weights came back as float32, whatever dtype the scores had. Return the dtype that came in.",
        edits=[(".to(scores.dtype)", "")],
    ),
    *overwritten(
        "scores-overwritten",
        "The scores that were passed in were written into: masked_fill_ with the trailing underscore does it, and so does "
        "scores[…] = …. Use masked_fill, which makes a new tensor.",
        "scores.masked_fill_(hidden, {}).float()",
    ),
    *overwritten(
        "scores-overwritten-past-autograd",
        "The scores that were passed in were written into, by way of .data or torch.no_grad(). Use masked_fill, which makes a new "
        "tensor.",
        "(scores.data.masked_fill_(hidden, {}), scores)[1].float()",
    ),
    *overwritten(
        "float-makes-no-copy",
        "float32 scores were overwritten: .float() gives the very same tensor back when it is float32 already, so masked_fill_ or an "
        "assignment wrote into the input. Use masked_fill without the underscore.",
        "scores.float().masked_fill_(hidden, {})",
    ),
    Mistake(
        "mask-overwritten",
        "The mask that was passed in was changed in place. Others use it too: work on a new tensor (~mask makes one).",
        caught_by=MANNERS,
        edits=[(FILL, 'torch.where(hidden.logical_not_(), scores.float(), float("-inf"))')],
    ),
    results.returned("detached", RETURN.removeprefix("return "), "test_gradients_reach_the_scores"),
    Mistake(
        "inverted-finite",
        "The visible places were hidden, and the hidden ones seen. True means hidden here.",
        edits=[(f"hidden = {CORNER}", f"hidden = ~{CORNER}"), ('float("-inf")', "-1e9")],
    ),
    kept.from_the_last_call("masked_softmax"),
    Mistake(
        "no-softmax-and-minus-1e9",
        "There is no softmax: the scores came back, a large negative number for the hidden ones. Take the softmax of each row.",
        edits=[('float("-inf")', "-1e9"), ("torch.softmax(masked, dim=-1)", "masked")],
    ),
    Mistake(
        "not-divided-less-the-maximum",
        "exp() was taken of the scores less their maximum, but the rows were not divided by their sums. The visible weights of a row sum to 1.",
        edits=[(RETURN, f"return {EXPS}.to(scores.dtype)")],
    ),
    Mistake(
        "axis-of-the-sum-lost",
        "The sum of each row lost its axis, so the columns were divided by it instead of the rows. Keep the axis: keepdim=True.",
        edits=[(RETURN, f"exps = {EXPS}\n    return (exps / exps.sum(dim=-1)).to(scores.dtype)")],
    ),
    Mistake(
        "sigmoid",
        "A sigmoid was taken of each score by itself. The visible weights of a row sum to 1: use softmax.",
        edits=[("torch.softmax(masked, dim=-1)", "torch.sigmoid(masked)")],
    ),
    Mistake(
        "softmax-over-everything",
        "One softmax was taken over all scores at once. Each row sums to 1 by itself: dim=-1.",
        edits=[("torch.softmax(masked, dim=-1)", "torch.softmax(masked.flatten(), dim=0).view_as(masked)")],
    ),
    Mistake(
        "fill-of-minus-10",
        "The hidden scores were filled with -10.0, which leaves them some weight. Fill in minus infinity.",
        edits=[('float("-inf")', "-10.0")],
    ),
    results.returned("squeezed", "torch.softmax(masked, dim=-1).to(scores.dtype)"),
    Mistake(
        "weights-and-mask-returned",
        "Two values came back. Return the weights alone.",
        edits=[(RETURN, "return torch.softmax(masked, dim=-1).to(scores.dtype), hidden")],
    ),
    Mistake(
        "lower-left-corner",
        "The rows of the mask were taken from its end. A smaller input needs the upper left corner.",
        caught_by=CROPPED,
        edits=[(CORNER, "mask[-num_tokens:, :num_tokens]")],
    ),
    Mistake(
        "float32-in-half",
        "The result is float32 for a float16 or bfloat16 input. Cast it back: .to(scores.dtype).",
        caught_by=HALF,
        edits=[(".to(scores.dtype)", ".to(torch.promote_types(scores.dtype, torch.float32))")],
    ),
]
