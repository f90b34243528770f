"""The architecture is the learner's own, so its numbers mean nothing here: only what does not depend on it is told.

Whatever can be is compared on the learner's side and comes back as true or false. So a known mistake can be named although
the learner's model has other parts, other names and other weights than the reference.
"""

import math
import re
from collections import Counter
from functools import reduce
from itertools import pairwise

import torch
import torch.nn.functional as F

from grader.judge.authoring import Case, expect, fail, points
from grader.sandbox.inside.wire import Slot

RHYME = """
    this is the seed that lay in the ground.
    this is the rain that fell on the seed that lay in the ground.
    this is the cloud that brought the rain that fell on the seed that lay in the ground.
    this is the wind that drove the cloud that brought the rain that fell on the seed that lay in the ground.
    this is the sun that woke the wind that drove the cloud that brought the rain that fell on the seed that lay in the ground.
    this is the stalk, so green and tall, that drank the sun that woke the wind and grew from the seed that lay in the ground.
    this is the mouse, so quick and small, that climbed the stalk, so green and tall, and shook the grain that fell to the ground.
    and this is the grain, the last of all, that slept in the snow when the mouse was gone, and woke as the seed that lay in the
    ground.
"""
WORDS = re.findall(r"[a-z]+|[.,]", RHYME)
VOCABULARY = sorted(set(WORDS))
TEXT = torch.tensor([VOCABULARY.index(word) for word in WORDS])

WIDTH, HEADS, CONTEXT, VOCAB = 32, 4, 12, len(VOCABULARY)
FEW_WORDS = 5
FEW_STEPS, TRAINING_STEPS, BATCH, RATE = 60, 140, 16, 8e-3
"""Nearly every right model is far enough after the few steps; one that is not gets all, from the start."""
READING_STEPS, PROMPTS = 40, 48
"""So much of the rhyme makes the likeliest word depend on what is shown, whatever the weights began with. Trained less, some
right models say the same word to everything, and nobody sees what `generate` showed them. With 48 prompts one token shown too
few changes the likeliest word in 6 places or more."""
SHARE_OF_BIGRAM_LOSS = 0.9
"""Measured: right models of many kinds end at 0.07 to 0.2 nats a word, the best model of word pairs at 0.84."""

NOTICEABLE = 2e-5
"""What counts as a change of logits, as a share of their spread; rounding stays below 1e-6."""
HEARD = {torch.float64: 3e-7, torch.float32: 1e-5}
"""The same in a deep model: without residual connections it is below 5e-8 (float32: rounding, 2e-6), with them above 1e-6."""


class Experiment(Case):
    """A case that makes one TinyGPT after another and compares what they say."""

    def __init__(self, draw):
        super().__init__(seed=draw.seed(), is_random=True)
        self.draw = draw

    def model(self, layers, context=CONTEXT):
        return self.call(self.entry("TinyGPT"), VOCAB, WIDTH, HEADS, layers, context)

    def tokens(self, *shape):
        return self.tensor(some_tokens(self.draw, *shape))

    def trained_a_little(self, layers, context=CONTEXT, *, steps=8, rate=1e-2, dtype=None):
        """A model, in eval(), that no longer has the zeros with which some parts rightly begin."""
        model = self.model(layers, context)
        text = some_tokens(self.draw, steps, 8, context + 1)
        self.train(model, text[..., :-1], text[..., 1:], rate)
        self.unsaid()
        self.prepare(model, dtype=dtype)
        return model

    def trained_on_the_rhyme(self, layers, context):
        """A model, in eval(), whose likeliest word depends on all that it is shown."""
        model = self.model(layers, context)
        batches = pieces_of_the_rhyme(self.draw, READING_STEPS, context + 1)
        self.train(model, batches[..., :-1], batches[..., 1:], RATE)
        self.unsaid()
        self.prepare(model)
        return model

    def all_of(self, answers):
        """Whether each of some answers is true."""
        return reduce(lambda one, other: self.method(one, "logical_and", other), answers)

    def unsaid(self):
        """The result of the last step, which is not brought back after all."""
        last = len(self.steps) - 1
        self.steps[last]["tell"] = False
        del self.told[last]
        return Slot(last)

    def method(self, slot, name, *args, tell=""):
        return self.call(slot, *args, method=name, tell=tell)

    def spread(self, logits):
        return self.method(self.method(logits, "std", -1), "mean")

    def differences(self, logits, others):
        """The largest difference at each place."""
        return self.method(self.method(self.method(logits, "sub", others), "abs"), "amax", -1)

    def changed(self, logits, others):
        """Where logits differ noticeably."""
        limit = self.method(self.spread(logits), "mul", NOTICEABLE)
        return self.method(self.differences(logits, others), "gt", limit)

    def at(self, logits, place):
        return self.method(logits, "select", 1, place)

    def all_parameters(self, model):
        """Every parameter once, in a list that can say of which sizes they are."""
        listed = self.library_module("ParameterList")
        self.method(listed, "extend", self.method(model, "parameters"))
        return listed

    def unreached(self, model, idx):
        """To how many parameters no gradient comes back."""
        self.module, self.output = model, self.call(model, idx)
        batch, tokens = self.steps[idx.number]["value"].shape
        self.gradients([self.draw.normal(batch, tokens, VOCAB)])
        arrived = self.method(self.unsaid(), "values")
        listed = self.library_module("ParameterList")
        self.method(listed, "extend", arrived)
        return self.method(self.method(listed, "__repr__"), "count", "NoneType")


