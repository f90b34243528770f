ALTERNATIVES = {
    "answers_to_the_unit_vectors": '''\
def combine_heads(head_weights):
    """What all heads together make of each unit vector is a column of the matrix."""
    x = torch.eye(head_weights[0].shape[-1]).type_as(head_weights[0])
    return torch.concat([torch.nn.functional.linear(x, weight) for weight in head_weights], dim=-1).t()
''',
    "copy_of_the_list_popped": """\
def combine_heads(head_weights):
    left = head_weights[:]
    result = left.pop(0)
    while left:
        result = torch.cat([result, left.pop(0)], dim=0)
    return result
""",
    "filled_in_a_loop": """\
def combine_heads(head_weights):
    h = len(head_weights)
    d_head, d_in = head_weights[0].shape
    combined = torch.zeros(h * d_head, d_in, dtype=head_weights[0].dtype)
    for i, weight in enumerate(head_weights):
        combined[i * d_head : (i + 1) * d_head, :] = weight
    return combined
""",
    "grown_two_by_two": """\
from functools import reduce


def combine_heads(head_weights):
    return reduce(lambda upper, lower: torch.cat((upper, lower), dim=-2), head_weights)
""",
    "plain_cat": """\
def combine_heads(head_weights):
    return torch.cat(head_weights)
""",
    "row_by_row": """\
def combine_heads(head_weights):
    return torch.stack([row for weight in head_weights for row in weight])
""",
    "selecting_products": '''\
def combine_heads(head_weights):
    """A 0/1 matrix lifts each head's rows to their place; the sum puts them together."""
    rows = sum(weight.shape[0] for weight in head_weights)
    places = torch.eye(rows, dtype=head_weights[0].dtype).split(head_weights[0].shape[0], dim=1)
    return sum(place @ weight for place, weight in zip(places, head_weights, strict=True))
''',
    "stacked_and_flattened": """\
def combine_heads(head_weights: list[torch.Tensor]) -> torch.Tensor:
    return torch.stack(head_weights).flatten(0, 1)
""",
    "transposed_there_and_back": '''\
def combine_heads(head_weights):
    """Side by side as (inputs, outputs), then turned round."""
    return torch.hstack([w.T for w in head_weights]).T
''',
    "vertical_stack": """\
def combine_heads(head_weights):
    return torch.vstack(head_weights)
""",
}
