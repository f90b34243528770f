"""Dot scores: how well does each word fit the one that asks?

    score_i = query · inputs_i = query[0] * inputs[i, 0] + ... + query[d-1] * inputs[i, d-1]

    query    (d,)      the embedding of the word that asks: d numbers
    inputs   (n, d)    the embeddings of n words, one per row
    returns  (n,)      one score per word

Document: HackTricks, "4. Attention Mechanisms", step 1 (compute the attention scores); also the Happy-LLM notes,
chapter 2, where the query q is multiplied by the transposed matrix of the keys.

    >>> inputs = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]])  # Hello shiny sun
    >>> dot_scores(inputs[1], inputs)
    tensor([0.7842, 1.3569, 1.2487])

The query need not be one of the inputs. Scores may be negative, and are not weights yet: no softmax, no scaling.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def dot_scores(query, inputs):
    n, d = inputs.shape
    scores = torch.bmm(inputs.reshape(n, 1, d), query.expand(n, d).reshape(n, d, 1))
    return scores[:, 0, 0]
