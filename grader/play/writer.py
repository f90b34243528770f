"""`tiny_gpt`: trains the learner's own class while the learner watches; it writes at the start, middle and end."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import torch

from grader.errors import KataError
from grader.judge.questions import Case

from .catalogue import Play, switched_off
from .nets import loss_by_letter
from .parts import Curve, Part, Words, Written
from .stage import Stage, Stopped, formed

WIDTH, HEADS, LAYERS, CONTEXT = 48, 4, 2, 24
ROUNDS, STEPS, BATCH, RATE = 12, 20, 16, 4e-3
"""Training has ROUNDS rounds of STEPS steps, each on a batch of BATCH pieces of the text."""
WINDOWS = 24
WRITTEN_LETTERS = 60
LEAST, MOST, MOST_SIGNS = 3 * CONTEXT, 20_000, 120
SEED = 7
BAR = 40


class WriterScene:
    """Trains the learner's class on a text. The weights so far are kept, so that training can go on after a stop."""

    def __init__(self, play: Play, stage: Stage) -> None:
        self._play, self._stage = play, stage
        self._text = ""

    def parts(self, text: str, off: Sequence[str], *, in_full: bool) -> Iterator[Part]:
        """The falling loss, texts written on the way, and the loss curve. Goes on where it was stopped."""
        switched_off(self._play, off, LAYERS, HEADS)
        if text != self._text:
            self._begin(text)
            yield Words(
                f"Your TinyGPT ({LAYERS} layers, {WIDTH} wide, {HEADS} heads) reads a text of {len(text)} letters, "
                f"{CONTEXT} at a time, in {ROUNDS} rounds of {STEPS} steps. It begins knowing nothing."
            )
        while len(self._losses) <= ROUNDS:
            loss, said = self._round()
            share = min(1.0, loss / self._losses[0]) if math.isfinite(loss) and self._losses[0] > 0 else 0.0
            done = len(self._losses) - 1
            yield Words(f"step {done * STEPS:>3}  loss {loss:.2f}  " + "#" * round(BAR * share), "line")
            if done in (0, ROUNDS // 2, ROUNDS):
                self._written.append((f"after {done * STEPS} steps", said))
                yield Written("It writes", self._prompt, (self._written[-1],))
        places = tuple(float(number * STEPS) for number in range(len(self._losses)))
        yield Curve("The loss as it fell", "steps", "loss in nats", places, (("loss", tuple(self._losses)),))
        yield Written("What it wrote", self._prompt, tuple(self._written))
        if not self._losses[-1] < 0.8 * self._losses[0]:
            yield Words("It has hardly learned. Look at the residual connections, and at who sees whom.", "warning")
        yield from map(Words, self._play.closing)

    def _begin(self, text: str) -> None:
        self._signs = sorted(set(text))
        if not (LEAST <= len(text) <= MOST and len(self._signs) <= MOST_SIGNS):
            raise KataError(
                f"A text to learn has {LEAST} to {MOST} letters, and at most {MOST_SIGNS} different ones. "
                f"This one has {len(text)}, and {len(self._signs)} different ones."
            )
        self._text = text
        self._losses: list[float] = []
        self._written: list[tuple[str, str]] = []
        self._state: dict[str, torch.Tensor] = {}
        self._ids = torch.tensor([self._signs.index(sign) for sign in text])
        self._prompt = text[: CONTEXT // 3].replace("\n", " ")
        self._windows = self._ids.unfold(0, CONTEXT + 1, 1)[:: max(1, len(text) // WINDOWS)][:WINDOWS]

    def _round(self) -> tuple[float, str]:
        """Train for a round (the first round only measures); return the loss and a text that the model writes."""
        self._stage.begin()
        case = Case(seed=SEED)
        model = case.call(case.entry("TinyGPT"), len(self._signs), WIDTH, HEADS, LAYERS, CONTEXT)
        if self._state:
            given = {name: case.tensor(tensor) for name, tensor in self._state.items()}
            case.call(model, given, method="load_state_dict")
        if self._losses:
            chance = torch.Generator().manual_seed(SEED + len(self._losses))
            starts = torch.randint(len(self._ids) - CONTEXT, (STEPS, BATCH), generator=chance)
            case.train(model, self._ids[starts[..., None] + torch.arange(CONTEXT + 1)], RATE)
        case.prepare(model)
        case.call(model, self._windows[:, :-1].contiguous(), return_as="logits")
        prompt = self._ids[None, : len(self._prompt)].contiguous()
        case.call(model, prompt, WRITTEN_LETTERS, method="generate", return_as="written")
        case.call(model, method="state_dict", return_as="state")
        (answers,) = self._stage.ask(case)
        logits = formed(answers["logits"], (*self._windows[:, :-1].shape, len(self._signs)))
        ids = formed(answers["written"], (1, prompt.shape[1] + WRITTEN_LETTERS), torch.int64)[0, prompt.shape[1] :]
        if not all(0 <= number < len(self._signs) for number in ids.tolist()):
            raise Stopped("What generate returns are not all tokens: whole numbers from 0, below vocab_size.")
        state = answers["state"]
        if not isinstance(state, dict) or not all(isinstance(each, torch.Tensor) for each in state.values()):
            raise Stopped("The state_dict of your model should be tensors by name.")
        self._state = state
        self._losses.append(loss_by_letter(logits, self._windows[:, 1:]).mean().item())
        return self._losses[-1], "".join(self._signs[number] for number in ids).replace("\n", " ")
