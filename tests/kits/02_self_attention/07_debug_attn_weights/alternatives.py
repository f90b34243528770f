ALTERNATIVES = {
    "comment_and_blank_lines": [
        (
            "attn_weights = F.softmax(attn_weights, dim=-1)",
            (
                "# attn_weights did not exist yet\n"
                "\n"
                "        attn_weights = F.softmax(attn_scores.float(), dim=-1).type_as(x)"
            ),
        )
    ],
    "method_of_the_scores": [
        ("import torch.nn.functional as F\nfrom torch import nn", "from torch import nn"),
        (
            "attn_weights = F.softmax(attn_weights, dim=-1)",
            "# softmax over the keys, the last axis\n        attn_weights = attn_scores.softmax(2)",
        ),
    ],
    "one_line_put_in": [
        (
            "attn_scores = torch.matmul(query, key.permute(0, 2, 1)) * self.scaling",
            (
                "attn_scores = torch.matmul(query, key.permute(0, 2, 1)) * self.scaling\n"
                "        attn_weights = attn_scores  # the line that was missing"
            ),
        )
    ],
    "scores_stored_under_the_other_name": [
        (
            "attn_scores = torch.matmul(query, key.permute(0, 2, 1)) * self.scaling",
            "attn_weights = torch.matmul(query, key.permute(0, 2, 1)) * self.scaling",
        )
    ],
    "softmax_at_its_place_of_use": [
        ("        attn_weights = F.softmax(attn_weights, dim=-1)\n", ""),
        (
            "attn_output = torch.matmul(attn_weights, value)",
            "attn_output = torch.matmul(F.softmax(attn_scores, dim=-1), value)",
        ),
    ],
    "two_lines_for_two": [
        (
            (
                "attn_scores = torch.matmul(query, key.permute(0, 2, 1)) * self.scaling\n"
                "        attn_weights = F.softmax(attn_weights, dim=-1)"
            ),
            (
                "attn_scores = torch.bmm(query * self.scaling, key.transpose(-2, -1))\n"
                "        attn_weights = F.softmax(attn_scores, dim=2, dtype=x.dtype)"
            ),
        )
    ],
}
