"""Parts of checks that several exercises share, sentences included."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch

from .case import Case
from .compare import same
from .errors import CheckFailed
from .failure import expect
from .learner import Exchange, Learner


def drops_in_training_only(learner: Learner, case: Callable[..., Case]) -> None:
    """`case(dropout=, train=)` asks a module with dropout: with p = 1 nothing is left in training, all in eval()."""
    learner.agrees(case(dropout=1.0), case(dropout=1.0, train=True), case(dropout=0.0, train=True))
    learner.agrees(case(dropout=0.5), case(dropout=0.1))


def has_mask_as_buffer(learner: Learner, case: Case) -> None:
    """A case's module has a buffer named `mask`."""
    assert case.module is not None
    case.buffers(case.module)
    (answer,) = learner.ask(case)
    names = answer["buffers"]
    expect(
        isinstance(names, (list, tuple)) and any(isinstance(name, str) and name == "mask" for name in names),
        'There is no buffer named `mask`. Make it with self.register_buffer("mask", …), so that it moves along with '
        "the module.",
    )


def leaves_dict_alone(state: object, given: Mapping[str, torch.Tensor], instead: str) -> None:
    """A dict of tensors came back as it was given; `instead` says what else to do than to change a tensor."""
    expect(isinstance(state, Mapping), "The dict that was passed in could not be read afterwards.")
    assert isinstance(state, Mapping)
    missing = [name for name in given if name not in state]
    expect(
        not missing,
        f"Gone from the dict that was passed in: {', '.join(missing)}. Read with [...], not with pop or del.",
    )
    expect(len(state) == len(given), "The dict that was passed in has got new names. Put them into a dict of your own.")
    changed = [name for name, tensor in given.items() if not same(state[name], tensor)]
    expect(not changed, f"Changed in the dict that was passed in: {', '.join(changed)}. {instead}")


@contextmanager
def told_plainly(learner: Learner, *as_they_are: Case) -> Iterator[None]:
    """When the library stumbles over what came back, because it is no tensor, say what came back."""
    try:
        yield
    except CheckFailed:
        last = learner.exchanges[-1] if learner.exchanges else None
        answers = last.answers if isinstance(last, Exchange) else []
        if any(answer.error is not None and not answer.error.get("frames", True) for answer in answers):
            learner.outputs(*as_they_are)
        raise
