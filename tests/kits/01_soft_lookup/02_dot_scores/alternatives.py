ALTERNATIVES = {
    "batched_product": """\
def dot_scores(query, inputs):
    n, d = inputs.shape
    scores = torch.bmm(inputs.reshape(n, 1, d), query.expand(n, d).reshape(n, d, 1))
    return scores[:, 0, 0]
""",
    "einsum": """\
def dot_scores(query, inputs):
    if query.shape[-1] != inputs.shape[-1]:
        raise ValueError("query and inputs must have the same width")
    return torch.einsum("d,nd->n", query, inputs)
""",
    "linear": """\
import torch.nn.functional as F


def dot_scores(query, inputs):
    # a linear layer whose rows are the words
    return F.linear(query, inputs)
""",
    "multiply_and_sum": """\
def dot_scores(query, inputs):
    return (inputs * query).sum(dim=-1)
""",
    "query_times_transposed": """\
def dot_scores(query, inputs):
    keys = inputs
    return query @ keys.transpose(0, 1)
""",
    "row_matrix": """\
def dot_scores(query, inputs):
    return torch.mm(query.view(1, -1), inputs.mT).flatten()
""",
    "two_loops": """\
def _dot(a, b):
    total = 0
    for j in range(len(a)):
        total = total + a[j] * b[j]
    return total


def dot_scores(query: torch.Tensor, inputs: torch.Tensor) -> torch.Tensor:
    return torch.stack([_dot(query, row) for row in inputs])
""",
    "vecdot": """\
def dot_scores(query, inputs):
    assert inputs.ndim == 2 and query.ndim == 1
    return torch.linalg.vecdot(inputs, query.expand_as(inputs), dim=1)
""",
    "word_by_word": """\
def dot_scores(query, inputs):
    scores = torch.empty(inputs.shape[0], dtype=inputs.dtype)
    for i, x_i in enumerate(inputs):
        scores[i] = torch.dot(x_i, query)
    return scores
""",
}
