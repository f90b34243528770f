ALTERNATIVES = {
    "as_in_nanogpt": '''\
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
''',
    "attention_only": '''\
class Head(nn.Module):
    def __init__(self, d_model, width):
        super().__init__()
        self.query = nn.Linear(d_model, width, bias=False)
        self.key = nn.Linear(d_model, width, bias=False)
        self.value = nn.Linear(d_model, width, bias=False)

    def forward(self, x):
        scores = torch.einsum("bid,bjd->bij", self.query(x), self.key(x)) / self.key.out_features**0.5
        visible = torch.tril(torch.ones_like(scores))
        scores = scores.masked_fill(visible == 0, -1e9)
        return scores.softmax(dim=-1) @ self.value(x)


class Block(nn.Module):
    """Heads one by one; zeros at the end, so that it begins as the identity; no mlp."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.heads = nn.ModuleList([Head(d_model, d_model // num_heads) for _ in range(num_heads)])
        self.join = nn.Linear(d_model, d_model)
        nn.init.zeros_(self.join.weight)

    def forward(self, x):
        normed = self.norm(x)
        return x + self.join(torch.cat([head(normed) for head in self.heads], dim=-1))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.embedding = nn.Parameter(torch.randn(vocab_size, d_model) * d_model**-0.5)
        self.positions = nn.Parameter(torch.randn(context_length, d_model) * 0.1)
        self.blocks = nn.Sequential(*[Block(d_model, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(d_model)

    def forward(self, idx):
        x = self.embedding[idx] + self.positions[: idx.shape[1]]
        return self.norm(self.blocks(x)) @ self.embedding.T

    def generate(self, idx, max_new_tokens):
        if max_new_tokens == 0:
            return idx
        with torch.no_grad():
            following = self(idx[:, -self.context_length :])[:, -1:].argmax(2)
        return self.generate(torch.cat([idx, following], 1), max_new_tokens - 1)
''',
    "distance_biases_with_tied_head": """\
# scores fall with distance (ALiBi), and the head has the weights of the words
class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.n1, self.n2 = h, nn.LayerNorm(d), nn.LayerNorm(d)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d, bias=False), nn.GELU(), nn.Linear(4 * d, d, bias=False))

    def attend(self, x):
        b, n, d = x.shape
        q, k, v = (f(x).view(b, n, self.h, d // self.h).transpose(1, 2) for f in (self.q, self.k, self.v))
        place = torch.arange(n)
        distance = (place[:, None] - place).to(x.dtype)
        slopes = torch.tensor([2.0 ** -(head + 1) for head in range(self.h)], dtype=x.dtype)
        scores = q @ k.mT / (d // self.h) ** 0.5 - distance * slopes[:, None, None]
        y = scores.masked_fill(distance < 0, float("-inf")).softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, n, d))

    def forward(self, x):
        x = x + self.attend(self.n1(x))
        return x + self.mlp(self.n2(x))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.words = nn.Embedding(vocab_size, d_model)
        self.blocks = nn.Sequential(*[Block(d_model, num_heads) for _ in range(num_layers)])
        self.norm = nn.LayerNorm(d_model)
        for m in self.modules():
            if isinstance(m, (nn.Linear, nn.Embedding)):
                nn.init.normal_(m.weight, std=0.1)

    def forward(self, idx):
        return self.norm(self.blocks(self.words(idx))) @ self.words.weight.T

    @torch.no_grad()
    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            last = self(idx[:, -self.context_length :])[:, -1]
            idx = torch.cat([idx, last.argmax(-1, keepdim=True)], 1)
        return idx
""",
    "library_layers_with_dropout": '''\
class Block(nn.TransformerEncoderLayer):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads, 4 * d_model, batch_first=True, norm_first=True)


class TinyGPT(nn.Module):
    """torch's own layers, with their dropout of 0.1; generate() turns it off."""

    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.token, self.place = nn.Embedding(vocab_size, d_model), nn.Embedding(context_length, d_model)
        layer = Block(d_model, num_heads)
        self.body = nn.TransformerEncoder(layer, num_layers, norm=nn.LayerNorm(d_model), enable_nested_tensor=False)
        self.head = nn.Linear(d_model, vocab_size)

    def forward(self, idx):
        n = idx.size(1)
        mask = nn.Transformer.generate_square_subsequent_mask(n, dtype=self.head.weight.dtype)
        h = self.token(idx) + self.place(torch.arange(n))
        return self.head(self.body(h, mask=mask, is_causal=True))

    def generate(self, idx, max_new_tokens):
        self.eval()
        with torch.no_grad():
            for _ in range(max_new_tokens):
                logits = self(idx[:, -self.context_length :])[:, -1]
                idx = torch.hstack([idx, logits.softmax(-1).argmax(-1)[:, None]])
        return idx
''',
    "llama_style": '''\
class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def rotary(x):
    n, d = x.shape[-2:]
    angle = torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)


class Block(nn.Module):
    """One key head for all query heads, rotary positions, gated mlp, no bias anywhere."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, self.head_dim, bias=False)
        self.wv = nn.Linear(dim, self.head_dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.gate = nn.Linear(dim, 3 * dim, bias=False)
        self.up = nn.Linear(dim, 3 * dim, bias=False)
        self.down = nn.Linear(3 * dim, dim, bias=False)
        self.attention_norm, self.ffn_norm = RMSNorm(dim), RMSNorm(dim)

    def forward(self, x):
        h = self.attention_norm(x)
        q = rotary(self.wq(h).unflatten(2, (self.heads, -1)).transpose(1, 2))
        k, v = rotary(self.wk(h)[:, None]), self.wv(h)[:, None]
        scores = (q @ k.transpose(2, 3)) * self.head_dim**-0.5
        scores += torch.full(scores.shape[-2:], float("-inf")).triu(1)
        x = x + self.wo((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
        h = self.ffn_norm(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.tok_embeddings = nn.Embedding(vocab_size, d_model)
        self.layers = nn.Sequential(*[Block(d_model, num_heads) for _ in range(num_layers)])
        self.norm, self.output = RMSNorm(d_model), nn.Linear(d_model, vocab_size, bias=False)
        self.context_length = context_length

    def forward(self, idx):
        return self.output(self.norm(self.layers(self.tok_embeddings(idx))))

    @torch.inference_mode()
    def generate(self, idx, max_new_tokens):
        out = idx.new_empty(idx.shape[0], idx.shape[1] + max_new_tokens)
        out[:, : idx.shape[1]] = idx
        for i in range(idx.shape[1], out.shape[1]):
            out[:, i] = self(out[:, max(0, i - self.context_length) : i])[:, -1].max(dim=-1).indices
        return out.clone()
''',
    "post_norm_from_small_numbers": """\
# norms behind, ReLU, everything drawn small: before it has read anything, places hardly count
import math


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.to_query = nn.Linear(width, width)
        self.to_key = nn.Linear(width, width)
        self.to_value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        query, key, value = self.split(self.to_query(x)), self.split(self.to_key(x)), self.split(self.to_value(x))
        seen = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril()
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.shape[-1])
        weights = torch.softmax(scores.masked_fill(~seen, -torch.inf), dim=-1)
        return self.out(torch.matmul(weights, value).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention = SelfAttention(width, heads)
        self.norm1 = nn.LayerNorm(width)
        self.linear1, self.linear2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x):
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.linear2(torch.relu(self.linear1(x))))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.longest = context_length
        self.token, self.position = nn.Embedding(vocab_size, d_model), nn.Embedding(context_length, d_model)
        self.layers = nn.ModuleList([Block(d_model, num_heads) for _ in range(num_layers)])
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size)
        self.apply(self.draw_small)

    @staticmethod
    def draw_small(part):
        if isinstance(part, (nn.Linear, nn.Embedding)):
            nn.init.normal_(part.weight, std=0.02)

    def forward(self, idx):
        x = self.token(idx) + self.position(torch.arange(idx.shape[1]))
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))

    def generate(self, idx, max_new_tokens):
        with torch.no_grad():
            for _ in range(max_new_tokens):
                logits = self(idx[:, max(0, idx.shape[1] - self.longest) :])
                idx = torch.cat((idx, logits[:, -1:].argmax(dim=-1)), dim=1)
        return idx
""",
    "post_norm_sinusoidal": '''\
import math


class Block(nn.Module):
    """As in the first transformer: the norm comes after the sum."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.one, self.two = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, mask):
        mixed, _ = self.attention(x, x, x, attn_mask=mask, need_weights=False)
        x = self.one(x + mixed)
        return self.two(x + self.narrow(self.wide(x).relu()))


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        speed = torch.exp(-math.log(10000.0) * torch.arange(0, d_model, 2) / d_model)
        angle = torch.arange(context_length)[:, None] * speed
        self.register_buffer("places", torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1))
        self.register_buffer("later", torch.ones(context_length, context_length).triu(1).bool())
        self.layers = nn.ModuleList(Block(d_model, num_heads) for _ in range(num_layers))
        self.to_vocabulary = nn.Linear(d_model, vocab_size)
        self.width, self.longest = d_model, context_length

    def forward(self, idx):
        n = idx.shape[1]
        x = self.embedding(idx) * math.sqrt(self.width) + self.places[:n]
        for layer in self.layers:
            x = layer(x, self.later[:n, :n])
        return self.to_vocabulary(x)

    def generate(self, idx, max_new_tokens):
        tokens = idx.clone()
        while tokens.shape[1] < idx.shape[1] + max_new_tokens:
            best = torch.topk(self.forward(tokens[:, -self.longest :])[:, -1], 1).indices
            tokens = torch.cat([tokens, best], dim=-1)
        return tokens
''',
    "with_a_cache": '''\
class Block(nn.Module):
    """Attention and mlp beside each other, on the same normed input; a linear bias of the distance tells positions."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.join = nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.register_buffer("slope", 2.0 ** -torch.arange(1.0, heads + 1), persistent=False)

    def forward(self, h, past=None):
        x = self.norm(h)
        q, k, v = (t.unflatten(2, (self.heads, -1)).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        total, n = k.shape[2], q.shape[2]
        back = torch.arange(total - n, total)[:, None] - torch.arange(total)
        bias = (-self.slope[:, None, None] * back).masked_fill(back < 0, float("-inf"))
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=bias[None].to(q.dtype))
        return h + self.join(mixed.transpose(1, 2).flatten(2)) + self.down(F.gelu(self.up(x))), (k, v)


class TinyGPT(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, num_layers, context_length):
        super().__init__()
        self.context_length = context_length
        self.embed = nn.Embedding(vocab_size, d_model)
        self.layers = nn.ModuleList(Block(d_model, num_heads) for _ in range(num_layers))
        self.norm, self.head = nn.LayerNorm(d_model), nn.Linear(d_model, vocab_size)

    def run(self, idx, pasts):
        h, kept = self.embed(idx), []
        for layer, past in zip(self.layers, pasts):
            h, new = layer(h, past)
            kept.append(new)
        return self.head(self.norm(h)), kept

    def forward(self, idx):
        return self.run(idx, [None] * len(self.layers))[0]

    @torch.no_grad()
    def generate(self, idx, max_new_tokens):
        """The cache is used as long as everything fits; after that each step starts anew."""
        text, new, pasts = idx, idx[:, -self.context_length :], [None] * len(self.layers)
        for _ in range(max_new_tokens):
            logits, pasts = self.run(new, pasts)
            new = logits[:, -1:].argmax(-1)
            text = torch.cat([text, new], dim=1)
            if text.shape[1] > self.context_length:
                new, pasts = text[:, -self.context_length :], [None] * len(self.layers)
        return text
''',
}
