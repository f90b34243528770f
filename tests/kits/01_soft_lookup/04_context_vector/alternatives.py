ALTERNATIVES = {
    "all_words_at_once": """\
def context_vector(query, inputs):
    # the query's row of the attention of everybody, itself put first
    everybody = torch.cat([query[None], inputs])
    scores = everybody @ inputs.T
    return (torch.softmax(scores, -1) @ inputs)[0]
""",
    "einsum": """\
def context_vector(query, inputs):
    scores = torch.einsum("d,nd->n", query, inputs)
    return torch.einsum("n,nd->d", scores.softmax(dim=0), inputs)
""",
    "fused": """\
import torch.nn.functional as F


def context_vector(query, inputs):
    x = inputs.unsqueeze(0)
    return F.scaled_dot_product_attention(query[None, None], x, x, scale=1.0)[0, 0]
""",
    "own_softmax": """\
def softmax(scores):
    exps = torch.exp(scores - scores.max())
    return exps / exps.sum()


def context_vector(query, inputs):
    attn_weights = softmax((inputs * query).sum(dim=1))
    return (attn_weights.unsqueeze(1) * inputs).sum(dim=0)
""",
    "plain_exp_word_by_word": """\
def context_vector(query, inputs):
    exps = [torch.exp(torch.dot(query, x)) for x in inputs]
    total = sum(exps)
    context = torch.zeros(query.shape, dtype=query.dtype)
    for e, x in zip(exps, inputs):
        context += e / total * x
    return context
""",
    "row_matrices": """\
def context_vector(query, inputs):
    q = query.reshape(1, -1)
    w = torch.softmax(q.mm(inputs.t()), dim=1)
    return w.mm(inputs).reshape(-1)
""",
    "running_softmax": '''\
def context_vector(query, inputs):
    """One pass: whenever a higher score turns up, what was gathered so far is scaled down."""
    top = query.new_tensor(float("-inf"))
    total = query.new_zeros(())
    context = torch.zeros_like(query)
    for word in inputs:
        score = query @ word
        new_top = torch.maximum(top, score)
        shrink = torch.exp(top - new_top)
        share = torch.exp(score - new_top)
        total = total * shrink + share
        context = context * shrink + share * word
        top = new_top
    return context / total
''',
    "shares_from_differences": '''\
"""No softmax by name: a share is 1 over the sum of the exponentials of all differences."""


def context_vector(query, inputs):
    scores = inputs @ query
    shares = 1 / torch.exp(scores[None, :] - scores[:, None]).sum(dim=1)
    return torch.tensordot(shares, inputs, dims=1)
''',
    "softmax_in_double": """\
from torch import nn


def context_vector(query, inputs):
    if query.shape != inputs.shape[1:]:
        raise ValueError("the query must be as wide as the inputs")
    weights = nn.Softmax(dim=0)(torch.mv(inputs, query).double()).to(inputs.dtype)
    return torch.mv(inputs.t(), weights)
""",
    "softmax_in_float32": """\
import torch.nn.functional as F


def context_vector(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    scores = query @ inputs.T
    weights = F.softmax(scores.float(), dim=-1).type_as(inputs)
    return torch.matmul(weights, inputs)
""",
}
