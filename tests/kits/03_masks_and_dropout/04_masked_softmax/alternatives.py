ALTERNATIVES = {
    "additive_infinity": """\
import torch.nn.functional as F


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    seqlen = scores.shape[-2]
    additive = torch.zeros(mask.shape)
    additive[mask] = float("-inf")
    # float16 + float32 is float32
    shifted = scores + additive[None, :seqlen, :seqlen].squeeze(0)
    return F.softmax(shifted.float(), dim=-1).type_as(scores)
""",
    "additive_minus_1e9": """\
import torch.nn.functional as F


def masked_softmax(scores, mask):
    n = scores.size(-1)
    # True * -1e9 is a float32 tensor, so half-precision scores are lifted here
    penalised = scores + mask[:n, :n] * -1e9
    return F.softmax(penalised, dim=-1).type_as(scores)
""",
    "by_hand_with_a_row_maximum": """\
def masked_softmax(scores, mask):
    n = scores.shape[-1]
    visible = mask.narrow(0, 0, n).narrow(1, 0, n).logical_not()
    wide = scores.to(torch.float32)
    s = wide.masked_fill(~visible, -1e6)
    e = torch.exp(s - s.amax(-1, keepdim=True)) * visible
    w = e / e.sum(-1, keepdim=True)
    return torch.nan_to_num(w).to(scores)
""",
    "finfo_min_of_its_own_dtype": """\
def masked_softmax(scores, mask):
    n = scores.shape[-1]
    fill = torch.finfo(scores.dtype).min
    filled = torch.where(mask[:n, :n], torch.full_like(scores, fill), scores)
    return torch.softmax(filled, -1, dtype=torch.float32).to(dtype=scores.dtype)
""",
    "fused_attention_on_the_identity": """\
import torch.nn.functional as F


def masked_softmax(scores, mask):
    n = scores.shape[-1]
    ones = torch.eye(n).expand(*scores.shape[:-2], n, n)
    seen = ~mask[:n, :n]
    return F.scaled_dot_product_attention(scores.float(), ones, ones, attn_mask=seen, scale=1.0).to(scores.dtype)
""",
    "in_place_on_a_clone": """\
def masked_softmax(scores, mask):
    work = scores.clone().float()
    n = work.size(-1)
    work.masked_fill_(mask[..., :n, :n].expand_as(work), -torch.inf)
    return work.softmax(work.dim() - 1).to(scores.dtype)
""",
    "index_put_in_double": """\
def masked_softmax(scores, mask):
    n = scores.shape[-1]
    wide = 1.0 * scores.double()
    wide[..., mask[:n, :n]] = -1e20
    return torch.softmax(wide, dim=-1).to(scores.dtype)
""",
    "log_space": """\
def masked_softmax(scores, mask):
    n = scores.shape[-1]
    visible = (mask == False)[:n, :n].float()  # noqa: E712
    s = scores.float() + torch.log(visible)
    return (s - s.logsumexp(-1, keepdim=True)).exp().to(scores.dtype)
""",
    "minus_1e4_in_half_precision": """\
from torch import nn


def masked_softmax(scores, mask):
    rows, columns = scores.shape[-2:]
    scores = scores.masked_fill(mask[:rows, :columns], -1e4)
    return nn.Softmax(dim=-1)(scores)
""",
    "row_by_row_over_the_visible": '''\
def masked_softmax(scores, mask):
    """Every query by itself: softmax over what it may see, the rest stays 0."""
    weights = torch.zeros_like(scores)
    for query in range(scores.shape[-1]):
        seen = [key for key in range(scores.shape[-1]) if not mask[query, key]]
        weights[..., query, seen] = scores[..., query, seen].float().softmax(-1).to(weights.dtype)
    return weights
''',
    "subtract_5000": """\
def masked_softmax(scores, mask):
    n = scores.shape[-1]
    return (scores.float() - 5000.0 * mask[:n, :n].float()).softmax(-1).to(scores.dtype)
""",
    "torch_masked": """\
from torch import masked


def masked_softmax(scores, mask):
    n = scores.shape[-1]
    visible = ~mask[:n, :n].expand(scores.shape)
    return masked.softmax(scores, -1, mask=visible, dtype=torch.float32).to(scores.dtype)
""",
}
