ALTERNATIVES = {
    "einsum": [("attn_scores = queries @ keys.T", 'attn_scores = torch.einsum("...qd,...kd->...qk", queries, keys)')],
    "either_way_by_number_of_axes": [
        (
            "attn_scores = queries @ keys.T",
            "turned = keys.T if x.dim() == 2 else keys.transpose(1, 2)\n        attn_scores = queries @ turned",
        )
    ],
    "matrix_transpose": [("attn_scores = queries @ keys.T", "attn_scores = queries @ keys.mT")],
    "moved_axis_and_comments": [
        (
            "        attn_scores = queries @ keys.T",
            (
                "\n"
                "        # only the last two axes change places; `.T` turned round all of them\n"
                "        #\n"
                "        attn_scores = queries @ keys.movedim(-1, -2)\n"
            ),
        )
    ],
    "one_line_for_two": [
        (
            (
                "attn_scores = queries @ keys.T\n"
                "        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)"
            ),
            "attn_weights = torch.softmax(queries @ keys.transpose(-1, -2) / keys.size(-1) ** 0.5, dim=-1)",
        )
    ],
    "permuted_counting_axes": [
        ("attn_scores = queries @ keys.T", "attn_scores = queries @ keys.permute(*range(keys.dim() - 2), -1, -2)")
    ],
    "product_written_out": [
        ("attn_scores = queries @ keys.T", "attn_scores = (queries.unsqueeze(-2) * keys.unsqueeze(-3)).sum(-1)")
    ],
    "swapped_axes_matmul": [
        ("attn_scores = queries @ keys.T", "attn_scores = torch.matmul(queries, torch.swapaxes(keys, -1, -2))")
    ],
}
