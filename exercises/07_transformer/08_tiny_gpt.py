"""A tiny GPT: token by token, it learns what comes next, and then it writes by itself.

    h = token vectors + position vectors
    for each of the layers:                       each with weights of its own
        h = h + attention(norm(h))                causal, several heads
        h = h + mlp(norm(h))                      the same for every token by itself
    logits = head(norm(h))

    idx      (b, n)              batch, tokens: whole numbers below vocab_size; n is at most context_length
    h        (b, n, d_model)     batch, tokens, width
    logits   (b, n, vocab_size)  batch, tokens, vocabulary: those at place i predict what follows token i

    generate(idx, max_new_tokens)    (b, n) -> (b, n + max_new_tokens): the prompt, then the new tokens
                                     always the one with the largest logit (greedy). The text may be longer than
                                     context_length, or become so: the model is shown its last context_length tokens

Document: none of the five; it is the model that hacktricks, day-15 and happy-llm are on the way to. The plan is that of
"Language Models are Unsupervised Multitask Learners" (GPT-2), small enough to be trained while you wait:

    >>> model = TinyGPT(vocab_size=10, d_model=16, num_heads=4, num_layers=2, context_length=8)
    >>> model(torch.randint(10, (3, 5))).shape
    torch.Size([3, 5, 10])
    >>> model.generate(torch.randint(10, (3, 5)), max_new_tokens=6).shape
    torch.Size([3, 11])

The names of the parts are yours, and so is what is not said here: where the norms are, how positions are told, how wide
the mlp is, how weights are drawn. There are gradients for all of them, and in eval() each call stands for itself.

The checks train TinyGPT(26, 32, 4, 2, 12) on a song of 26 words: 60 steps of AdamW (140 if these are not enough), each
with 16 windows of 12 words, rate 0.008, cross-entropy. Then the model is shown windows of another part. One word there
can only be told by looking further back than the last; its loss has to fall below 0.6 · ln 6 = 1.08 nats, where a model
that sees one word can't get below ln 6 = 1.79.
"""

import torch
import torch.nn.functional as F
from torch import nn


# Your own TransformerBlock stands here, or other classes that you want.


class TinyGPT(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, num_heads: int, num_layers: int, context_length: int):
        super().__init__()
        raise NotImplementedError("TinyGPT.__init__: still to write")

    def forward(self, idx: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError("TinyGPT.forward: still to write")

    @torch.no_grad()
    def generate(self, idx: torch.Tensor, max_new_tokens: int) -> torch.Tensor:
        raise NotImplementedError("TinyGPT.generate: still to write")
