SCORES = "attn_scores = torch.matmul(query, key.permute(0, 2, 1)) * self.scaling"
SOFTMAX = "attn_weights = F.softmax(attn_weights, dim=-1)"
NEXT = "\n        "

ALTERNATIVES = {
    "comment_and_blank_lines": [
        (
            SOFTMAX,
            f"# attn_weights did not exist yet\n{NEXT}attn_weights = F.softmax(attn_scores.float(), dim=-1).type_as(x)",
        )
    ],
    "method_of_the_scores": [
        ("import torch.nn.functional as F\nfrom torch import nn", "from torch import nn"),
        (SOFTMAX, f"# softmax over the keys, the last axis{NEXT}attn_weights = attn_scores.softmax(2)"),
    ],
    "one_line_put_in": [(SCORES, f"{SCORES}{NEXT}attn_weights = attn_scores  # the line that was missing")],
    "scores_stored_under_the_other_name": [(SCORES, SCORES.replace("attn_scores", "attn_weights"))],
    "softmax_at_its_place_of_use": [
        (f"        {SOFTMAX}\n", ""),
        ("torch.matmul(attn_weights, value)", "torch.matmul(F.softmax(attn_scores, dim=-1), value)"),
    ],
    "two_lines_for_two": [
        (SCORES, "attn_scores = torch.bmm(query * self.scaling, key.transpose(-2, -1))"),
        (SOFTMAX, "attn_weights = F.softmax(attn_scores, dim=2, dtype=x.dtype)"),
    ],
}
