"""The architecture is the learner's own, so there is no reference for its numbers: logits and tokens come back as they are,
and the judge compares them with each other and with how a song goes on that only the judge has.

The song: each animal has its own noise and its own meal, and which word has which number is drawn anew in every run. What an
animal does after "and" can't be told from "and": whoever sees one word only has to guess. The model is trained on one part
of the song, is then shown windows of another part: the last words before a verb, and no verb is among them, in no window.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F

from grader.judge.authoring import Case, Ended, expect, fail, points
from grader.sandbox.inside.wire import Slot

ANIMALS = (
    ("cat", "purrs", "laps", "milk"),
    ("dog", "barks", "gnaws", "bones"),
    ("hen", "clucks", "pecks", "corn"),
    ("cow", "moos", "chews", "grass"),
    ("bee", "hums", "sips", "nectar"),
    ("owl", "hoots", "hunts", "mice"),
)
AND, STOP = "and", "."
VOCABULARY = [AND, STOP, *(word for animal in ANIMALS for word in animal)]
LINES = [[VOCABULARY.index(word) for word in (a, noise, AND, verb, meal, STOP)] for a, noise, verb, meal in ANIMALS]
LINE = len(LINES[0])
BEHIND_AND = 3
"""The place in a line of the word that only a look further back can tell."""

WIDTH, HEADS, CONTEXT, VOCAB = 32, 4, 12, len(VOCABULARY)
FEW_WORDS, MANY_WORDS = 5, 40
TRAINED_LINES, WINDOWS, SHOWN = 300, 48, 5
FEW_STEPS, TRAINING_STEPS, BATCH, RATE = 60, 140, 16, 8e-3
"""Nearly every right model is far enough after the few steps; one that is not gets all, from the start."""
READING_STEPS, SHORT_CONTEXT, PROMPTS = 40, 6, 48
"""So much of the song makes the likeliest word depend on what is shown, whatever the weights began with. Trained less, some
right models say the same word to everything, and nobody sees what `generate` showed them."""

PAIRS_LOSS = math.log(len(ANIMALS))
"""In nats: the least loss behind "and" of a model that sees the last word only."""
LEARNED, HAS_BEGUN = 0.6, 0.9
"""Shares of it. Of a hundred guesses which verb is whose, up to fourteen come below the second, and one below the first."""

NOTICEABLE = 2e-5
"""What counts as a change of logits, as a share of their spread; rounding stays below 1e-6."""
HEARD = {torch.float64: 3e-7, torch.float32: 1e-5}
"""The same in a deep model: without residual connections it is below 5e-8 (float32: rounding, 2e-6), with them above 1e-6."""

LOGITS = "forward should return one floating-point tensor, the logits: (batch, tokens, vocab_size)."
NOT_FINITE = "The logits are NaN or infinite. Does a mask hide a whole row, or is the scale of the scores missing?"
GENERATED = "generate should return one tensor of tokens, (batch, tokens of the prompt + max_new_tokens)."


class Experiment(Case):
    """A case that makes one TinyGPT after another and brings their logits and tokens back."""

    def __init__(self, seed):
        super().__init__(seed=seed, is_random=True)

    def model(self, layers, context=CONTEXT, heads=HEADS):
        return self.call(self.entry("TinyGPT"), VOCAB, WIDTH, heads, layers, context)

    def trained(self, layers, texts, context=CONTEXT, *, heads=HEADS, rate=1e-2, dtype=None, keep=False):
        """A model, in eval(), that no longer has the zeros with which some parts rightly begin."""
        model = self.model(layers, context, heads)
        self.train(model, texts, rate, keep=keep)
        self.prepare(model, dtype=dtype)
        return model

    def last_logits(self, model, idx, name):
        """Bring back the logits of the last place only."""
        return self.call(self.call(model, idx), 1, -1, method="select", return_as=name)

    def all_parameters(self, model):
        """Every parameter once, in a list that can say of which sizes they are."""
        listed = self.library_module("ParameterList")
        self.call(listed, self.call(model, method="parameters"), method="extend")
        return listed

    def unreached(self, model, tokens, weights, name):
        """To how many parameters no gradient comes back."""
        self.module, self.output = model, self.call(model, self.tensor(tokens))
        self.gradients([weights])
        gradients = Slot(len(self.steps) - 1)
        self.keeps_to_itself(gradients)
        arrived = self.call(gradients, method="values")
        listed = self.library_module("ParameterList")
        self.call(listed, arrived, method="extend")
        self.call(self.call(listed, method="__repr__"), "NoneType", method="count", return_as=name)


@dataclass(frozen=True)
class Song:
    """What all checks of one run train with and test on."""

    seed: int
    batches: torch.Tensor
    windows: torch.Tensor
    following: torch.Tensor

    @classmethod
    def of(cls, draw, context=CONTEXT):
        common = draw.common()
        seed, numbers = common.seed(), common.order(VOCAB)
        lines = torch.tensor(LINES)[_below(common, len(LINES), TRAINED_LINES + WINDOWS + CONTEXT)]
        song = numbers[lines.flatten()]
        heard, unheard = song.split([TRAINED_LINES * LINE, len(song) - TRAINED_LINES * LINE])
        starts = _below(common, len(heard) - context, TRAINING_STEPS, BATCH)
        windows = unheard.unfold(0, context + 1, 1)
        windows = windows[(torch.arange(len(windows)) + context) % LINE == BEHIND_AND][:WINDOWS]
        shown, following = windows[:, -1 - SHOWN : -1].contiguous(), windows[:, -1]
        assert not torch.isin(following, shown).any(), "a window holds what another is asked for"
        return cls(seed, heard[starts[..., None] + torch.arange(context + 1)], shown, following)

    def reader(self, steps=FEW_STEPS, context=CONTEXT, layers=2):
        """An experiment with a model that has read so much of the song; it is trained once, and found again by later ones."""
        asked = Experiment(self.seed)
        return asked, asked.trained(layers, self.batches[:steps], context, rate=RATE, keep=True)

    def loss_after(self, steps):
        """A talk that tells how well the word behind "and" is predicted, or what came instead of logits."""

        def talk(ask):
            asked, model = self.reader(steps)
            asked.last_logits(model, self.windows, "logits")
            (answers,) = ask(asked)
            logits = answers["logits"]
            if not are_logits(logits, len(self.windows), VOCAB):
                return {"form": False}
            loss = float(F.cross_entropy(logits.double(), self.following)) / PAIRS_LOSS
            return {
                "form": True,
                "finite": math.isfinite(loss),
                "learned": loss < LEARNED,
                "has begun": loss < HAS_BEGUN,
            }

        return talk


def _below(draw, end, *shape):
    return (draw.uniform(*shape) * end).long().clamp(max=end - 1)


def some_tokens(draw, *shape):
    return _below(draw, VOCAB, *shape)


def some_texts(draw, steps=8, context=CONTEXT):
    return some_tokens(draw, steps, 8, context + 1)


def another(draw, tokens):
    """Other tokens in place of these."""
    return (tokens + 1 + some_tokens(draw, *tokens.shape) % (VOCAB - 1)) % VOCAB


def read(learner, talk, should=LOGITS, *, diagnosed=True):
    """What a talk reads; an error outside the learner's own lines means that what came back was of another kind."""

    def tell(error):
        is_elsewhere = error["kind"] == "exception" and not error["frames"]
        if is_elsewhere and error["type"] == "AttributeError" and "'generate'" in error["message"]:
            return "TinyGPT has no method `generate(idx, max_new_tokens)`."
        return should if is_elsewhere else learner.tell_error(error)

    came = learner.read(talk, tell=tell, diagnosed=diagnosed)
    expect(came.get("form", True), should)
    return came