def some_tokens(draw, *shape):
    return (draw.uniform(*shape) * VOCAB).long().clamp(max=VOCAB - 1)


def pieces_of_the_rhyme(draw, steps, tokens):
    starts = (draw.uniform(steps, BATCH) * (len(TEXT) - tokens)).long()
    return TEXT[starts[..., None] + torch.arange(tokens)]


def another(draw, tokens):
    """Other tokens in place of these."""
    return (tokens + 1 + some_tokens(draw, *tokens.shape) % (VOCAB - 1)) % VOCAB


def ask(learner, asked, should):
    """The answers of one case; an error outside the learner's own lines means that what came back was of another kind."""
    (answers,) = learner.ask_all(asked)
    error = answers.error
    if error is not None:
        is_elsewhere = error["kind"] == "exception" and not error["frames"]
        if is_elsewhere and error["type"] == "AttributeError" and "'generate'" in error["message"]:
            fail("TinyGPT has no method `generate(idx, max_new_tokens)`.")
        fail(should if is_elsewhere else learner.tell_error(error))
    return answers


def is_exactly(came, due):
    """Whether these are the same plain values; what came may be anything."""
    if isinstance(due, list):
        return isinstance(came, list) and len(came) == len(due) and all(map(is_exactly, came, due))
    return type(came) is type(due) and came == due


LOGITS = "forward should return one floating-point tensor, the logits: (batch, tokens, vocab_size)."
GENERATED = "generate should return one tensor of tokens, (batch, tokens of the prompt + max_new_tokens)."


@points(0.5, visible=True)
def test_shape_of_the_logits(learner, draw):
    """TinyGPT(43, 32, 4, 2, 12) turns (3, 5) tokens into (3, 5, 43) logits; fewer and the most tokens work too."""
    asked = Experiment(draw)
    model = asked.model(2)
    sizes, kinds = [], []
    for batch, tokens in ((3, 5), (1, 1), (2, CONTEXT)):
        logits = asked.call(model, asked.tokens(batch, tokens))
        kinds.append(asked.method(logits, "is_floating_point"))
        sizes.append([asked.method(logits, "dim"), *(asked.method(logits, "size", axis) for axis in (0, 1, -1))])
    # more places than words: positions are no words
    few = asked.call(asked.entry("TinyGPT"), FEW_WORDS, WIDTH, HEADS, 1, CONTEXT)
    logits = asked.call(few, asked.tensor(torch.arange(CONTEXT)[None] % FEW_WORDS))
    sizes.append([asked.method(logits, "dim"), *(asked.method(logits, "size", axis) for axis in (0, 1, -1))])
    asked.tell(sizes, "sizes")
    asked.tell(kinds, "kinds")
    answers = ask(learner, asked, LOGITS)
    expect(is_exactly(answers["kinds"], [True] * 3), LOGITS)
    due = [[3, 3, 5, VOCAB], [3, 1, 1, VOCAB], [3, 2, CONTEXT, VOCAB], [3, 1, CONTEXT, FEW_WORDS]]
    expect(
        is_exactly(answers["sizes"], due),
        f"For (3, 5) tokens the logits should have 3 axes and the shape (3, 5, {VOCAB}): batch, tokens, vocab_size. One logit for "
        f"each word, at each place. For (1, 1) tokens it is (1, 1, {VOCAB}), for (2, {CONTEXT}) it is (2, {CONTEXT}, {VOCAB}); with a "
        f"vocab_size of {FEW_WORDS}, (1, {CONTEXT}) tokens give (1, {CONTEXT}, {FEW_WORDS}).",
    )


