# right: combines the blocks' own softmaxes with weights from logsumexp and logaddexp
import torch


def tiled_attention(query, key, value, block_size):
    q = query / query.shape[-1] ** 0.5
    lse = out = None
    for k, v in zip(key.split(block_size, -2), value.split(block_size, -2)):
        s = q @ k.mT
        here = torch.logsumexp(s, -1, keepdim=True)
        o = torch.exp(s - here) @ v
        if lse is None:
            lse, out = here, o
        else:
            both = torch.logaddexp(lse, here)
            out = out * torch.exp(lse - both) + o * torch.exp(here - both)
            lse = both
    return out
