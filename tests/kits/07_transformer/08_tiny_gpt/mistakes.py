from families import kept

from grader.judge.authoring import Mistake

LEARNS = "test_learns_more_than_word_pairs"
ORDER = "test_order_of_earlier_tokens_counts"
DEEP = "test_a_deep_model_still_hears_its_own_token"
LAYERS = "test_every_layer_has_weights_of_its_own"
GREEDY = "test_generate_takes_the_likeliest_token"
BEYOND = "test_generate_goes_on_beyond_the_context"
CALLS = "test_calls_do_not_disturb_each_other"
SHAPE = "test_shape_of_the_logits"
HIDE = ".masked_fill(later, -torch.inf)"
ATTEND = "h = h + self.attend(self.norm_1(h))"
MLP = "h = h + self.mlp(self.norm_2(h))"
POSITION = " + self.position(torch.arange(idx.shape[1]))"
BLOCKS = "[Block(d_model, num_heads) for _ in range(num_layers)]"
LOOP = "        for block in self.blocks:\n            h = block(h)\n"
END = "return self.head(self.norm(h))"
CROP = "self(idx[:, -self.context_length :])"
ARGMAX = "logits[:, -1].argmax(dim=-1, keepdim=True)"
STEP = "idx = torch.cat([idx, following], dim=1)"

