import pytest
import torch

from grader.sandbox.inside.traces import marks


def test_computing_leaves_no_trace():
    before = marks()
    layer = torch.nn.Linear(3, 3)
    torch.softmax(layer(torch.ones(2, 3)), -1).sum().backward()
    assert marks() == before


@pytest.mark.parametrize(
    ("place", "name"),
    [
        pytest.param(torch.Tensor, "softmax", id="a-method-of-tensors"),
        pytest.param(torch.nn.Linear, "forward", id="a-method-of-a-layer"),
        pytest.param(torch, "softmax", id="a-function"),
        pytest.param(torch.nn.functional, "one_more", id="something-new"),
    ],
)
def test_what_is_exchanged_is_seen(monkeypatch, place, name):
    before = marks()
    monkeypatch.setattr(place, name, lambda *args: None, raising=False)
    assert marks() != before


def test_modes_are_seen():
    before = marks()
    with torch.no_grad():
        assert marks() != before
    torch.set_default_dtype(torch.float64)
    try:
        assert marks() != before
    finally:
        torch.set_default_dtype(torch.float32)
    assert marks() == before
