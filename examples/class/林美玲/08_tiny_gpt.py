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


# BEGIN STUB
# # Your own TransformerBlock stands here, or other classes that you want.
# END STUB


import math


class CausalSelfAttention(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd)
        self.c_proj = nn.Linear(n_embd, n_embd)
        self.n_head, self.n_embd = n_head, n_embd

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q, k, v = (t.view(B, T, self.n_head, C // self.n_head).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


class MLP(nn.Module):
    def __init__(self, n_embd):
        super().__init__()
        self.c_fc = nn.Linear(n_embd, 4 * n_embd)
        self.c_proj = nn.Linear(4 * n_embd, n_embd)

    def forward(self, x):
        return self.c_proj(F.gelu(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, n_embd, n_head, block_size):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)
        self.attn, self.mlp = CausalSelfAttention(n_embd, n_head, block_size), MLP(n_embd)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))


class TinyGPT(nn.Module):
    """Learned positions, pre-norm, tied weights, GPT-2's small initial weights."""

    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.block_size = context_length
        self.transformer = nn.ModuleDict(
            dict(
                wte=nn.Embedding(vocab_size, d_model),
                wpe=nn.Embedding(context_length, d_model),
                h=nn.ModuleList([Block(d_model, num_heads, context_length) for _ in range(num_layers)]),
                ln_f=nn.LayerNorm(d_model),
            )
        )
        self.lm_head = nn.Linear(d_model, vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)
        for name, p in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * num_layers))

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, idx):
        b, t = idx.size()
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            x = block(x)
        return self.lm_head(self.transformer.ln_f(x))

    @torch.no_grad()
    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            idx_cond = idx if idx.size(1) <= self.block_size else idx[:, -self.block_size :]
            idx = torch.cat((idx, self(idx_cond)[:, -1, :].argmax(-1, keepdim=True)), dim=1)
        return idx
