ALTERNATIVES = {
    "centring_matrix": '''\
def layer_norm(x, weight, bias, eps=1e-5):
    """Taking the mean away is a matrix product; the variance comes from std without correction."""
    d = x.size(-1)
    centre = torch.eye(d, dtype=x.dtype) - torch.full((d, d), 1 / d, dtype=x.dtype)
    centred = x @ centre
    std = torch.linalg.vector_norm(centred, dim=-1, keepdim=True) / d**0.5
    safe = torch.hypot(std, torch.full_like(std, eps**0.5))
    return centred / safe * weight + bias
''',
    "mean_of_squares": '''\
def layer_norm(x, weight, bias, eps=1e-5):
    """Variance as the mean of the squares less the square of the mean, in double precision as it would cancel."""
    wide = x.double()
    mean = wide.mean(-1, keepdim=True)
    variance = (wide * wide).mean(-1, keepdim=True) - mean**2
    normed = ((wide - mean) * (variance.clamp(min=0) + eps) ** -0.5).to(x.dtype)
    return torch.mul(weight, normed).add(bias)
''',
    "row_by_row": """\
import math


def norm_row(row, weight, bias, eps):
    d = len(row)
    mean = sum(row) / d
    root = torch.sqrt(sum((number - mean) ** 2 for number in row) / d + eps)
    return torch.stack([(row[i] - mean) / root * weight[i] + bias[i] for i in range(d)])


def layer_norm(x, weight, bias, eps=1e-5):
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    return torch.stack([norm_row(row, weight, bias, eps) for row in rows]).reshape(x.shape)
""",
    "squares_less_the_squared_mean": """\
def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x * x).mean(dim=-1, keepdim=True) - mean * mean
    return (x - mean) * torch.rsqrt(variance + eps) * weight + bias
""",
    "std_and_einsum": """\
def layer_norm(x, weight, bias, eps=1e-5):
    d = x.shape[-1]
    mean = torch.einsum("...d->...", x)[..., None] / d
    centred = x - mean
    variance = torch.einsum("...d,...d->...", centred, centred)[..., None] / d
    scale = weight / (variance + eps).sqrt()
    return centred * scale + bias
""",
    "var_and_rsqrt": """\
def layer_norm(x, weight, bias, eps=1e-5):
    var, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, (x - mean) * torch.rsqrt(var + eps), weight)
""",
}
