from grader.judge.authoring import Mistake

LARGE = "test_large_numbers_are_exact"
PER_TOKEN = "2 * num_layers * nums_key_value_head * head_dim"
ALL = "batch * seq_len * values_per_token * bytes_per_value"

MISTAKES = [
    Mistake(
        "only-keys-or-values",
        "Only the keys or only the values were counted. Both are kept: twice as much.",
        edits=[(PER_TOKEN, PER_TOKEN.removeprefix("2 * "))],
    ),
    Mistake(
        "queries-too",
        "Queries were counted as well (three of a kind). They are used once and not kept: keys and values make two.",
        edits=[(PER_TOKEN, PER_TOKEN.replace("2 *", "3 *"))],
    ),
    Mistake(
        "layers-forgotten",
        "The layers are missing. Each layer keeps keys and values of its own.",
        edits=[(PER_TOKEN, PER_TOKEN.replace("num_layers * ", ""))],
    ),
    Mistake(
        "batch-forgotten",
        "The batch is missing. Each sequence keeps keys and values of its own.",
        edits=[(ALL, ALL.removeprefix("batch * "))],
    ),
    Mistake(
        "heads-forgotten",
        "The heads are missing. Each key head keeps head_dim numbers, each value head as well.",
        edits=[(PER_TOKEN, PER_TOKEN.replace("nums_key_value_head * ", ""))],
    ),
    Mistake(
        "head-dim-forgotten",
        "head_dim is missing. A key is not one number but head_dim of them.",
        edits=[(PER_TOKEN, PER_TOKEN.replace(" * head_dim", ""))],
    ),
    Mistake(
        "tokens-forgotten",
        "seq_len is missing. The keys and values of all tokens are kept.",
        edits=[(ALL, ALL.replace("seq_len * ", ""))],
    ),
    Mistake(
        "numbers-not-bytes",
        "The numbers were counted, not their bytes. Each takes bytes_per_value bytes.",
        edits=[(ALL, ALL.replace(" * bytes_per_value", ""))],
    ),
    Mistake(
        "in-bits",
        "The result is in bits: it was multiplied by 8. bytes_per_value is in bytes already.",
        edits=[(ALL, ALL + " * 8")],
    ),
    Mistake(
        "divided-by-eight",
        "The result was divided by 8, as if bytes_per_value were bits. It is in bytes already.",
        edits=[(ALL, ALL + " // 8")],
    ),
    Mistake(
        "bits-per-value",
        "bytes_per_value was read as bits, 16 by default and divided by 8. It is in bytes, and 2 by default.",
        caught_by="test_bytes_per_value",
        edits=[("bytes_per_value: int = 2", "bytes_per_value: int = 16"), (ALL, ALL + " // 8")],
    ),
    Mistake(
        "in-kilobytes",
        "The result is in kilobytes (divided by 1024). Bytes are wanted.",
        edits=[(ALL, ALL + " // 1024")],
    ),
    Mistake(
        "tokens-squared",
        "seq_len was multiplied in twice, as for a matrix of scores. The cache keeps keys and values, one of each for every token.",
        edits=[(ALL, "seq_len * " + ALL)],
    ),
    Mistake(
        "always-two-bytes",
        "bytes_per_value is not used: every number takes 2 bytes. That is only the default.",
        caught_by="test_bytes_per_value",
        edits=[(ALL, ALL.replace("bytes_per_value", "2"))],
    ),
    Mistake(
        "always-four-bytes",
        "bytes_per_value is not used: every number takes 4 bytes. Use what was passed in, 2 if nothing was.",
        edits=[(ALL, ALL.replace("bytes_per_value", "4"))],
    ),
    Mistake(
        "one-byte-by-default",
        "A number takes 1 byte if nothing else is said. The default is 2, as in the signature.",
        edits=[("bytes_per_value: int = 2", "bytes_per_value: int = 1")],
    ),
    Mistake(
        "no-default",
        "bytes_per_value must be given now. It has the default 2, as in the signature.",
        edits=[("bytes_per_value: int = 2", "bytes_per_value: int")],
    ),
    Mistake(
        "through-a-float32-tensor",
        "On the way the result became a float32 tensor, which holds only 7 digits or so, and the last bytes are lost. Use whole numbers only.",
        caught_by=LARGE,
        edits=[
            ("    values_per_token", "    import torch\n\n    values_per_token"),
            (ALL, f"int(torch.tensor(float({ALL})))"),
        ],
    ),
    Mistake(
        "tensor-returned",
        "The number is right, but it came as a tensor. Return a plain int.",
        edits=[("    values_per_token", "    import torch\n\n    values_per_token"), (ALL, f"torch.tensor({ALL})")],
    ),
    Mistake(
        "float-returned",
        "The number is right, but it is a float. A float holds only 15 digits or so: use whole numbers from start to end (* and //, not /).",
        caught_by=LARGE,
        edits=[(ALL, f"float({ALL})")],
    ),
    Mistake(
        "nothing-returned",
        "None came back. Is there a `return`?",
        edits=[("return batch", "batch")],
    ),
]