def are_logits(value, *shape):
    """Whether logits of this shape came back."""
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.shape == shape


def spread(logits):
    return logits.double().std(-1).mean()


def differences(logits, others):
    """The largest difference at each place."""
    return (logits.double() - others.double()).abs().amax(-1)


def changed(logits, others):
    """Where logits differ noticeably."""
    return differences(logits, others) > NOTICEABLE * spread(logits)


def expect_it_learns(learner, draw):
    """What was seen before means nothing if the numbers are made up: the same class has to learn from the song."""
    song = Song.of(draw)
    for steps in (FEW_STEPS, TRAINING_STEPS):
        if read(learner, song.loss_after(steps), diagnosed=False).get("has begun"):
            return
    fail(
        "This check found no mistake, but it counts only for a model that learns, and after training yours predicts the next word no better, "
        "or hardly better, than one that knows only the last word. Look at the other failed checks first."
    )


@points(0.75, visible=True, converses=True)
def test_shape_of_the_logits(learner, draw):
    """TinyGPT(26, 32, 4, 2, 12) turns (3, 5) tokens into (3, 5, 26) logits; fewer and the most tokens work too."""
    seed = draw.seed()
    asked_for = [some_tokens(draw, batch, tokens) for batch, tokens in ((3, 5), (1, 1), (2, CONTEXT))]

    def talk(ask):
        asked = Experiment(seed)
        model = asked.model(2)
        for number, tokens in enumerate(asked_for):
            asked.call(model, tokens, return_as=f"logits {number}")
        # more places than words: positions are no words; and more words than width
        for words in (FEW_WORDS, MANY_WORDS):
            model = asked.call(asked.entry("TinyGPT"), words, WIDTH, HEADS, 1, CONTEXT)
            asked.call(model, torch.arange(words - CONTEXT, words)[None] % words, return_as=f"logits of {words} words")
        (answers,) = ask(asked)
        came = [answers[name] for name in asked.returned.values()]
        if not all(isinstance(each, torch.Tensor) and each.is_floating_point() for each in came):
            return {"form": False}
        return {"shapes": [list(each.shape) for each in came]}

    came = read(learner, talk)
    due = [[*tokens.shape, VOCAB] for tokens in asked_for] + [[1, CONTEXT, words] for words in (FEW_WORDS, MANY_WORDS)]
    expect(
        came["shapes"] == due,
        f"For (3, 5) tokens the logits should have 3 axes and the shape (3, 5, {VOCAB}): batch, tokens, vocab_size. One logit for "
        f"each word, at each place. For (1, 1) tokens it is (1, 1, {VOCAB}), for (2, {CONTEXT}) it is (2, {CONTEXT}, {VOCAB}); with a "
        f"vocab_size of {FEW_WORDS} or {MANY_WORDS}, (1, {CONTEXT}) tokens give (1, {CONTEXT}, {FEW_WORDS}) or (1, {CONTEXT}, {MANY_WORDS}).",
    )


