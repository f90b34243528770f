ALTERNATIVES = {
    "expand_and_reshape": """\
def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    b, kv, n, d = x.shape
    if n_rep == 1:
        return x
    return x[:, :, None, :, :].expand(b, kv, n_rep, n, d).reshape(b, kv * n_rep, n, d)
""",
    "head_by_head": """\
def repeat_kv(x, n_rep):
    copies = []
    for head in range(x.shape[1]):
        copies += [x[:, head : head + 1]] * n_rep
    return torch.cat(copies, dim=1)
""",
    "indexed": """\
def repeat_kv(x, n_rep):
    return x[:, torch.arange(x.size(1) * n_rep) // n_rep]
""",
    "kron_style_product": """\
def repeat_kv(x, n_rep):
    # a (kv * n_rep, kv) matrix of ones and zeros that picks the head for each place
    pick = torch.eye(x.shape[1], dtype=x.dtype).repeat_interleave(n_rep, 0)
    return torch.einsum("ij,bjnd->bind", pick, x)
""",
    "sequence_then_reshape": """\
def repeat_kv(x, n_rep):
    # 시퀀스 방향으로 반복한 다음 reshape: 같은 결과
    b, kv, n, d = x.shape
    return x.repeat(1, 1, n_rep, 1).reshape(b, kv * n_rep, n, d)
""",
    "stack_and_flatten": """\
def repeat_kv(x, n_rep):
    return torch.stack([x] * n_rep, 2).flatten(1, 2)
""",
    "written_into_place": """\
def repeat_kv(x, n_rep):
    out = x.new_empty(x.shape[0], x.shape[1] * n_rep, *x.shape[2:])
    for copy in range(n_rep):
        out[:, copy::n_rep] = x
    return out
""",
}
