ONES = "torch.triu(torch.ones(seq_len, seq_len), diagonal=1)"
MASK = f'mask = {ONES} * float("-inf")'
SUM = "masked_scores = attention_scores + mask"
NEXT = "\n    "

ALTERNATIVES = {
    "boolean_mask_and_fill": [
        (MASK, f"mask = {ONES}.bool()"),
        (SUM, "masked_scores = attention_scores.masked_fill(mask, -torch.inf)"),
    ],
    "copy_filled_in_place": [
        (MASK, f"mask = {ONES} > 0"),
        (SUM, "masked_scores = attention_scores.clone().masked_fill_(mask, -1e20)"),
    ],
    "factor_left_out_and_a_comment": [
        (MASK, f'mask = {ONES}{NEXT}mask = mask.masked_fill(mask == 1, float("-inf"))'),
    ],
    "fill_where_infinite": [
        (SUM, 'masked_scores = attention_scores.masked_fill(mask == float("-inf"), float("-inf"))'),
    ],
    "large_finite_number": [(MASK, f"mask = {ONES} * -1e9")],
    "logarithm_of_the_lower_triangle": [
        (MASK, f"# log 1 = 0, log 0 = -inf{NEXT}mask = torch.tril(torch.ones(seq_len, seq_len)).log()"),
    ],
    "lowest_finite_number": [(MASK, f"mask = {ONES} * torch.finfo(torch.float32).min")],
    "minus_1e4": [(MASK, f'mask = {ONES} * float("-1e4")')],
    "nan_replaced_by_a_comparison": [(MASK, f"{MASK}{NEXT}mask[mask != mask] = 0")],
    "nan_replaced_in_the_mask": [
        (MASK, f'{MASK}{NEXT}mask = torch.nan_to_num(mask, nan=0.0, neginf=float("-inf"))  # 0 * inf'),
    ],
    "positions_compared": [
        (
            MASK,
            f'position = torch.arange(seq_len){NEXT}mask = torch.where(position > position[:, None], float("-inf"), 0.0)',
        )
    ],
    "where_from_the_faulty_mask": [(SUM, "masked_scores = torch.where(mask.isnan(), attention_scores, mask)")],
    "zeros_and_infinities_in_the_scores_dtype": [
        (MASK, "mask = attention_scores.new_full((seq_len, seq_len), -torch.inf).triu(1)"),
    ],
}
