# softmax is a coroutine.
async def softmax(scores, dim=-1):
    return scores
