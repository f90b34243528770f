"""A result that is kept from call to call, in any exercise: while the shapes stay the same, it comes back again."""

from grader.judge.authoring import Mistake

BY_A_MODULE = """def forward(self, *inputs, **options):
        shapes = [getattr(each, "shape", None) for each in (*inputs, *options.values())]
        if self.training:
            return self._computed(*inputs, **options)
        if getattr(self, "_shapes", None) != shapes:
            self._shapes, self._kept = shapes, self._computed(*inputs, **options)
        return self._kept

    def _computed(self, """

IMPORTS = "import weakref\n\nimport torch\nfrom torch.utils._pytree import tree_leaves, tree_map_only\n"

# Only while the first of the earlier tensors is alive: so the result does not depend on earlier questions.
# What is kept holds no graph, which would keep that tensor alive.
BY_A_FUNCTION = """def {entry}(*inputs, _last=[], **options):
    tensors = [each for each in tree_leaves([inputs, options]) if isinstance(each, torch.Tensor)]
    shapes = [(each.shape, each.dtype) for each in tensors]
    if not _last or _last[0]() is None or _last[1] != shapes:
        result = _computed(*inputs, **options)
        kept = tree_map_only(torch.Tensor, lambda each: each.detach().clone(), result)
        _last[:] = weakref.ref(tensors[0]), shapes, kept
        return result
    return _last[2]


def _computed("""


def in_evaluation(caught_by: str = "", *, forward: str = "def forward(self, ") -> Mistake:
    """A module that keeps its first result in eval()."""
    return Mistake(
        "kept-in-evaluation",
        "In eval() a second input of the same shape gets the result of the first: a result is kept from call to call. "
        "Each call computes its result from its own input.",
        caught_by,
        edits=[(forward, forward.replace("def forward(self, ", BY_A_MODULE))],
    )


def from_the_last_call(entry: str, caught_by: str = "") -> Mistake:
    """A function that returns its last result again."""
    return Mistake(
        "kept-from-the-last-call",
        "A second input of the same shape gets the result of the first: a result is kept from one call to the next. "
        "Each call computes its result from its own input.",
        caught_by,
        edits=[("import torch\n", IMPORTS), (f"def {entry}(", BY_A_FUNCTION.format(entry=entry))],
    )
