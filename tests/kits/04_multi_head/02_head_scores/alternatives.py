ALTERNATIVES = {
    "column_by_column": '''\
def head_scores(a):
    """The outer products of every column of the width, added up."""
    total = 0
    for column in a.unbind(-1):
        total = total + column.unsqueeze(-1) * column.unsqueeze(-2)
    return total
''',
    "einsum": """\
def head_scores(a):
    return torch.einsum("bhid,bhjd->bhij", a, a)
""",
    "filled_by_loops": """\
def head_scores(a):
    b, h, n, _ = a.shape
    out = torch.empty(b, h, n, n, dtype=a.dtype)
    for i in range(n):
        for j in range(n):
            out[..., i, j] = torch.linalg.vecdot(a[:, :, i], a[:, :, j])
    return out
""",
    "head_by_head": '''\
def head_scores(a):
    """As the document checks it: one head of one sequence at a time."""
    rows = []
    for sequence in a:
        rows.append(torch.stack([head @ head.T for head in sequence]))
    return torch.stack(rows)
''',
    "keys_times_queries": '''\
def head_scores(a):
    """The table is symmetric, so it may be made the other way round."""
    q, k = a.clone(), a
    return (k @ q.swapaxes(-1, -2)).transpose(-1, -2)
''',
    "linear_layer_function": """\
import torch.nn.functional as F


def head_scores(a):
    return torch.stack([torch.stack([F.linear(head, head) for head in heads]) for heads in a.unbind(0)], dim=0)
""",
    "mapped_twice": """\
def gram(tokens):
    return tokens.mm(tokens.t())


def head_scores(a):
    return torch.vmap(torch.vmap(gram))(a)
""",
    "matrix_transpose": """\
def head_scores(a):
    return a @ a.mT.contiguous()
""",
    "one_batch_bmm": """\
def head_scores(a):
    b, h, n, d = a.shape
    flat = a.reshape(b * h, n, d)
    return torch.bmm(flat, flat.transpose(1, 2)).view(b, h, n, n)
""",
    "products_summed": """\
def head_scores(a):
    return (a[:, :, :, None, :] * a[:, :, None, :, :]).sum(-1)
""",
}