@points(6, role="main", converses=True)
def test_future_has_no_say(learner, draw):
    """A token changes the logits at its own place and at later ones, and never those before it."""
    tokens = CONTEXT - 2
    seed, texts = draw.seed(), some_texts(draw)
    # row t has another token at place t
    rows = some_tokens(draw, 1, tokens).expand(tokens, tokens).contiguous()
    places = torch.arange(tokens)
    others = rows.clone()
    others[places, places] = another(draw, rows[places, places])

    def talk(ask):
        asked = Experiment(seed)
        model = asked.trained(2, texts)
        asked.call(model, rows, return_as="logits")
        asked.call(model, others, return_as="other logits")
        asked.call(model, rows[:, :FEW_WORDS], return_as="logits of the beginning")
        (answers,) = ask(asked)
        logits, other_logits, beginning = (answers[name] for name in asked.returned.values())
        if not (
            all(are_logits(each, tokens, tokens, VOCAB) for each in (logits, other_logits))
            and are_logits(beginning, tokens, FEW_WORDS, VOCAB)
        ):
            return {"form": False}
        where = changed(logits, other_logits)
        return {
            "finite": bool(logits.isfinite().all()),
            "before": max((behind for behind in range(1, tokens) if bool(where.tril(-behind).any())), default=0),
            "behind": bool(where.triu(1).any()),
            "somewhere itself": bool(where.diagonal().any()),
            "itself": bool(where.diagonal().all()),
            "length": bool(changed(logits[:, :FEW_WORDS], beginning).any()),
        }

    came = read(learner, talk)
    expect(came["finite"], NOT_FINITE)
    expect(
        came["before"] < 2,
        "Logits changed although only a later token was changed. Are the scores of all later tokens hidden, in every layer, before the softmax?",
    )
    expect(
        not came["before"],
        "The logits at a place changed although only the next token was changed. They predict that token, so they must not depend on it.",
    )
    expect(
        came["itself"],
        "A token was changed, but the logits at its own place stayed the same. The logits at place i are made from the tokens 0 "
        "to i and predict token i + 1: nothing is shifted in forward.",
    )
    expect(
        came["behind"],
        "A token was changed, but no logits at later places changed. Does the attention bring earlier tokens in?",
    )
    expect(
        not came["length"],
        "The first tokens alone get other logits than with more tokens behind them. Count positions from the start of the text.",
    )
    expect_it_learns(learner, draw)


