import torch

from grader.sandbox.inside.observing import Observer


def seen(action):
    observer = Observer()
    with observer.watching():
        action()
    return observer.seen()


def test_the_largest_plane_is_seen_through_views_and_batches():
    assert seen(lambda: torch.ones(2, 3, 4) @ torch.ones(2, 4, 5))["largest_plane"] == 20
    assert seen(lambda: torch.ones(100))["largest_plane"] == 0


def test_functions_are_seen_under_their_own_names():
    x = torch.ones(2, 3, 4)
    assert (
        "scaled_dot_product_attention"
        in seen(lambda: torch.nn.functional.scaled_dot_product_attention(x, x, x))["functions"]
    )
    assert "scaled_dot_product_attention" not in seen(lambda: torch.softmax(x @ x.mT, -1) @ x)["functions"]


def test_what_is_printed_is_counted_and_goes_no_further(capsys):
    assert seen(lambda: print("abc"))["printed"] == 4
    assert capsys.readouterr().out == ""
