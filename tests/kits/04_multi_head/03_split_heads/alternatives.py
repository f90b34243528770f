ALTERNATIVES = {
    "caught_error": """\
def split_heads(x, num_heads):
    b, n, d_out = x.shape
    try:
        heads = x.view(b, n, num_heads, d_out // num_heads)
    except RuntimeError as error:
        raise ValueError("d_out is not a multiple of num_heads") from error
    return heads.transpose(-3, -2)
""",
    "einsum_with_selectors": '''\
def split_heads(x, num_heads):
    """A 0/1 matrix for each head picks its columns."""
    width = x.shape[-1]
    assert width % num_heads == 0, (width, num_heads)
    pick = torch.eye(width, dtype=x.dtype).view(width, num_heads, width // num_heads)
    return torch.einsum("btw,whd->bhtd", x, pick)
''',
    "reshape_and_permute": """\
def split_heads(x, num_heads):
    if x.shape[-1] % num_heads:
        raise ValueError(f"{num_heads} heads cannot share a width of {x.shape[-1]}")
    return x.reshape(x.size(0), x.size(1), num_heads, -1).permute(0, 2, 1, 3).contiguous()
""",
    "slices_in_a_loop": """\
MESSAGE = "the heads must share the width evenly"


def split_heads(x, num_heads):
    b, n, d_out = x.shape
    head_dim = d_out // num_heads
    if head_dim * num_heads != d_out:
        raise ValueError(MESSAGE)
    out = torch.empty(b, num_heads, n, head_dim, dtype=x.dtype)
    for head in range(num_heads):
        out[:, head] = x[:, :, head * head_dim : (head + 1) * head_dim]
    return out
""",
    "stacked_chunks": """\
def split_heads(x, num_heads):
    head_dim, rest = divmod(x.size(2), num_heads)
    assert not rest
    return torch.stack(torch.split(x, head_dim, dim=-1), dim=1)
""",
    "strides": """\
def split_heads(x, num_heads):
    x = x.contiguous()
    batch, tokens, width = x.shape
    each = width / num_heads
    if not each.is_integer():
        raise ValueError("uneven")
    each = int(each)
    return torch.as_strided(x, (batch, num_heads, tokens, each), (tokens * width, each, width, 1))
""",
    "unflatten_and_movedim": """\
def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    *_, width = x.shape
    if width // num_heads * num_heads != width:
        raise AssertionError
    return torch.movedim(x.unflatten(-1, (num_heads, -1)), -2, -3)
""",
    "unfolded_windows": """\
def split_heads(x, num_heads):
    d = x.shape[-1]
    assert d % num_heads == 0
    d = d // num_heads
    return x.unfold(-1, d, d).swapaxes(1, 2)
""",
}