@points(4, role="main")
def test_future_has_no_say(learner, draw):
    """A token changes the logits at its own place and at later ones, and never those before it."""
    tokens = CONTEXT - 2
    asked = Experiment(draw)
    model = asked.trained_a_little(2)
    # row t has another token at place t
    rows = some_tokens(draw, 1, tokens).expand(tokens, tokens).contiguous()
    places = torch.arange(tokens)
    others = rows.clone()
    others[places, places] = another(draw, rows[places, places])
    changed = asked.changed(asked.call(model, asked.tensor(rows)), asked.call(model, asked.tensor(others)))
    for name, part in (("far before", ("tril", -2)), ("before", ("tril", -1)), ("behind", ("triu", 1))):
        asked.method(asked.method(changed, *part), "any", tell=name)
    own = asked.method(changed, "diagonal")
    asked.method(own, "any", tell="somewhere itself")
    asked.method(own, "all", tell="itself")
    answers = ask(learner, asked, LOGITS)
    expect(
        not _says(answers["far before"]),
        "Logits changed although only a later token did. Is everything later hidden, in every layer, before the softmax?",
    )
    expect(
        not _says(answers["before"]),
        "The logits at one place changed when only the very next token did. They are to predict that token, so they must not see it.",
    )
    expect(
        _says(answers["itself"]),
        "A token was changed, but the logits at its own place stayed the same. The logits at place i are made from the tokens up to i, "
        "i among them, and judge what comes at i + 1: nothing is shifted in forward.",
    )
    expect(
        _says(answers["behind"]),
        "A token was changed, but no logits at later places did. Without attention to earlier tokens it is a model of word pairs.",
    )


def _says(value):
    return isinstance(value, torch.Tensor) and value.dtype == torch.bool and value.numel() == 1 and bool(value)


@points(6, role="main")
def test_learns_more_than_word_pairs(learner, draw):
    """Trained for a moment on a rhyme, it predicts the next word better than any model that looks at one word can."""
    seed = draw.seed()
    # logits add up to 1 nowhere but by chance
    asked = _reader(draw, seed)
    sums = asked.method(asked.call(asked.module, some_tokens(draw, 2, CONTEXT)), "sum", -1)
    off = asked.method(asked.method(sums, "sub", 1.0), "abs")
    asked.method(asked.method(off, "lt", 1e-3), "all", tell="adds up to 1")
    expect(
        not _says(ask(learner, asked, LOGITS)["adds up to 1"]),
        "What forward returns adds up to 1 at each place: these are probabilities. The loss takes a softmax itself; return the logits "
        "that go into yours.",
    )
    # a look at the untrained model first: when a known mistake differs there already, nobody has to train it for the diagnosis
    untrained = _reader(draw, seed)
    untrained.call(untrained.module, some_tokens(draw, 2, CONTEXT), tell="first logits")
    ask(learner, untrained, LOGITS)

    batches = pieces_of_the_rhyme(draw, TRAINING_STEPS, CONTEXT + 1)
    enough = SHARE_OF_BIGRAM_LOSS * bigram_loss()
    if any(_loss_after(learner, draw, seed, batches[:steps]) < enough for steps in (FEW_STEPS, TRAINING_STEPS)):
        return
    fail(
        f"After {TRAINING_STEPS} steps of training on the rhyme the model predicts the next word no better than one that knows only "
        "the last word (or hardly better). Does attention bring the earlier words in, are there residual connections, and does a "
        "gradient reach every layer?",
    )


