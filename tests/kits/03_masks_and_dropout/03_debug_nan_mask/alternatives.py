ALTERNATIVES = {
    "boolean_mask_and_fill": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            "mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1).bool()",
        ),
        ("masked_scores = attention_scores + mask", "masked_scores = attention_scores.masked_fill(mask, -torch.inf)"),
    ],
    "copy_filled_in_place": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            "mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) > 0",
        ),
        (
            "masked_scores = attention_scores + mask",
            "masked_scores = attention_scores.clone().masked_fill_(mask, -1e20)",
        ),
    ],
    "factor_left_out_and_a_comment": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            (
                "mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1)\n"
                '    mask = mask.masked_fill(mask == 1, float("-inf"))'
            ),
        )
    ],
    "fill_where_infinite": [
        (
            "masked_scores = attention_scores + mask",
            'masked_scores = attention_scores.masked_fill(mask == float("-inf"), float("-inf"))',
        )
    ],
    "large_finite_number": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            "mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * -1e9",
        )
    ],
    "logarithm_of_the_lower_triangle": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            "# log 1 = 0, log 0 = -inf\n    mask = torch.tril(torch.ones(seq_len, seq_len)).log()",
        )
    ],
    "lowest_finite_number": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            "mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * torch.finfo(torch.float32).min",
        )
    ],
    "minus_1e4": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-1e4")',
        )
    ],
    "nan_replaced_by_a_comparison": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")\n    mask[mask != mask] = 0',
        )
    ],
    "nan_replaced_in_the_mask": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            (
                'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")\n'
                '    mask = torch.nan_to_num(mask, nan=0.0, neginf=float("-inf"))  # 0 * inf'
            ),
        )
    ],
    "positions_compared": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            (
                "position = torch.arange(seq_len)\n"
                '    mask = torch.where(position > position[:, None], float("-inf"), 0.0)'
            ),
        )
    ],
    "where_from_the_faulty_mask": [
        ("masked_scores = attention_scores + mask", "masked_scores = torch.where(mask.isnan(), attention_scores, mask)")
    ],
    "zeros_and_infinities_in_the_scores_dtype": [
        (
            'mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1) * float("-inf")',
            "mask = attention_scores.new_full((seq_len, seq_len), -torch.inf).triu(1)",
        )
    ],
}
