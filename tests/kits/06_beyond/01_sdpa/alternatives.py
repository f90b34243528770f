ALTERNATIVES = {
    "additive_mask": """\
from torch.nn.functional import scaled_dot_product_attention as attend


def sdpa(query, key, value, hidden):
    bias = torch.zeros(hidden.shape, dtype=query.dtype).masked_fill(hidden, float("-inf"))
    return attend(query, key, value, bias)
""",
    "c_function": """\
def sdpa(query, key, value, hidden):
    visible = hidden.clone()
    visible ^= True
    return torch._C._nn.scaled_dot_product_attention(query, key, value, visible)
""",
    "finite_fill_in_double": """\
from torch.nn import functional as nnf


def sdpa(query, key, value, hidden):
    mask = torch.where(hidden, -1e9, 0.0).double()
    out = nnf.scaled_dot_product_attention(query.double(), key.double(), value.double(), attn_mask=mask)
    return out.type_as(query)
""",
    "head_by_head": """\
def _one(query, key, value, visible):
    if query.dim() == 2:
        return F.scaled_dot_product_attention(query, key, value, attn_mask=visible)
    return torch.stack([_one(q, k, v, visible) for q, k, v in zip(query, key, value)])


def sdpa(query, key, value, hidden):
    return _one(query, key, value, hidden == False)  # noqa: E712
""",
    "mask_of_four_axes": '''\
def sdpa(query, key, value, hidden):
    """For (batch, heads, tokens, width), with a mask of as many axes."""
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~hidden[None, None, :, :])
''',
    "math_backend": """\
from torch.nn.attention import SDPBackend, sdpa_kernel


def sdpa(query, key, value, hidden):
    attend = getattr(F, "scaled_dot_product_attention")
    with sdpa_kernel(SDPBackend.MATH):
        return attend(query=query, key=key, value=value, attn_mask=torch.bitwise_not(hidden))
""",
    "own_scale_and_four_axes": '''\
import math


def sdpa(query, key, value, hidden):
    """The manual speaks of (N, …, L, E): put axes of 1 in front until there are four."""
    lead = query.shape[:-2]
    q, k, v = (t.reshape(-1, 1, *t.shape[-2:]) for t in (query, key, value))
    seen = hidden.logical_not().expand(q.shape[0], 1, -1, -1)
    out = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, attn_mask=seen, dropout_p=0.0, is_causal=False, scale=1 / math.sqrt(q.size(-1))
    )
    return out.reshape(*lead, *out.shape[-2:])
''',
}