def _loss_after(learner, draw, seed, batches):
    """The mean loss, in nats, of the last word of every piece of the rhyme after training on these batches."""
    windows = TEXT.unfold(0, CONTEXT + 1, 1)
    asked = _reader(draw, seed)
    asked.train(asked.module, batches[..., :-1], batches[..., 1:], RATE)
    asked.unsaid()
    asked.prepare(asked.module)
    logits = asked.call(asked.module, windows[:, :-1].contiguous())
    asked.method(logits, "select", 1, CONTEXT - 1, tell="last logits")
    came = ask(learner, asked, LOGITS)["last logits"]
    expect(
        isinstance(came, torch.Tensor) and came.shape == (len(windows), VOCAB) and came.is_floating_point(),
        LOGITS,
    )
    loss = float(F.cross_entropy(came.double(), windows[:, -1]))
    expect(
        math.isfinite(loss),
        "After training on the rhyme the logits are not finite. Did a mask hide a whole row, or a scale get lost?",
    )
    return loss


def _reader(draw, seed):
    reader = Experiment(draw)
    reader.seed = seed
    reader.module = reader.model(2)
    return reader


def bigram_loss():
    """The least loss that a model can have that sees only the last word."""
    pairs, firsts = Counter(pairwise(WORDS)), Counter(WORDS[:-1])
    return -sum(count * math.log(count / firsts[pair[0]]) for pair, count in pairs.items()) / pairs.total()


@points(2.5, role="main")
def test_order_of_earlier_tokens_counts(learner, draw):
    """Even with a single layer, the last logits change when two earlier tokens change places."""
    asked = Experiment(draw)
    model = asked.trained_a_little(1)
    tokens = some_tokens(draw, 8, CONTEXT)
    first, second = 1, CONTEXT // 2
    tokens[:, first] = another(draw, tokens[:, second])
    swapped = tokens.clone()
    swapped[:, first], swapped[:, second] = tokens[:, second], tokens[:, first]
    last = [asked.at(asked.call(model, asked.tensor(each)), CONTEXT - 1) for each in (tokens, swapped)]
    asked.method(asked.changed(*last), "any", tell="changed")
    expect(
        _says(ask(learner, asked, LOGITS)["changed"]),
        "With one layer, the last logits stay the same when two earlier tokens change places. Nothing tells the model where a token "
        "stands: add position vectors to the token vectors, or turn queries and keys by their position.",
    )


@points(1, role="main")
def test_a_deep_model_still_hears_its_own_token(learner, draw):
    """With 32 layers the last logits still depend on the last token: residual connections carry it through."""
    # float64 shows more, but not every right model can do it
    asked = hearing(draw, 32, torch.float64)
    (answers,) = learner.ask_all(asked)
    if answers.error is not None:
        answers = ask(learner, hearing(draw, 20, torch.float32), LOGITS)
    expect(
        _says(answers["heard"]),
        "With 32 layers the last logits hardly depend on the last token any more. Each part of a layer adds to what comes in, "
        "h = h + part(h): are both residual connections there, around the attention and around the mlp?",
    )


def hearing(draw, layers, dtype):
    """Tells whether the last logits of a deep model depend on the last token."""
    tokens = 8
    asked = Experiment(draw)
    model = asked.trained_a_little(layers, tokens, steps=1, rate=1e-4, dtype=dtype)
    ids = some_tokens(draw, 8, tokens)
    others = torch.cat([ids[:, :-1], another(draw, ids[:, -1:])], dim=1)
    last = [asked.at(asked.call(model, asked.tensor(each)), tokens - 1) for each in (ids, others)]
    heard = asked.method(asked.differences(*last), "mean")
    asked.method(heard, "gt", asked.method(asked.spread(last[0]), "mul", HEARD[dtype]), tell="heard")
    return asked


