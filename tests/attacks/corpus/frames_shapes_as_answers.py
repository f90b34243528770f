# The answers are a mapping with the wrong keys and values.
import sys

sys.modules["inside.host"].run_question = lambda *a, **k: [{"answers": {"2": None, "x": [1, (2, {3: 4})]}, "error": None}] * 8


def softmax(scores, dim=-1):
    return scores * 0
