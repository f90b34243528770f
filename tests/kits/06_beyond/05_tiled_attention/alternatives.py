ALTERNATIVES = {
    "all_blocks_then_together": """\
# numbers of every block first, put together at the end
def tiled_attention(query, key, value, block_size):
    maxima, sums, outs = [], [], []
    for k, v in zip(key.split(block_size, -2), value.split(block_size, -2)):
        s = (query @ k.transpose(-2, -1)) / query.shape[-1] ** 0.5
        m = s.amax(-1)
        e = (s - m[..., None]).exp()
        maxima.append(m)
        sums.append(e.sum(-1))
        outs.append(e @ v)
    m = torch.stack(maxima)
    w = torch.exp(m - m.amax(0))
    total = (torch.stack(sums) * w).sum(0)
    out = (torch.stack(outs) * w[..., None]).sum(0)
    return out / total[..., None]
""",
    "in_place_with_double_sums": """\
def tiled_attention(query, key, value, block_size):
    q, k, v = query.double(), key.double(), value.double()
    m = q.new_full(q.shape[:-1], -float("inf"))
    l = torch.zeros_like(m)
    acc = q.new_zeros(q.shape[:-1] + v.shape[-1:])
    for i in range(0, k.size(-2), block_size):
        kb, vb = k[..., i : i + block_size, :], v[..., i : i + block_size, :]
        s = q.matmul(kb.transpose(-1, -2)) * q.size(-1) ** -0.5
        new = torch.maximum(m, s.max(-1).values)
        alpha = torch.exp(m - new)
        p = torch.exp(s - new.unsqueeze(-1))
        l *= alpha
        l += p.sum(-1)
        acc *= alpha.unsqueeze(-1)
        acc += p @ vb
        m = new
    acc /= l.unsqueeze(-1)
    return acc.to(query.dtype)
""",
    "key_by_key_sums_in_one": '''\
import torch.nn.functional as F


def tiled_attention(query, key, value, block_size):
    """A column of ones beside the values: the total is summed up with the output. Padded keys are sent to -inf."""
    lead, lk = query.shape[:-2], key.shape[-2]
    pad = -lk % block_size
    key, value = F.pad(key, (0, 0, 0, pad)), F.pad(F.pad(value, (0, 1), value=1.0), (0, 0, 0, pad))
    number = torch.arange(lk + pad)
    running = torch.full((*lead, query.shape[-2]), torch.finfo(query.dtype).min, dtype=query.dtype)
    acc = query.new_zeros(*lead, query.shape[-2], value.shape[-1])
    begin = 0
    while begin < lk:
        end = begin + block_size
        scores = torch.matmul(query, key[..., begin:end, :].mT).mul(1 / query.shape[-1] ** 0.5)
        scores = scores.masked_fill(number[begin:end] >= lk, float("-inf"))
        top = torch.max(running, scores.detach().max(-1).values)
        acc = acc * (running - top).exp()[..., None]
        acc = acc + torch.matmul((scores - top[..., None]).exp(), value[..., begin:end, :])
        running, begin = top, end
    return acc[..., :-1] / acc[..., -1:]
''',
    "logsumexp_of_blocks": '''\
def tiled_attention(query, key, value, block_size):
    """Each block has its own softmax; the blocks are then weighed by their logsumexp."""
    parts, weights = [], []
    for k, v in zip(torch.split(key, block_size, -2), torch.split(value, block_size, -2)):
        scores = torch.einsum("...id,...jd->...ij", query * query.shape[-1] ** -0.5, k)
        parts.append(scores.softmax(-1) @ v)
        weights.append(scores.logsumexp(-1))
    weights = torch.stack(weights, 0).softmax(0)
    return (torch.stack(parts, 0) * weights[..., None]).sum(0)
''',
    "merged_in_pairs": '''\
def _attend(query, key, value, block_size):
    """(log of the sum of exps, result) of some keys; a longer list is cut in two."""
    if key.shape[-2] <= block_size:
        scores = query @ key.mT
        log = torch.logsumexp(scores, dim=-1, keepdim=True)
        return log, (scores - log).exp() @ value
    middle = (key.shape[-2] // block_size + 1) // 2 * block_size
    one, a = _attend(query, key[..., :middle, :], value[..., :middle, :], block_size)
    two, b = _attend(query, key[..., middle:, :], value[..., middle:, :], block_size)
    log = torch.logaddexp(one, two)
    return log, (one - log).exp() * a + (two - log).exp() * b


def tiled_attention(query, key, value, block_size):
    return _attend(query / query.shape[-1] ** 0.5, key, value, block_size)[1]
''',
    "one_query_at_a_time": '''\
def tiled_attention(query, key, value, block_size):
    """A row of scores belongs to one query: each is done with before the next."""
    rows = []
    for i in range(query.shape[-2]):
        scores = (key @ query[..., i, :, None])[..., 0] / query.shape[-1] ** 0.5
        rows.append((scores.softmax(-1)[..., None] * value).sum(-2))
    return torch.stack(rows, dim=-2)
''',
    "queries_in_blocks_too": """\
import math


def tiled_attention(query, key, value, block_size):
    results = []
    for q in query.split(block_size, dim=-2):
        m = torch.full_like(q[..., :1], -1e9)
        l = torch.zeros_like(m)
        o = torch.zeros(*q.shape[:-1], value.shape[-1], dtype=value.dtype)
        for j in range(math.ceil(key.size(-2) / block_size)):
            k = key[..., j * block_size : (j + 1) * block_size, :]
            v = value[..., j * block_size : (j + 1) * block_size, :]
            s = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1))
            m_new = torch.maximum(m, s.max(dim=-1, keepdim=True)[0])
            p = torch.exp(s - m_new)
            l = torch.exp(m - m_new) * l + p.sum(-1, keepdim=True)
            # as in FlashAttention's first version: the output stays divided all the time
            o = o * torch.exp(m - m_new)
            o = o + torch.matmul(p, v)
            m = m_new
        results.append(o / l)
    return torch.cat(results, dim=-2)
""",
    "two_passes": '''\
def tiled_attention(query, key, value, block_size):
    """The first pass finds maximum and sum, the second one adds up the weighted values."""
    root = query.shape[-1] ** 0.5
    keys, values = key.split(block_size, dim=-2), value.split(block_size, dim=-2)
    maxima = [(query @ k.mT / root).amax(-1) for k in keys]
    top = torch.stack(maxima).amax(0).unsqueeze(-1)
    total = sum((query @ k.mT / root - top).exp().sum(-1, keepdim=True) for k in keys)
    return sum((query @ k.mT / root - top).exp() / total @ v for k, v in zip(keys, values))
''',
}