@points(9, role="main", converses=True)
def test_learns_more_than_word_pairs(learner, draw):
    """Trained for a moment on a song, it predicts how an unknown part goes on, better than a model that sees only one word can."""
    seed, tokens = draw.seed(), some_tokens(draw, 2, CONTEXT)

    def first_look(ask):
        asked = Experiment(seed)
        asked.call(asked.model(2), tokens, return_as="logits")
        (answers,) = ask(asked)
        if not are_logits(answers["logits"], 2, CONTEXT, VOCAB):
            return {"form": False}
        # logits add up to 1 nowhere but by chance
        return {"adds up to 1": bool(((answers["logits"].double().sum(-1) - 1).abs() < 1e-3).all())}

    expect(
        not read(learner, first_look)["adds up to 1"],
        "What forward returns adds up to 1 at each place: these are probabilities. Return the logits, without a softmax at the end; the loss "
        "takes the softmax itself.",
    )
    song = Song.of(draw)
    came = {}
    for steps in (FEW_STEPS, TRAINING_STEPS):
        came = read(learner, song.loss_after(steps), diagnosed=False)
        if came["learned"]:
            return
    expect(came["finite"], f"After training on the song: {NOT_FINITE}")
    fail(
        f"After {TRAINING_STEPS} steps of training on the song the model predicts the next word no better, or hardly better, than one that "
        "knows only the last word. Does attention bring the earlier words in, are there residual connections, and does a "
        "gradient reach every layer?",
    )


@points(3.75, role="main", converses=True)
def test_order_of_earlier_tokens_counts(learner, draw):
    """Even with a single layer, the last logits change when two earlier tokens change places."""
    song, tokens = Song.of(draw), some_tokens(draw, 8, CONTEXT)
    first, second = 1, CONTEXT // 2
    tokens[:, first] = another(draw, tokens[:, second])
    swapped, twice = tokens.clone(), tokens.clone()
    swapped[:, first], swapped[:, second] = tokens[:, second], tokens[:, first]
    twice[:, first] = tokens[:, second]

    def talk(ask):
        # from small numbers some right models begin so evenly that places hardly count: it has to read first
        asked, model = song.reader(READING_STEPS, layers=1)
        asked.last_logits(model, tokens, "logits")
        asked.last_logits(model, swapped, "logits of the swapped")
        asked.last_logits(model, twice, "logits of another token")
        (answers,) = ask(asked)
        last = [answers[name] for name in asked.returned.values()]
        if not all(are_logits(each, len(tokens), VOCAB) for each in last):
            return {"form": False}
        return {"changed": bool(changed(*last[:2]).any()), "seen": bool(changed(last[0], last[2]).any())}

    came = read(learner, talk)
    expect(
        came["changed"] or came["seen"],
        "With one layer, the last logits stay the same when a token further back is changed. Does each token look at all earlier ones?",
    )
    expect(
        came["changed"],
        "With one layer, the last logits stay the same when two earlier tokens change places, so the model does not know positions. Add "
        "position vectors to the token vectors, or turn queries and keys by their position.",
    )
    expect_it_learns(learner, draw)


