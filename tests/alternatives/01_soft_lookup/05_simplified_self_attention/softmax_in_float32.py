import torch.nn.functional as F


def simplified_self_attention(x):
    query = key = value = x
    attn_scores = query @ key.transpose(-2, -1)
    attn_weights = F.softmax(attn_scores.float(), dim=-1).type_as(x)
    return attn_weights @ value
