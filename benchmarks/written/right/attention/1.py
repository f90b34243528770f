# right: torch.baddbmm with beta=0 on flattened leading axes
import torch


def attention(query, key, value, dropout=None):
    lead = query.shape[:-2]
    Lq, d = query.shape[-2:]
    Lk, dv = value.shape[-2:]
    q = query.reshape(-1, Lq, d)
    k = key.reshape(-1, Lk, d)
    v = value.reshape(-1, Lk, dv)
    empty = q.new_zeros(q.shape[0], Lq, Lk)
    logits = torch.baddbmm(empty, q, k.permute(0, 2, 1), beta=0, alpha=d**-0.5)
    p = logits.log_softmax(-1).exp().reshape(*lead, Lq, Lk)
    if dropout is not None:
        p = dropout(p)
    out = torch.bmm(p.reshape(-1, Lq, Lk), v)
    return out.reshape(*lead, Lq, dv), p
