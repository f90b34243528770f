import torch


def simplified_self_attention(x):
    n, d = x.shape[-2:]
    flat = x.reshape(-1, n, d)
    attn = torch.bmm(flat, flat.permute(0, 2, 1))
    attn = torch.softmax(attn, dim=2)
    return torch.bmm(attn, flat).view(x.shape)
