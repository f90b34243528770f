"""Find the fault: a causal mask as a document prints it.

    masked score_ij = score_ij                 where key j does not come after query i: left as it is
    masked score_ij = -inf, or very low        where it does: the softmax gives it a weight of exactly 0

    attention_scores   (..., n, n)   ..., query, key; float32 or float64, up to ±1000
    returns            (..., n, n)   the masked scores, before the softmax

Document: HackTricks, "4. Attention Mechanisms", applying a causal attention mask, step 2. The function below is our own
rendering of it: the same names, the same steps, in the same order. As printed there it runs without an error, but
after the softmax every weight is

    nan

Run this file to see it. Find the fault and mend it with as little as you can. Once mended, the example prints

    tensor([[1.0000, 0.0000, 0.0000],
            [0.3606, 0.6394, 0.0000],
            [0.2283, 0.3874, 0.3843]])

A small repair earns its own points: at most two lines taken out and two put in. Comments and blank lines don't count.

House rules (first lesson): with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def apply_causal_mask(attention_scores: torch.Tensor) -> torch.Tensor:
    seq_len = attention_scores.shape[-1]

    # -inf where a key comes after the query
    mask = torch.triu(torch.ones(seq_len, seq_len), diagonal=1).bool()

    # the same mask for all leading axes
    masked_scores = attention_scores.masked_fill(mask, -torch.inf)

    return masked_scores


if __name__ == "__main__":
    # "Hello", "shiny", "sun": every word compared with every word
    scores = torch.tensor([[0.4556, 0.7842, 0.7196], [0.7842, 1.3569, 1.2487], [0.7196, 1.2487, 1.2406]])
    attention_weights = torch.softmax(apply_causal_mask(scores), dim=-1)
    print(attention_weights)
