# slip: the total is not rescaled when the maximum grows (the output is)
import math

import torch


def flash_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    block_q: int,
    block_k: int,
    causal: bool = False,
) -> tuple[torch.Tensor, torch.Tensor]:
    N, M, d = query.shape[-2], key.shape[-2], query.shape[-1]
    O, L = [], []
    for i0 in range(0, N, block_q):
        i1 = min(i0 + block_q, N)
        Qi = query[..., i0:i1, :]
        mi = li = Oi = None
        for j0 in range(0, M, block_k):
            j1 = min(j0 + block_k, M)
            if causal and j0 > i1 - 1 + M - N:
                continue
            Sij = Qi @ key[..., j0:j1, :].mT / math.sqrt(d)
            if causal:
                hidden = torch.arange(j0, j1)[None] > torch.arange(i0, i1)[:, None] + (M - N)
                Sij = Sij.masked_fill(hidden, float("-inf"))
            mij = Sij.amax(-1, keepdim=True)
            mnew = mij if mi is None else torch.maximum(mi, mij)
            Pij = torch.exp(Sij - mnew)
            if mi is None:
                li = Pij.sum(-1, keepdim=True)
                Oi = Pij @ value[..., j0:j1, :]
            else:
                li = li + Pij.sum(-1, keepdim=True)
                Oi = torch.exp(mi - mnew) * Oi + Pij @ value[..., j0:j1, :]
            mi = mnew
        O.append(Oi / li)
        L.append((mi + torch.log(li))[..., 0])
    return torch.cat(O, dim=-2), torch.cat(L, dim=-1)
