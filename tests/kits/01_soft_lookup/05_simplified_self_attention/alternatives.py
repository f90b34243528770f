ALTERNATIVES = {
    "columns_of_the_symmetric_table": """\
def simplified_self_attention(x):
    # XXᵀ is symmetric: softmax down the columns is the transpose of the softmax along the rows
    scores = torch.matmul(x, x.transpose(-1, -2))
    columns = torch.softmax(scores, dim=-2)
    return columns.transpose(-1, -2) @ x
""",
    "einsum": """\
def simplified_self_attention(x):
    scores = torch.einsum("...id,...jd->...ij", x, x)
    return torch.einsum("...ij,...jd->...id", scores.softmax(-1), x)
""",
    "flattened_bmm": """\
def simplified_self_attention(x):
    n, d = x.shape[-2:]
    flat = x.reshape(-1, n, d)
    attn = torch.bmm(flat, flat.permute(0, 2, 1))
    attn = torch.softmax(attn, dim=2)
    return torch.bmm(attn, flat).view(x.shape)
""",
    "fused": """\
import torch.nn.functional as F


def simplified_self_attention(x):
    return F.scaled_dot_product_attention(x, x, x, scale=1.0)
""",
    "fused_with_the_scale_undone": """\
import math


def simplified_self_attention(x):
    q = x * math.sqrt(x.size(-1))
    return torch.nn.functional.scaled_dot_product_attention(q, x, x)
""",
    "own_softmax": """\
def softmax(scores, dim=-1):
    e = torch.exp(scores - scores.amax(dim, keepdim=True))
    return e / e.sum(dim, keepdim=True)


def simplified_self_attention(x: torch.Tensor) -> torch.Tensor:
    return softmax(x @ x.mT).matmul(x)
""",
    "plain_exp_divided_at_the_end": """\
def simplified_self_attention(x):
    e = torch.exp(torch.matmul(x, x.swapaxes(-1, -2)))
    return (e @ x) / e.sum(dim=-1, keepdim=True)
""",
    "recursion_word_by_word": """\
def _context(query, inputs):
    return torch.softmax(inputs @ query, dim=0) @ inputs


def simplified_self_attention(x):
    if x.dim() > 2:
        return torch.stack([simplified_self_attention(part) for part in x])
    return torch.stack([_context(word, x) for word in x])
""",
    "softmax_in_float32": """\
import torch.nn.functional as F


def simplified_self_attention(x):
    query = key = value = x
    attn_scores = query @ key.transpose(-2, -1)
    attn_weights = F.softmax(attn_scores.float(), dim=-1).type_as(x)
    return attn_weights @ value
""",
    "vmap": """\
def _one(x):
    return torch.softmax(x @ x.T, dim=1) @ x


def simplified_self_attention(x):
    attend = _one
    for _ in range(x.dim() - 2):
        attend = torch.vmap(attend)
    return attend(x)
""",
    "written_into_a_new_tensor": """\
def simplified_self_attention(x):
    out = torch.zeros_like(x)
    for i in range(x.shape[-2]):
        scores = (x[..., i : i + 1, :] * x).sum(-1)
        w = scores.softmax(-1).unsqueeze(-1)
        out[..., i, :] = (w * x).sum(-2)
    return out
""",
}