@points(1.5, role="main", converses=True)
def test_a_deep_model_still_hears_its_own_token(learner, draw):
    """With 32 layers the last logits still depend on the last token: residual connections carry it through."""
    tokens = 8
    seed, texts, ids = draw.seed(), some_texts(draw, 1, tokens), some_tokens(draw, 8, tokens)
    others = torch.cat([ids[:, :-1], another(draw, ids[:, -1:])], dim=1)

    def hears(ask, layers, dtype):
        asked = Experiment(seed)
        model = asked.trained(layers, texts, tokens, rate=1e-4, dtype=dtype)
        asked.last_logits(model, ids, "logits")
        asked.last_logits(model, others, "other logits")
        (answers,) = ask(asked)
        last = [answers[name] for name in asked.returned.values()]
        if not all(are_logits(each, len(ids), VOCAB) for each in last):
            return {"form": False}
        return {"heard": bool(differences(*last).mean() > HEARD[dtype] * spread(last[0]))}

    def talk(ask):
        # float64 shows more, but not every right model can do it
        try:
            return hears(ask, 32, torch.float64)
        except Ended:
            return hears(ask, 20, torch.float32)

    expect(
        read(learner, talk)["heard"],
        "With 32 layers the last logits hardly depend on the last token any more. Each part's result is added to its input, "
        "h = h + part(norm(h)): are both residual connections there, around the attention and around the mlp?",
    )


