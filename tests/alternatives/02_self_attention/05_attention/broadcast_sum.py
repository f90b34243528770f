import torch


def _softmax(scores):
    e = torch.exp(scores)
    return e / e.sum(dim=-1, keepdim=True)


def attention(query, key, value, dropout=None):
    assert query.shape[-1] == key.shape[-1]
    scores = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1).mul(torch.rsqrt(torch.tensor(query.shape[-1])).item())
    p_attn = _softmax(scores)
    match dropout:
        case None:
            pass
        case _:
            p_attn = dropout(p_attn)
    return (p_attn.unsqueeze(-1) * value.unsqueeze(-3)).sum(-2), p_attn
