"""Attention block by block: exact, and the matrix of all scores is never made.

    for each block of keys and values:
        scores   = query · key_of_the_blockᵀ / √d
        maximum  grows to the largest score so far
        total    = total  · exp(old maximum - new maximum) + the sum of exp(scores - new maximum)
        output   = output · exp(old maximum - new maximum) + exp(scores - new maximum) · value_of_the_block
    result = output / total

    query       (…, Lq, d)    …, queries, width
    key         (…, Lk, d)    …, keys, width
    value       (…, Lk, dv)   …, keys, width of the values
    block_size  how many keys are looked at together, 1 or more; it need not divide Lk, and may be larger
    scores      (…, Lq, block_size)    of one block
    returns     (…, Lq, dv)   what softmax(query · keyᵀ / √d) · value gives; nothing is masked

Document: "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", the softmax that is corrected
as it goes along ("Online normalizer calculation for softmax").

    >>> value = torch.tensor([[1.0], [2.0], [4.0], [8.0], [16.0]])
    >>> tiled_attention(torch.zeros(1, 2), torch.zeros(5, 2), value, block_size=2)     # all weigh the same: 31 / 5
    tensor([[6.2000]])

No single tensor may be made on the way that holds Lq · Lk numbers or more for one index of the leading axes, however
they are laid out: no matrix of all scores, weights or hidden places, no blocks stacked again, nothing expanded to that
size. Several small ones are fine, in a list as well. It is tested where nothing that belongs to a block comes near. One
query at a time is a legal tiling, too. Scores go up to ±1000. The library's attention is not allowed here.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


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
