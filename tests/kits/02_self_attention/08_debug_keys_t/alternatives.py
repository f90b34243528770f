SCORES = "attn_scores = queries @ keys.T"
NEXT = "\n        "

ALTERNATIVES = {
    "einsum": [(SCORES, 'attn_scores = torch.einsum("...qd,...kd->...qk", queries, keys)')],
    "either_way_by_number_of_axes": [
        (SCORES, f"turned = keys.T if x.dim() == 2 else keys.transpose(1, 2){NEXT}attn_scores = queries @ turned"),
    ],
    "matrix_transpose": [(SCORES, "attn_scores = queries @ keys.mT")],
    "moved_axis_and_comments": [
        (
            f"        {SCORES}",
            f"{NEXT}# only the last two axes change places; `.T` turned round all of them{NEXT}#"
            f"{NEXT}attn_scores = queries @ keys.movedim(-1, -2)\n",
        )
    ],
    "one_line_for_two": [
        (f"        {SCORES}\n", ""),
        ("torch.softmax(attn_scores / keys.shape", "torch.softmax(queries @ keys.transpose(-1, -2) / keys.shape"),
        ("keys.shape[-1] ** 0.5", "keys.size(-1) ** 0.5"),
    ],
    "permuted_counting_axes": [(SCORES, "attn_scores = queries @ keys.permute(*range(keys.dim() - 2), -1, -2)")],
    "product_written_out": [(SCORES, "attn_scores = (queries.unsqueeze(-2) * keys.unsqueeze(-3)).sum(-1)")],
    "swapped_axes_matmul": [(SCORES, "attn_scores = torch.matmul(queries, torch.swapaxes(keys, -1, -2))")],
}
