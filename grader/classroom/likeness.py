"""Which learners' answers are alike beyond what the exercise, its stub, the course's own answers and the class explain.

A text is cut into words, twice: as it is written, with its comments, and with the learner's own names made alike, so
that renaming hides nothing. Runs of words that stand in the stub, in the course's own answers or in many learners'
answers say nothing and are left out. Pairs that share a run of what is left are compared word by word (RapidFuzz), and
those who share most of it are named. Nothing of a learner's is run or parsed, and only a bounded part of it is read.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from rapidfuzz.distance import LCSseq

View = Literal["written", "renamed"]
VIEWS: tuple[View, ...] = ("written", "renamed")

# Each piece of a text is begun at one place only, so that the time grows with the text.
WORD = re.compile(r"#[^\n]*|[^\W\d]\w*|\d\w*|\"[^\"\n]*\"|'[^'\n]*'|\n|[^\s\w]")
MOST_CHARACTERS = 60_000
MOST_WORDS = 6_000
"""Of one answer; what is beyond is not looked at."""

RUN: Mapping[View, int] = {"written": 6, "renamed": 10}
"""Words in a row that count as one thing."""
LEAST_SHARED: Mapping[View, int] = {"written": 18, "renamed": 40}
"""Words that a pair must share, of those that nothing explains."""
LEAST_PART = 0.7
"""The part that they must be of the shorter one's unexplained words."""
MANY_IN = 10
MANY_AT_LEAST = 4
"""What more than a tenth of the class has in common, and more than four learners, belongs to the exercise."""
MOST_WITH_A_RUN = 50
"""Of more who share a run that only comes about where something is left out, no pairs are made."""


@dataclass(frozen=True)
class Text:
    """One answer in words; `lines` says on which line each stands, from 1 on."""

    words: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Likeness:
    """Two learners' answers to one exercise, and what they share that nothing explains.

    part: of the shorter one's unexplained words. lines: those of either answer in which shared words stand.
    """

    exercise: str
    one: str
    other: str
    view: View
    shared: int
    part: float
    lines: tuple[frozenset[int], frozenset[int]]


def words_of(text: str) -> Text:
    """Cut a text into words and comments, as far as it is looked at."""
    words: list[str] = []
    lines: list[int] = []
    line = 1
    for found in WORD.finditer(text[:MOST_CHARACTERS]):
        word = found.group()
        if word == "\n":
            line += 1
        elif len(words) < MOST_WORDS:
            words.append(" ".join(word.split()))
            lines.append(line)
    return Text(tuple(words), tuple(lines))


def alike(exercise: str, answers: Mapping[str, str], known: Sequence[str]) -> list[Likeness]:
    """The pairs of learners whose answers to an exercise are alike, most first.

    answers: each learner's text. known: the stub and the course's own answers.
    """
    theirs = {name: words_of(text) for name, text in answers.items()}
    course = [words_of(text) for text in known]
    found: dict[tuple[str, str], Likeness] = {}
    for view in VIEWS:  # the same words say more than the same but for names
        for each in _alike_in(view, exercise, theirs, course):
            found.setdefault((each.one, each.other), each)
    return sorted(found.values(), key=lambda each: (-each.shared, each.one, each.other))


def _alike_in(view: View, exercise: str, theirs: Mapping[str, Text], course: Sequence[Text]) -> Iterator[Likeness]:
    names = {word for text in course for word in text.words}
    seen = {name: _seen(text, view, names) for name, text in theirs.items()}
    explained = {run for text in course for run in _runs(_seen(text, view, names).words, view)}
    explained |= _common((_runs(text.words, view) for text in seen.values()), len(seen))
    own = {name: _without(text, explained, view) for name, text in seen.items()}
    for one, other in _candidates(own, view):
        likeness = _compared(exercise, one, other, own, view)
        if likeness is not None:
            yield likeness


def _seen(text: Text, view: View, names: Collection[str]) -> Text:
    """A text in one of the views. Names that the course uses too, such as the library's, stay what they are."""
    if view == "written":
        return text
    kept = [(word, line) for word, line in zip(text.words, text.lines, strict=True) if not word.startswith("#")]
    words = (word if word in names or keyword.iskeyword(word) or not word.isidentifier() else "_" for word, _ in kept)
    return Text(tuple(words), tuple(line for _, line in kept))


def _runs(words: Sequence[str], view: View) -> Iterator[tuple[str, ...]]:
    length = RUN[view]
    return (tuple(words[start : start + length]) for start in range(len(words) - length + 1))


def _common(all_runs: Iterable[Iterable[tuple[str, ...]]], learners: int) -> set[tuple[str, ...]]:
    """Runs that many learners have."""
    counts = Counter(run for runs in all_runs for run in set(runs))
    many = max(MANY_AT_LEAST, learners // MANY_IN)
    return {run for run, count in counts.items() if count > many}


def _without(text: Text, explained: Collection[tuple[str, ...]], view: View) -> Text:
    """The words that stand in no run that is explained."""
    is_own = [True] * len(text.words)
    for start, run in enumerate(_runs(text.words, view)):
        if run in explained:
            is_own[start : start + RUN[view]] = [False] * RUN[view]
    kept = [place for place, own in enumerate(is_own) if own]
    return Text(tuple(text.words[place] for place in kept), tuple(text.lines[place] for place in kept))


def _candidates(own: Mapping[str, Text], view: View) -> list[tuple[str, str]]:
    """Pairs that share a run; of those whom many share none is left, so a run has few learners."""
    having: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, text in own.items():
        for run in set(_runs(text.words, view)):
            having[run].append(name)
    few = (sorted(names) for names in having.values() if len(names) <= MOST_WITH_A_RUN)
    return sorted({pair for names in few for pair in combinations(names, 2)})


def _compared(exercise: str, one: str, other: str, own: Mapping[str, Text], view: View) -> Likeness | None:
    first, second = own[one], own[other]
    shorter = min(len(first.words), len(second.words))
    if shorter < LEAST_SHARED[view]:
        return None
    places: tuple[set[int], set[int]] = set(), set()
    for block in LCSseq.editops(first.words, second.words).as_matching_blocks():
        if block.size >= RUN[view]:
            places[0].update(range(block.a, block.a + block.size))
            places[1].update(range(block.b, block.b + block.size))
    shared = len(places[0])
    if shared < LEAST_SHARED[view] or shared < LEAST_PART * shorter:
        return None
    lines = (
        frozenset(first.lines[place] for place in places[0]),
        frozenset(second.lines[place] for place in places[1]),
    )
    return Likeness(exercise, one, other, view, shared, shared / shorter, lines)


def by_pair(found: Iterable[Likeness]) -> dict[tuple[str, str], list[Likeness]]:
    """What each pair shares, those first who share most."""
    pairs: dict[tuple[str, str], list[Likeness]] = defaultdict(list)
    for each in found:
        pairs[each.one, each.other].append(each)
    return dict(sorted(pairs.items(), key=lambda pair: (-sum(each.shared for each in pair[1]), pair[0])))
