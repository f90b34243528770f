"""Runs a learner's file for `kata play` behind the wall, as in a check. What comes back is an unchecked claim.

A learner's class can be the attention of a model's layers. Most classes return no attention weights, but these can be
read off the output: give token k a value that is one at index k and zero elsewhere; then the output for a query is its
row of attention weights. So the learner's own code is called with such values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch
import torch.nn.functional as F

from grader.course import Exercise
from grader.judge.compare import form_difference
from grader.judge.failure import error_text
from grader.judge.faults import CheckFailed
from grader.judge.process import LocalProcess, Process, WalledProcess
from grader.judge.questions import Answers, Case, Question
from grader.sandbox.inside.wire import Slot
from grader.sandbox.levels import Launched, Level
from grader.sandbox.sandbox import open_sandbox

from .catalogue import Off, head_off
from .nets import CONTEXT, Projections


class Stopped(Exception):
    """The learner's code failed; the message is for the learner."""


class Stage:
    """One learner's file for one exercise, used by one scene after another.

    Each call of `begin` starts a new process with the time budget of one check.
    """

    def __init__(self, exercise: Exercise, source: bytes, level: Level, launched: Launched | None = None) -> None:
        self.exercise = exercise
        self.source = source
        self._sandbox = None if level == "none" else open_sandbox(level, launched)
        self._process = self._started()

    def _started(self) -> Process:
        if (sandbox := self._sandbox) is None:
            return LocalProcess(self.exercise, self.source)
        return WalledProcess(self.exercise, self.source, sandbox)

    def begin(self) -> None:
        """Start a new process with a fresh time budget."""
        self._process.close()
        self._process = self._started()

    def ask(self, *cases: Case) -> list[Answers]:
        """Run cases; return the answers. Raises Stopped if the learner's code fails, MachineError if the wall does."""
        try:
            answers = self._process.ask(Question.of(cases))
        except CheckFailed as failure:
            raise Stopped(str(failure)) from None
        for answer in answers:
            if answer.error is not None:
                lines = self._process.text.splitlines()
                raise Stopped(error_text(answer.error, lines, self._process.forbidden.reason, hide_numbers=False))
        return answers

    def tensors(self, case: Case, shapes: Sequence[Sequence[int]], dtype: torch.dtype) -> list[torch.Tensor]:
        """The tensors that a case returns, each checked for its shape. Raises as `ask`; Stopped for a wrong shape."""
        (answers,) = self.ask(case)
        return [formed(answers[name], shape, dtype) for name, shape in zip(case.returned.values(), shapes, strict=True)]

    def told(
        self, name: str, *given: Any, shape: Sequence[int], dtype: torch.dtype = torch.float32, **how: Any
    ) -> torch.Tensor:
        """What a function of the learner's file returns. Raises as `tensors`."""
        case = Case()
        case.call(case.entry(name), *given, return_as="told", **how)
        return self.tensors(case, [shape], dtype)[0]

    def close(self) -> None:
        """End the process and the wall."""
        with suppress(Exception):
            self._process.close()
        if self._sandbox is not None:
            self._sandbox.close()