@points(3, role="main", converses=True)
def test_every_layer_has_weights_of_its_own(learner, draw):
    """More layers mean more parameters, a gradient reaches all of them, and num_heads changes the logits."""
    seed, tokens, weights = draw.seed(), some_tokens(draw, 2, 5), draw.normal(2, 5, VOCAB)
    texts = some_texts(draw)

    def talk(ask):
        asked = Experiment(seed)
        models = {"few": asked.model(1), "many": asked.model(4)}
        for name, model in models.items():
            asked.call(asked.all_parameters(model), method="__repr__", return_as=f"sizes of {name}")
        for name, model in models.items():
            asked.unreached(model, tokens, weights, f"unreached of {name}")
        asked.parameters(models["few"])
        (answers,) = ask(asked)
        few, many = ([answers[f"{what} of {name}"] for what in ("sizes", "unreached")] for name in models)
        if not all(isinstance(sizes, str) and isinstance(unreached, int) for sizes, unreached in (few, many)):
            return {"form": False}
        # one that is not to be trained, a table say, needs no gradient
        frozen = sum(not is_trainable for _, is_trainable in answers["parameters"].values())
        return {"grows": few[0] != many[0], "as many": few[1] == many[1], "reached": few[1] == frozen}

    came = read(learner, talk)
    if not came["grows"]:
        fail(_why_it_does_not_grow(learner, seed, tokens))
    expect(
        came["as many"],
        "With more layers there are parameters that no gradient reaches: not every layer is used. Each layer works on what the one "
        "before it returned.",
    )
    expect(
        came["reached"],
        "There are parameters that no gradient reaches, so they do not learn. Is something detached, or a part never used?",
    )

    def with_heads(ask):
        pair = []
        for heads in (HEADS, HEADS // 2):
            pair.append(Experiment(seed))
            pair[-1].call(pair[-1].trained(1, texts, heads=heads), tokens, return_as="logits")
        logits = [answers["logits"] for answers in ask(*pair)]
        if not all(are_logits(each, 2, 5, VOCAB) for each in logits):
            return {"form": False}
        return {"changed": not torch.equal(*logits)}

    expect(
        read(learner, with_heads)["changed"],
        f"With {HEADS} heads and with {HEADS // 2} the logits are the same: `num_heads` is not used.",
    )


def _why_it_does_not_grow(learner, seed, tokens):
    def talk(ask):
        asked = Experiment(seed)
        few, as_many, many = asked.model(1), asked.model(1), asked.model(4)
        for model in (as_many, many):
            asked.call(model, asked.call(few, method="state_dict"), False, method="load_state_dict")
        for name, model in (("few", few), ("as many", as_many), ("many", many)):
            asked.prepare(model)
            asked.call(model, tokens, return_as=name)
        (answers,) = ask(asked)
        logits = [answers[name] for name in ("few", "as many", "many")]
        if not all(are_logits(each, 2, 5, VOCAB) for each in logits):
            return {"form": False}
        return {
            "not found": bool(changed(logits[0], logits[1]).any()),
            "changed": bool(changed(logits[0], logits[2]).any()),
        }

    came = read(learner, talk, "The parameters do not grow with num_layers.")
    if came["not found"]:
        return (
            "A model with more layers has no more parameters: the layers are in a plain list, where the module does not find them. Put them "
            "into an nn.ModuleList."
        )
    if came["changed"]:
        return (
            "A model with more layers has no more parameters: the layers share their weights. Make a new layer each time, in a list "
            "comprehension (`[layer] * num_layers` repeats the same one), and put them into an nn.ModuleList."
        )
    return "A model with more layers has no more parameters and gives the same logits: `num_layers` is not used."


@points(3.75, role="main", converses=True)
def test_generate_takes_the_likeliest_token(learner, draw):
    """generate returns the prompt and max_new_tokens more, each the one with the largest logit after all before it."""
    context = SHORT_CONTEXT
    plan = [(some_tokens(draw, PROMPTS, 3), 3), (some_tokens(draw, 1, 1), 1), (some_tokens(draw, PROMPTS, 2), 4)]
    expect_greedy(learner, Song.of(draw, context), plan, context, READING_STEPS)
    expect_it_learns(learner, draw)


@points(1.5, role="main", converses=True)
def test_generate_goes_on_beyond_the_context(learner, draw):
    """The text may become longer than context_length, and begin so: the model is shown the last context_length tokens."""
    context = SHORT_CONTEXT
    plan = [
        (some_tokens(draw, PROMPTS, context - 2), 9),
        (some_tokens(draw, PROMPTS + 2, context + 3), 6),
        (some_tokens(draw, 8 * PROMPTS, context), 1),
    ]
    song = Song.of(draw, context)

    def talk(ask):
        asked, model = song.reader(READING_STEPS, context)
        generate = asked.call(model, "generate", method="__getattribute__")
        for number, (prompt, new) in enumerate(plan):
            asked.refuses(generate, asked.tensor(prompt), new, return_as=f"ending {number}")
        (answers,) = ask(asked)
        return {"fails": [answers[name] != "accepted" for name in asked.returned.values()]}

    expect(
        not any(read(learner, talk, GENERATED)["fails"]),
        "generate fails when the text is, or becomes, longer than context_length. Show the model only the last context_length tokens: "
        "idx[:, -context_length:].",
    )
    expect_greedy(learner, song, plan, context, READING_STEPS)
    expect_it_learns(learner, draw)


def expect_greedy(learner, song, plan, context, steps):
    """Each (prompt, max_new_tokens) is continued by what the model's own logits say; ties may go either way.

    The texts come back first. Then the judge shows the same model what stands before their tokens, and holds these against
    the logits that come back: tokens and logits that are made up for themselves don't fit together.
    """

    def talk(ask):
        asked, model = song.reader(steps, context)
        for number, (prompt, new) in enumerate(plan):
            asked.call(model, asked.tensor(prompt), new, method="generate", return_as=f"text {number}")
        (answers,) = ask(asked)
        texts = [answers[name] for name in asked.returned.values()]
        if not all(isinstance(text, torch.Tensor) and text.dtype == torch.int64 for text in texts):
            return {"form": False}
        came = {"sizes": [list(text.shape) for text in texts]}
        if came["sizes"] != sizes_of(plan):
            return came
        came["kept"] = all(
            torch.equal(text[:, : prompt.shape[1]], prompt) for text, (prompt, _) in zip(texts, plan, strict=True)
        )
        came["are words"] = all(bool(((text >= 0) & (text < VOCAB)).all()) for text in texts)
        if not came["are words"]:
            return came
        looks = [
            Look(text, place)
            for text, (prompt, _) in zip(texts, plan, strict=True)
            for place in range(prompt.shape[1], text.shape[1])
        ]
        came["likeliest"] = are_likeliest(ask, *song.reader(steps, context), looks, context)
        beyond = [Look(each.text, each.place, from_the_first=True) for each in looks if each.place > context]
        if beyond and not all(came["likeliest"]):
            came["by the first tokens"] = all(are_likeliest(ask, *song.reader(steps, context), beyond, context))
        return came

    came = read(learner, talk, GENERATED)
    (batch, tokens), new = plan[0][0].shape, plan[0][1]
    expect(
        came["sizes"] == sizes_of(plan),
        f"For a prompt of ({batch}, {tokens}) tokens and max_new_tokens={new}, generate should return ({batch}, {tokens + new}) tokens: "
        "the whole prompt, then the new ones.",
    )
    expect(came["kept"], "What generate returns does not begin with the prompt, unchanged.")
    expect(came["are words"], "What generate returns are not all tokens: whole numbers from 0, below vocab_size.")
    expect(
        not came.get("by the first tokens"),
        "When the text is longer than context_length, the new tokens were computed from its first context_length tokens. Show the model the "
        "last ones: idx[:, -context_length:].",
    )
    expect(
        all(came["likeliest"]),
        "A new token is not the one with the largest logit. Each step gives the text so far to the model (its last context_length "
        "tokens), takes the logits of the last place, and adds their argmax to the end of the text; nothing is drawn at random.",
    )


def sizes_of(plan):
    return [[prompt.shape[0], prompt.shape[1] + new] for prompt, new in plan]


@dataclass(frozen=True)
class Look:
    """A token of some texts, to be held against what the model says to the tokens before it."""

    text: torch.Tensor
    place: int
    from_the_first: bool = False

    def shown(self, context):
        start = 0 if self.from_the_first else max(0, self.place - context)
        return self.text[:, start : min(self.place, start + context)].contiguous()


def are_likeliest(ask, asked, model, looks, context):
    """For each look, whether the tokens are those with the largest logits."""
    for number, look in enumerate(looks):
        asked.last_logits(model, look.shown(context), f"logits {number}")
    (answers,) = ask(asked)
    return [is_likeliest(answers[f"logits {number}"], look) for number, look in enumerate(looks)]


def is_likeliest(logits, look):
    chosen = look.text[:, look.place]
    if not are_logits(logits, len(chosen), VOCAB):
        return False
    behind = logits.amax(-1) - logits.gather(1, chosen[:, None])[:, 0]
    return bool((behind <= NOTICEABLE * spread(logits)).all())


@points(0.75, role="manners", converses=True)
def test_calls_do_not_disturb_each_other(learner, draw):
    """In eval() two calls agree, each text of a batch stands for itself, and the tokens passed in are left alone."""
    seed, texts, tokens = draw.seed(), some_texts(draw), some_tokens(draw, 3, 6)

    def talk(ask):
        asked = Experiment(seed)
        model = asked.trained(2, texts)
        idx = asked.tensor(tokens)
        asked.call(model, idx, return_as="logits")
        asked.call(model, idx, return_as="logits again")
        asked.call(model, asked.tensor(tokens.flip(0)), return_as="logits of other texts")
        asked.call(model, asked.tensor(tokens[1:2]), return_as="logits alone")
        asked.call(model, idx, 3, method="generate")
        asked.return_value(idx, "tokens")
        (answers,) = ask(asked)
        logits, again, alone = (answers[name] for name in ("logits", "logits again", "logits alone"))
        others = answers["logits of other texts"]
        if not (
            all(are_logits(each, 3, 6, VOCAB) for each in (logits, again, others)) and are_logits(alone, 1, 6, VOCAB)
        ):
            return {"form": False}
        return {
            "overwritten": not (isinstance(answers["tokens"], torch.Tensor) and torch.equal(answers["tokens"], tokens)),
            "differs in a second call": bool(changed(logits, again).any()),
            "is that of other texts": bool(changed(logits.flip(0), others).any()),
            "differs alone": bool(changed(logits[1:2], alone).any()),
        }

    came = read(learner, talk)
    expect(not came["overwritten"], "The tokens that were passed in were changed. Make a new tensor instead.")
    expect(
        not came["differs in a second call"],
        "In eval() two calls with the same tokens give different logits. Is there dropout that acts in eval() too, or is a "
        "result kept from call to call?",
    )
    expect(
        not came["is that of other texts"],
        "The same texts in another order get other logits: a result is kept from call to call, or texts of a batch are mixed.",
    )
    expect(
        not came["differs alone"],
        "A text gets other logits alone than in a batch. No mean, norm or attention may run over the batch axis.",
    )