@points(2, role="main")
def test_every_layer_has_weights_of_its_own(learner, draw):
    """More layers mean more parameters, and a gradient reaches the added ones."""
    asked = Experiment(draw)
    few, many = asked.model(1), asked.model(4)
    sizes = [asked.method(asked.all_parameters(model), "__repr__") for model in (few, many)]
    asked.method(sizes[0], "__ne__", sizes[1], tell="grows")
    idx = asked.tokens(2, 5)
    unreached = [asked.unreached(model, idx) for model in (few, many)]
    asked.method(unreached[0], "__eq__", unreached[1], tell="reached")
    answers = ask(learner, asked, LOGITS)
    if answers["grows"] is not True:
        fail(_why_it_does_not_grow(learner, draw))
    expect(
        answers["reached"] is True,
        "With more layers there are parameters that no gradient reaches: not every layer is used. Each layer works on what the one "
        "before it returned.",
    )


def _why_it_does_not_grow(learner, draw):
    asked = Experiment(draw)
    few, many = asked.model(1), asked.model(4)
    asked.method(many, "load_state_dict", asked.method(few, "state_dict"), False)
    idx = asked.tokens(2, 5)
    for model in (few, many):
        asked.prepare(model)
    asked.method(asked.changed(asked.call(few, idx), asked.call(many, idx)), "any", tell="changed")
    if _says(ask(learner, asked, "The parameters do not grow with num_layers.")["changed"]):
        return (
            "A model with more layers has no more parameters: the layers share their weights, or stand in a plain list, where nobody "
            "finds them. Make a new layer for each (a list comprehension does; `[layer] * num_layers` repeats the same one), and put "
            "them into an nn.ModuleList."
        )
    return "A model with more layers has no more parameters and says the same: `num_layers` is not used."


@points(2.5, role="main")
def test_generate_takes_the_likeliest_token(learner, draw):
    """generate returns the prompt and max_new_tokens more, each the one with the largest logit after all before it."""
    plan = [(some_tokens(draw, PROMPTS, 3), 7), (some_tokens(draw, 1, 1), 1), (some_tokens(draw, PROMPTS, 2), 4)]
    expect_greedy(learner, draw, plan, CONTEXT)


@points(1, role="main")
def test_generate_goes_on_beyond_the_context(learner, draw):
    """The text may become longer than context_length, and begin so: the model is shown the last context_length tokens."""
    context = 6
    plan = [
        (some_tokens(draw, PROMPTS, context - 2), 9),
        (some_tokens(draw, PROMPTS + 2, context + 3), 6),
        (some_tokens(draw, 8 * PROMPTS, context), 1),
    ]
    asked = Experiment(draw)
    generate = asked.method(asked.trained_a_little(2, context), "__getattribute__", "generate")
    endings = []
    for prompt, new in plan:
        asked.refuses(generate, asked.tensor(prompt), new)
        endings.append(asked.method(asked.unsaid(), "__eq__", "accepted"))
    asked.tell(endings, "endings")
    expect(
        is_exactly(ask(learner, asked, GENERATED)["endings"], [True] * len(plan)),
        "generate fails when the text is, or becomes, longer than context_length. Show the model only the last context_length tokens: "
        "idx[:, -context_length:].",
    )
    expect_greedy(learner, draw, plan, context)


