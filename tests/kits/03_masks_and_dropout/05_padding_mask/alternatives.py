ALTERNATIVES = {
    "added_in_the_scores_dtype": '''\
def apply_padding_mask(scores, attention_mask):
    """As in BERT: 0 for tokens, the lowest number of the dtype for padding, added."""
    extended = attention_mask.to(scores.dtype)[:, None, None, :]
    extended = (1.0 - extended) * torch.finfo(scores.dtype).min
    return scores + extended
''',
    "as_in_the_document": """\
def apply_padding_mask(scores, attention_mask):
    b, h, q, k = scores.shape
    attention_mask = attention_mask.unsqueeze(1).unsqueeze(2).expand(b, h, q, k)
    return scores.masked_fill(attention_mask == 0, float("-inf"))
""",
    "in_place_on_a_clone": """\
def apply_padding_mask(scores, attention_mask):
    hidden = attention_mask.lt(1).unflatten(1, (1, 1, -1))
    work = scores.clone()
    work.masked_fill_(hidden, -1e4)
    return work
""",
    "logarithm_of_the_mask": """\
def apply_padding_mask(scores, attention_mask):
    return scores + torch.log(attention_mask.float()).type_as(scores)[:, None, None]
""",
    "logical_not_and_einsum": """\
def apply_padding_mask(scores, attention_mask):
    ones = torch.ones(scores.shape[1:3])
    padding = torch.einsum("bk,hq->bhqk", attention_mask.logical_not().float(), ones)
    bias = torch.zeros(scores.shape).masked_fill(padding > 0.5, -torch.inf)
    return (scores.double() + bias).to(scores.dtype)
""",
    "mapped_over_the_batch": """\
def hide(scores, row):
    return scores.masked_fill(row == 0, -1e4)


def apply_padding_mask(scores, attention_mask):
    return torch.vmap(hide)(scores, attention_mask)
""",
    "minus_1e4_added": """\
def apply_padding_mask(scores, attention_mask):
    penalty = (attention_mask == 0).to(scores.dtype) * -1e4
    return scores + penalty.reshape(penalty.shape[0], 1, 1, penalty.shape[1])
""",
    "moved_axes": """\
def apply_padding_mask(scores, attention_mask):
    by_sequence_and_key = scores.permute(1, 2, 0, 3)
    masked = by_sequence_and_key.masked_fill(~attention_mask.to(torch.bool), float("-inf"))
    return masked.permute(2, 0, 1, 3)
""",
    "multiplied_and_added": """\
def apply_padding_mask(scores, attention_mask):
    keep = attention_mask.type(scores.dtype)[:, None, None, :]
    return scores * keep - 6e4 * (1 - keep)
""",
    "sequence_by_sequence": """\
def apply_padding_mask(scores, attention_mask):
    results = []
    for one, row in zip(scores, attention_mask):
        one = one.clone()
        one[..., row == 0] = -torch.inf
        results.append(one)
    return torch.stack(results)
""",
    "where_with_finfo_min": """\
def apply_padding_mask(scores, attention_mask):
    keep = attention_mask.bool().view(scores.size(0), 1, 1, scores.size(-1))
    lowest = torch.full_like(scores, torch.finfo(scores.dtype).min)
    return torch.where(keep, scores, lowest)
""",
}