MISTAKES = [
    # --- what a place may see
    Mistake(
        "not-causal",
        "Later tokens change earlier logits: there is no mask, it hides the wrong triangle, or it comes after the softmax. In training the model "
        "then copies the next token (the loss gets far too low); when it writes, there is no next token to copy. Hide the scores of later tokens "
        "before the softmax.",
        edits=[(HIDE, "")],
    ),
    Mistake(
        "positions-from-the-words",
        "The positions were looked up in the embedding of the words, which has vocab_size rows: with more places than words it ends in "
        "an IndexError. Give the positions an embedding of their own, with context_length rows.",
        caught_by=SHAPE,
        edits=[("self.position(torch.arange", "self.token(torch.arange")],
    ),
    Mistake(
        "as-many-words-as-width",
        "The embedding of the words has d_model rows: with more words than that it ends in an IndexError. It has one row for each word, "
        "nn.Embedding(vocab_size, d_model).",
        caught_by=SHAPE,
        edits=[("nn.Embedding(vocab_size, d_model)", "nn.Embedding(d_model, d_model)")],
    ),
    Mistake(
        "next-token-visible",
        "Each token sees the one right after it, which it has to predict. The hidden triangle begins right above the diagonal: diagonal=1.",
        edits=[("triu(diagonal=1)", "triu(diagonal=2)")],
    ),
    Mistake(
        "logits-shifted-back",
        "The logits were moved one place to the front: those at place i are made from the tokens 0 to i + 1, and token i + 1 is what they should "
        "predict. Don't move them; the training shifts the targets.",
        edits=[(END, "return self.head(self.norm(h)).roll(-1, dims=1)")],
    ),
    Mistake(
        "logits-shifted-on",
        "The logits were moved one place to the end: those at place i are made without token i. Don't move them; the training shifts the targets.",
        edits=[
            (
                END,
                "logits = self.head(self.norm(h))\n        return torch.cat([logits[:, :1] * 0, logits[:, :-1]], dim=1)",
            )
        ],
    ),
    Mistake(
        "logits-cut-off",
        "The logits of one place are missing. There is one row of logits for each token; the last row predicts what comes after the text.",
        caught_by=SHAPE,
        edits=[(END, "return self.head(self.norm(h))[:, :-1]")],
    ),
    Mistake(
        "more-than-logits",
        "forward returned more than the logits (a loss beside them, as some models do). Here it is one tensor.",
        caught_by=SHAPE,
        edits=[(END, "return self.head(self.norm(h)), None")],
    ),
    Mistake(
        "last-place-only",
        "Only the logits of the last place came back. In training every place predicts its next token: return them all.",
        caught_by=SHAPE,
        edits=[(END, "return self.head(self.norm(h[:, -1]))")],
    ),
    Mistake(
        "no-attention",
        "There is no attention: the logits at a place depend on the token at that place alone.",
        edits=[(f"        {ATTEND}\n", "")],
    ),
    # --- positions
    Mistake(
        "no-positions",
        "The model does not know positions: there are none, or all tokens get the same one. With one layer, two earlier tokens can change places "
        "and the logits stay the same (the loss hardly shows it). Add the position vectors of 0, 1, 2, … to the token vectors.",
        caught_by=ORDER,
        edits=[(POSITION, "")],
    ),
    Mistake(
        "positions-from-the-end",
        "The positions were counted from the end, so each new token moves all earlier ones. The first token has position 0, however long the text.",
        edits=[(POSITION, " + self.position(torch.arange(self.context_length)[-idx.shape[1] :])")],
    ),
    # --- layers
    Mistake(
        "no-residual",
        "A residual connection is missing, around the attention, around the mlp, or around both, so in a deep model the last token hardly changes "
        "the logits. Add each part's result to its input: h = h + part(norm(h)).",
        caught_by=DEEP,
        edits=[(ATTEND, ATTEND.replace("h + ", "")), (MLP, MLP.replace("h + ", ""))],
    ),
    Mistake(
        "layers-shared",
        "All layers share the same weights. `[layer] * num_layers` repeats one layer; make a new one for each.",
        caught_by=LAYERS,
        edits=[(BLOCKS, "[Block(d_model, num_heads)] * num_layers")],
    ),
    Mistake(
        "num-layers-ignored",
        "`num_layers` is not used: there is always the same number of layers.",
        caught_by=LAYERS,
        edits=[("range(num_layers)", "range(1)")],
    ),
    Mistake(
        "layers-unused",
        "Some layers get no gradient. Either not all of them are used (each works on what the one before it returned, h = block(h), and the return "
        "comes after the loop), or .detach(), .data or torch.no_grad() cuts the gradient off.",
        caught_by=LAYERS,
        edits=[(LOOP, "        h = self.blocks[-1](h)\n")],
    ),
    Mistake(
        "embedding-detached",
        "No gradient reaches the vectors of the tokens or of the positions: .detach(), .data or torch.no_grad() cuts it off. They learn, too.",
        caught_by=LAYERS,
        edits=[("self.token(idx)", "self.token(idx).detach()")],
    ),
    Mistake(
        "num-heads-ignored",
        "`num_heads` is not used. Split queries, keys and values into num_heads heads.",
        caught_by=LAYERS,
        edits=[(BLOCKS, "[Block(d_model, 1) for _ in range(num_layers)]")],
    ),
    Mistake(
        "layers-in-a-list",
        "The layers are in a plain Python list, so the module does not find their parameters, and they are not trained. Use nn.ModuleList.",
        caught_by=LAYERS,
        edits=[(f"nn.ModuleList({BLOCKS})", BLOCKS)],
    ),
    Mistake(
        "probabilities-returned",
        "Probabilities were returned. Return the logits: the loss takes the softmax itself.",
        caught_by=LEARNS,
        edits=[(END, "return F.softmax(self.head(self.norm(h)), dim=-1)")],
    ),
    # --- writing
    Mistake(
        "drawn-at-random",
        "The new tokens do not follow the logits of the last place: they were drawn at random, or other places had a say. Greedy means: always "
        "the one with the largest logit there.",
        caught_by=GREEDY,
        edits=[(ARGMAX, "torch.multinomial(logits[:, -1].softmax(-1), 1)")],
    ),
    Mistake(
        "one-token-repeated",
        "One new token was computed and repeated. Add each new token to the end of the text before you compute the next.",
        caught_by=GREEDY,
        edits=[
            ("for _ in range(max_new_tokens):", "prompt = idx\n        for _ in range(max_new_tokens):"),
            (CROP, "self(prompt[:, -self.context_length :])"),
        ],
    ),
    Mistake(
        "prompt-left-out",
        "Only the new tokens came back. The prompt belongs in front of them.",
        caught_by=GREEDY,
        edits=[
            ("for _ in range(max_new_tokens):", "given = idx.shape[1]\n        for _ in range(max_new_tokens):"),
            ("return idx\n", "return idx[:, given:]\n"),
        ],
    ),
    Mistake(
        "one-token-too-many",
        "There is one new token too many: max_new_tokens of them come after the prompt.",
        caught_by=GREEDY,
        edits=[("range(max_new_tokens)", "range(max_new_tokens + 1)")],
    ),
    Mistake(
        "new-token-in-front",
        "The new tokens were put in front of the text. They come after it.",
        caught_by=GREEDY,
        edits=[(STEP, "idx = torch.cat([following, idx], dim=1)")],
    ),
    Mistake(
        "not-cropped",
        "The model is shown a text longer than its context_length. Show it the last context_length tokens only.",
        caught_by=BEYOND,
        edits=[(CROP, "self(idx)")],
    ),
    Mistake(
        "cropped-at-the-end",
        "The model is shown the first context_length tokens of the text, so it never sees the new ones. Show it the last context_length tokens.",
        caught_by=BEYOND,
        edits=[(CROP, "self(idx[:, : self.context_length])")],
    ),
    Mistake(
        "text-cropped",
        "The text itself was cropped to context_length. Crop only what the model is shown; the whole text is returned.",
        caught_by=BEYOND,
        edits=[(STEP, STEP + "[:, -self.context_length :]")],
    ),
    # --- the library's layers
    Mistake(
        "batch-and-tokens-exchanged",
        "torch's own attention and layers take (tokens, batch, width) unless they are made with batch_first=True. Without it, different texts of "
        "the batch attend to each other.",
        edits=[
            (
                "self.qkv = nn.Linear(d_model, 3 * d_model)",
                "self.attention = nn.MultiheadAttention(d_model, num_heads)",
            ),
            ("        self.out = nn.Linear(d_model, d_model)\n", ""),
            (
                "        b, n, d = x.shape\n"
                "        q, k, v = self.qkv(x).view(b, n, 3, self.num_heads, d // self.num_heads).permute(2, 0, 3, 1, 4)\n",
                "        n = x.shape[1]\n",
            ),
            (
                "        scores = (q @ k.mT / (d // self.num_heads) ** 0.5).masked_fill(later, -torch.inf)\n"
                "        weights = F.softmax(scores, dim=-1)\n"
                "        return self.out((weights @ v).transpose(1, 2).reshape(b, n, d))\n",
                "        return self.attention(x, x, x, attn_mask=later)[0]\n",
            ),
        ],
    ),
    # --- manners
    Mistake(
        "one-norm-for-the-batch",
        "A mean or standard deviation is taken over the whole batch, so a text gets other logits alone than in a batch. Take it over the last axis, "
        "for each token by itself (nn.LayerNorm does).",
        caught_by=CALLS,
        edits=[("h = self.token(idx)", "h = self.token(idx) / self.token(idx).std()")],
    ),
    kept.in_evaluation(CALLS, forward="def forward(self, idx"),
]
