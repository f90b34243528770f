# Raises what pytest.fail raises.
import pytest


def softmax(scores, dim=-1):
    pytest.fail("not today")
