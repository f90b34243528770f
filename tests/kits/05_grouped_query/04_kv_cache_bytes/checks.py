from grader.judge.authoring import expect, function, points

ENTRY = "kv_cache_bytes"


def drawn(draw, low=2, high=40):
    """Five different sizes."""
    return draw.distinct(5, low, high)


@points(0.5, visible=True)
def test_the_documents_sizes(learner):
    """1000 tokens in one layer with head_dim 16 take 512000 bytes with 8 key heads, 256000 with 4, 64000 with 1."""
    dues = {8: 512_000, 4: 256_000, 1: 64_000}
    answers = learner.ask(*[function(ENTRY, 1, 1000, 1, kv, 16) for kv in dues])
    for (kv, due), answer in zip(dues.items(), answers, strict=True):
        came = answer["output"]
        shown = repr(came)[:40] if isinstance(came, (int, float)) else "no number"
        expect(
            type(came) is int and came == due,
            f"kv_cache_bytes(1, 1000, 1, {kv}, 16) should be the int {due}; yours is {shown}.",
        )


@points(1.5, role="main")
def test_counts_every_number_that_is_kept(learner, draw):
    """Keys and values, of every sequence, token, layer and key head, head_dim numbers each, two bytes a number."""
    learner.agrees(
        function(ENTRY, *drawn(draw)),
        function(ENTRY, *drawn(draw)),
        function(ENTRY, 1, draw.integer(100, 1000), 12, 1, 64),
        function(ENTRY, 1, 1, 1, 1, 1),
    )


@points(0.5)
def test_bytes_per_value(learner, draw):
    """bytes_per_value says how many bytes one number takes; it is 2 unless something else is given."""
    learner.agrees(
        function(ENTRY, *drawn(draw), 4),
        function(ENTRY, *drawn(draw), 1),
        function(ENTRY, *drawn(draw), bytes_per_value=8),
        function(ENTRY, *drawn(draw), bytes_per_value=2),
        function(ENTRY, *drawn(draw), bytes_per_value=draw.integer(3, 9)),
    )


@points(0.5)
def test_large_numbers_are_exact(learner, draw):
    """The result is a whole number and exact to the last byte for large caches, too."""
    # odd sizes, so that the last digits matter: the product lies far above 32 bits, but below 2**53, up to which
    # Python's float is exact, for int(...) of a float is a right answer for any cache there is
    sizes = [2 * draw.integer(100, 400) + 1 for _ in range(4)]
    learner.agrees(
        function(ENTRY, *sizes, 2 * draw.integer(20, 60) + 1, 7),
        function(ENTRY, 64, 131_071, 80, 8, 127, 2),
    )
