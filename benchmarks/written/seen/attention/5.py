# slip: the dropout is applied twice, to the weights and to the output
import torch


def attention(query, key, value, dropout=None):
    if dropout is None:
        dropout = lambda t: t
    dim = query.shape[-1]
    sim = torch.matmul(query * dim**-0.5, key.transpose(-2, -1))
    sim = sim - sim.amax(dim=-1, keepdim=True).detach()
    attn = sim.softmax(dim=-1)
    attn = dropout(attn)
    out = torch.matmul(attn, value)
    return dropout(out), attn
