# slip: the returned weights are detached, no gradient flows through them
import torch
import torch.nn.functional as F


def attention(query, key, value, dropout=None):
    attn_logits = torch.matmul(query, key.transpose(-1, -2))
    attn_logits = attn_logits / (query.size(-1) ** 0.5)
    attention_weights = F.softmax(attn_logits, dim=-1)
    if dropout is not None:
        attention_weights = dropout(attention_weights)
    values = torch.matmul(attention_weights, value)
    return values, attention_weights.detach()
