ALTERNATIVES = {
    "built_from_ones": '''\
import math


def alibi_bias(num_heads, num_tokens):
    """As in the paper's own code: the ratio is the first slope; distances by summing a lower triangle."""
    start = 2 ** (-(2 ** -(math.log2(num_heads) - 3)))
    slopes = torch.tensor([start * start**i for i in range(num_heads)])
    steps = torch.ones(num_tokens, num_tokens).tril(-1)
    distance = steps.flip(-1).cumsum(-1).flip(-1).tril(-1)
    mask = torch.ones_like(steps).triu(1) == 1
    bias = (slopes[:, None, None] * -distance).clone()
    bias[:, mask] = -math.inf
    return bias
''',
    "geometric_row": '''\
def alibi_bias(num_heads, num_tokens):
    """The slopes as a product that runs on; later keys by adding a triangle of -inf."""
    slopes = torch.cumprod(torch.full((num_heads,), 2 ** (-8 / num_heads), dtype=torch.float64), dim=0)
    places = torch.arange(num_tokens, dtype=torch.float64)
    distance = torch.cdist(places[:, None], places[:, None], p=1)
    hidden = torch.full((num_tokens, num_tokens), -torch.inf, dtype=torch.float64).triu(1)
    return (torch.einsum("k,ij->kij", slopes, -distance) + hidden).float()
''',
    "head_by_head": """\
def alibi_bias(num_heads, num_tokens):
    bias = torch.full((num_heads, num_tokens, num_tokens), float("-inf"))
    for k in range(num_heads):
        slope = 2 ** (-8 * (k + 1) / num_heads)
        for i in range(num_tokens):
            for j in range(i + 1):
                bias[k, i, j] = -slope * (i - j)
    return bias
""",
    "where_and_outer": """\
def alibi_bias(num_heads, num_tokens):
    i, j = torch.meshgrid(torch.arange(num_tokens), torch.arange(num_tokens), indexing="ij")
    slopes = torch.logspace(-8 / num_heads, -8, num_heads, base=2.0).view(-1, 1, 1)
    return torch.where(j <= i, slopes * (j - i), torch.tensor(float("-inf")))
""",
}
