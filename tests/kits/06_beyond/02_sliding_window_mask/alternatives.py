ALTERNATIVES = {
    "band": """\
def sliding_window_mask(num_tokens, window):
    visible = torch.ones(num_tokens, num_tokens, dtype=torch.bool).tril().triu(1 - window)
    return visible.logical_not()
""",
    "loops": """\
def sliding_window_mask(num_tokens, window):
    mask = torch.full((num_tokens, num_tokens), True)
    for i in range(num_tokens):
        mask[i, max(0, i - window + 1) : i + 1] = False
    return mask
""",
    "nested_lists": """\
def sliding_window_mask(num_tokens: int, window: int) -> torch.Tensor:
    return torch.tensor([[not i - window < j <= i for j in range(num_tokens)] for i in range(num_tokens)])
""",
    "sum_of_diagonals": """\
def sliding_window_mask(num_tokens, window):
    mask = torch.ones(num_tokens, num_tokens, dtype=torch.uint8)
    for back in range(min(window, num_tokens)):
        mask.diagonal(-back).zero_()
    return mask > 0
""",
    "two_triangles": """\
def sliding_window_mask(num_tokens, window):
    ones = torch.ones(num_tokens, num_tokens)
    later = torch.triu(ones, diagonal=1)
    too_far = torch.tril(ones, diagonal=-window)
    return (later + too_far).bool()
""",
    "with_numpy": """\
import numpy as np


def sliding_window_mask(num_tokens, window):
    i, j = np.indices((num_tokens, num_tokens))
    return torch.from_numpy(np.logical_or(j > i, j < i - window + 1))
""",
    "xor_of_two_causal_masks": """\
def causal(n, diagonal):
    return torch.ones(n, n).triu(diagonal) == 1


def sliding_window_mask(num_tokens, window):
    return ~(causal(num_tokens, 1 - window) ^ causal(num_tokens, 1))
""",
}
