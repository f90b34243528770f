"""The context vector: what a word takes home from the whole sentence.

    scores  = query · inputs_i                 one per word
    weights = softmax(scores)                  positive, 1 in all
    context = sum_i weights_i * inputs_i       one vector

    query    (d,)      the embedding of the word that asks
    inputs   (n, d)    the embeddings of n words, one a row
    returns  (d,)      the context vector

Document: HackTricks, "4. Attention Mechanisms", step 3 (compute the context vector of "shiny").

    >>> inputs = torch.tensor([[0.34, 0.22, 0.54], [0.53, 0.34, 0.98], [0.29, 0.54, 0.93]])  # Hello shiny sun
    >>> context_vector(inputs[1], inputs)
    tensor([0.3990, 0.3854, 0.8610])

The document gives .3992 .3858 .8610: it rounds by hand on the way.
The library's softmax is allowed here, and so is yours, copied into this file.

House rules (first lesson): float32 and float64, with gradients; inputs stay as they are; each call stands for itself.
"""

import torch


def context_vector(query, inputs):
    # the query's row of the attention of everybody, itself put first
    everybody = torch.cat([query[None], inputs])
    scores = everybody @ inputs.T
    return (torch.softmax(scores, -1) @ inputs)[0]