def formed(value: Any, shape: Sequence[int], dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Check that a value is a tensor of this shape and dtype. Raises Stopped for anything else."""
    wrong = form_difference(value, torch.empty(tuple(shape), dtype=dtype), what="The output")
    if wrong:
        raise Stopped(wrong)
    assert isinstance(value, torch.Tensor)
    return value


# --- a class as the attention of some layers --------------------------------------------------------------------------

STANDARD = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "out": "o_proj"}
"""The parameters of most classes of the course, by the weights that they hold."""


@dataclass(frozen=True)
class Class:
    """How a learner's class is used as a layer's attention.

    init: the arguments of its `__init__`. names: what the parameters are called that hold a layer's weights; the judge
    applies the output projection of a class without one. has_biases: whether those of queries, keys and values have
    biases. heads: "one" for a class that is one head and is made once for each (the outputs are then concatenated),
    "list" for one that has a list of heads.
    """

    entry: str
    init: Callable[[Projections], tuple[float, ...]]
    names: Mapping[str, str] = field(default_factory=lambda: STANDARD)
    has_biases: bool = True
    heads: Literal["", "one", "list"] = ""

    def state(self, weights: Projections) -> dict[str, torch.Tensor]:
        """The weights as the class's state dict."""
        if self.heads == "list" and weights.heads > 1:
            states = [self.state(weights.head(number)) for number in range(weights.heads)]
            return {f"heads.{n}.{name}": tensor for n, state in enumerate(states) for name, tensor in state.items()}
        state = {f"{name}.weight": getattr(weights, part).contiguous() for part, name in self.names.items()}
        for part, name in self.names.items():
            if part == "out":
                state[f"{name}.bias"] = weights.out_bias
            elif self.has_biases:
                state[f"{name}.bias"] = torch.zeros(len(getattr(weights, part)))
        return state

    def made(self, case: Case, weights: Projections, dtype: torch.dtype = torch.float32) -> Slot:
        """Add to a case that a module is made with these weights."""
        module = case.call(case.entry(self.entry), *self.init(weights))
        case.prepare(module, dtype=dtype)
        case.load(module, self.state(weights))
        return module

    def outputs(self, case: Case, weights: Projections, *inputs: torch.Tensor) -> list[Slot]:
        """Add calls with these weights and inputs to a case; the outputs are slices of the width."""
        parts = [weights.head(number) for number in range(weights.heads)] if self.heads == "one" else [weights]
        return [case.call(self.made(case, each, inputs[0].dtype), *inputs) for each in parts]


@dataclass(frozen=True)
class Attending:
    """The attention of some layers, computed by a learner's class, with some parts switched off.

    A part is switched off by changing the inputs, not the code. A head: its columns of the output projection are zero.
    The scale: the queries are multiplied by √(head width). The mask: each token is put last in its text.
    """

    stage: Stage
    learned: Class
    layers: tuple[Projections, ...]
    off: Off = ()

    def attend(self, layer: int, x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        """The output of a layer's attention for x (b, n, width) and the class's other inputs. Raises Stopped."""
        return self._outputs([self._switched(layer)], x, *others)[0]

    def mixed(self, layer: int, x: torch.Tensor) -> torch.Tensor:
        """The values as the class mixes them (b, n, width), head beside head, before the output projection."""
        weights = self._switched(layer)
        width = len(weights.out)
        plain = replace(weights, out=torch.eye(width), out_bias=torch.zeros(width))
        return self._outputs([plain], x)[0]

    def weights(self, layer: int, x: torch.Tensor, *others: torch.Tensor, memory: bool = False) -> torch.Tensor:
        """The attention weights (heads, queries, keys) for one text (n, width). Raises Stopped.

        memory: keys and values come from the first of the others, not from x.
        """
        weights = self._switched(layer)
        looked_at = (others[0][0] if memory else x).double()
        each, n = weights.head_width, len(looked_at)
        if not bool(looked_at.isfinite().all()):  # an earlier layer put out NaN: then so does this one
            return torch.full((weights.heads, len(x), n), torch.nan)
        # maps the k-th token to a vector with a one at index k; exact if no token is a linear combination of others
        spread = torch.linalg.pinv(looked_at)
        probes = [_probe(weights, spread[:, start : start + each]) for start in range(0, n, each)]
        in_double = [each.double() if each.is_floating_point() else each for each in others]
        found = self._outputs(probes, x.double()[None], *in_double)
        by_head = [out.view(len(x), weights.heads, each).transpose(0, 1) for out in found]
        return torch.cat(by_head, dim=2)[:, :, :n].float()

    def _switched(self, layer: int) -> Projections:
        weights = self.layers[layer]
        if "scale" in self.off:
            weights = replace(weights, query=weights.query * weights.head_width**0.5)
        out = weights.out.clone()
        for head in range(weights.heads):
            if head_off(layer, head) in self.off:
                out[:, weights.places(head)] = 0
        return replace(weights, out=out)

    def _outputs(self, all_weights: list[Projections], x: torch.Tensor, *others: torch.Tensor) -> list[torch.Tensor]:
        """The outputs for x (b, n, width) with each of these weights, in one question."""
        b, n, width = x.shape
        case, asked, parts = Case(), _each_last(x) if "mask" in self.off else x, 1
        for number, weights in enumerate(all_weights):
            outputs = self.learned.outputs(case, weights, asked, *others)
            parts = len(outputs)
            for part, out in enumerate(outputs):
                # each token was put last
                told = case.call(out, 1, -1, method="select") if "mask" in self.off else out
                case.return_value(told, f"{number}.{part}")
        shape = (b * n, width // parts) if "mask" in self.off else (b, n, width // parts)
        came = self.stage.tensors(case, [shape] * len(case.returned), x.dtype)
        whole = [torch.cat(came[n : n + parts], -1).view(b, -1, width) for n in range(0, len(came), parts)]
        if "out" in self.learned.names:
            return whole
        pairs = zip(whole, all_weights, strict=True)
        return [F.linear(out, each.out.to(x.dtype), each.out_bias.to(x.dtype)) for out, each in pairs]


def _probe(weights: Projections, spread: torch.Tensor) -> Projections:
    """Weights with which each head's output is its attention weights for some of the tokens."""
    value = torch.zeros_like(weights.value, dtype=torch.float64)
    value.view(weights.heads, weights.head_width, -1)[:, : spread.shape[1]] = spread.T
    width = len(value)
    whole = torch.eye(width, dtype=torch.float64)
    return replace(weights, value=value, out=whole, out_bias=torch.zeros(width, dtype=torch.float64))


def _each_last(x: torch.Tensor) -> torch.Tensor:
    """Each token of each text once as the last one, (b·n, n, width): so it sees all others, whatever the mask."""
    b, n, width = x.shape
    order = [[*range(last), *range(last + 1, n), last] for last in range(n)]
    return x[:, order].reshape(b * n, n, width)


# --- the classes of the course ------------------------------------------------------------------------------------

_LINEAR = {"query": "linear_q", "key": "linear_k", "value": "linear_v"}
_W = {"query": "W_query", "key": "W_key", "value": "W_value"}

CACHED = Class("CachedAttention", lambda w: (len(w.query), w.heads))
CLASSES = {
    "self_attention": Class("MySelfAttention", lambda w: (len(w.query),), _LINEAR),
    "cross_attention": Class("CrossAttention", lambda w: (len(w.query),), _LINEAR),
    "causal_attention": Class(
        "CausalAttention", lambda w: (len(w.out), len(w.query), CONTEXT, 0.0), _W, has_biases=False, heads="one"
    ),
    "multi_head_wrapper": Class(
        "MultiHeadAttentionWrapper",
        lambda w: (len(w.out), w.head_width, CONTEXT, 0.0, w.heads),
        _W,
        has_biases=False,
        heads="list",
    ),
    "multi_head_attention": Class(
        "MultiHeadAttention",
        lambda w: (len(w.out), len(w.out), CONTEXT, 0.0, w.heads),
        {**_W, "out": "out_proj"},
        has_biases=False,
    ),
    "padded_multi_head_attention": Class("MultiHeadAttention", lambda w: (len(w.out), w.heads, 0.0)),
}
"""By exercise. Numbers of `__init__`: widths, the longest text, dropout, heads."""