def expect_greedy(learner, draw, plan, context):
    """Each (prompt, max_new_tokens) is continued by what the model's own logits say; ties may go either way."""
    asked = Experiment(draw)
    model = asked.trained_a_little(2, context)
    texts = [asked.method(model, "generate", asked.tensor(prompt), new) for prompt, new in plan]
    asked.tell(
        [[asked.method(text, "dim"), *(asked.method(text, "size", axis) for axis in (0, -1))] for text in texts],
        "sizes",
    )
    due = [[2, prompt.shape[0], prompt.shape[1] + new] for prompt, new in plan]
    (batch, tokens), new = plan[0][0].shape, plan[0][1]
    expect(
        is_exactly(ask(learner, asked, GENERATED)["sizes"], due),
        f"For a prompt of ({batch}, {tokens}) tokens and max_new_tokens={new}, generate should return ({batch}, {tokens + new}) tokens: "
        "the whole prompt, and the new ones behind it.",
    )
    asked = Experiment(draw)
    model = asked.trained_on_the_rhyme(2, context)
    # the tokens may come from inference mode, which no graph can keep
    asked.method(model, "requires_grad_", False)
    kept, likeliest, by_the_first = [], [], []
    for prompt, new in plan:
        given = prompt.shape[1]
        text = asked.method(model, "generate", asked.tensor(prompt), new)
        start = asked.method(text, "narrow", 1, 0, given)
        kept.append(asked.method(asked.method(start, "eq", asked.tensor(prompt)), "all"))
        places = range(given, given + new)
        # in groups: which single token is right may be chance
        for group in (
            places[:1],
            [place for place in places[1:] if place <= context],
            [place for place in places[1:] if place > context],
        ):
            if group:
                likeliest.append(asked.all_of([is_likeliest(asked, model, text, place, context) for place in group]))
        if beyond := [place for place in places if place > context]:
            first = [is_likeliest(asked, model, text, place, context, start=0) for place in beyond]
            by_the_first.append(asked.all_of(first))
    asked.tell(kept, "kept")
    asked.tell(likeliest, "likeliest")
    asked.tell(by_the_first, "by the first tokens")
    answers = ask(learner, asked, GENERATED)
    expect(_all_say(answers["kept"], len(plan)), "What generate returns does not begin with the prompt, unchanged.")
    all_follow = _all_say(answers["likeliest"], len(likeliest))
    expect(
        all_follow or not by_the_first or not _all_say(answers["by the first tokens"], len(by_the_first)),
        "When the text is longer than context_length, the new tokens follow from its first context_length tokens. The model is to be "
        "shown the last ones: idx[:, -context_length:].",
    )
    expect(
        all_follow,
        "A new token is not the one with the largest logit. Each step gives the text so far to the model (its last context_length "
        "tokens), takes the logits of the last place, and puts their argmax behind the text; nothing is drawn at random.",
    )


def is_likeliest(asked, model, text, place, context, *, start=None):
    """Hold the token at a place against the model's own logits for what comes before it (or for what begins at `start`)."""
    start = max(0, place - context) if start is None else start
    shown = min(context, place - start)
    logits = asked.at(asked.call(model, asked.method(text, "narrow", 1, start, shown)), -1)
    chosen = asked.method(logits, "gather", 1, asked.method(text, "narrow", 1, place, 1))
    behind = asked.method(asked.method(logits, "amax", 1, True), "sub", chosen)
    limit = asked.method(asked.spread(logits), "mul", NOTICEABLE)
    return asked.method(asked.method(behind, "le", limit), "all")


def _all_say(values, count):
    return isinstance(values, list) and len(values) == count and all(map(_says, values))


@points(0.5, role="manners")
def test_calls_do_not_disturb_each_other(learner, draw):
    """In eval() two calls agree, each text of a batch stands for itself, and the tokens passed in are left alone."""
    asked = Experiment(draw)
    model = asked.trained_a_little(2)
    tokens = some_tokens(draw, 3, 6)
    idx, alone = asked.tensor(tokens), asked.tensor(tokens[1:2])
    logits, again = asked.call(model, idx), asked.call(model, idx)
    asked.method(asked.changed(logits, again), "any", tell="differs in a second call")
    by_itself = asked.method(logits, "narrow", 0, 1, 1)
    asked.method(asked.changed(asked.call(model, alone), by_itself), "any", tell="differs alone")
    asked.method(model, "generate", idx, 3)
    asked.method(asked.method(idx, "ne", asked.tensor(tokens)), "any", tell="overwritten")
    answers = ask(learner, asked, LOGITS)
    expect(not _says(answers["overwritten"]), "The tokens that were passed in were changed. Make a new tensor instead.")
    expect(not _says(answers["differs in a second call"]), "In eval() two calls with the same tokens differ.")
    expect(
        not _says(answers["differs alone"]),
        "A text gets other logits alone than in a batch. No axis but its own may be mixed.",
    )
