"""Finds learners whose answers are more alike than the exercise, its stub, the course's answers and the class explain.

A text is split into words, in two views: as written, with comments; and with the learner's own names replaced, so that
renaming hides nothing. Runs of words that occur in the stub, in the course's answers or in many learners' answers are
left out. Pairs that share a remaining run are compared word by word (RapidFuzz), and those that share most of it are
reported. Learners' code is neither run nor parsed, and only a bounded part is read.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from rapidfuzz.distance import LCSseq

from grader.course import Course, Exercise
from grader.course.stubs import same_as_stub, stub_of

from .entries import Entry, OutOfReach, read_entry

Answers = dict[str, dict[str, str]]
"""answers[exercise][learner]: the text."""

View = Literal["written", "renamed"]
VIEWS: tuple[View, ...] = ("written", "renamed")

# Each kind of token has its own first character, so matching takes time linear in the text.
WORD = re.compile(r"#[^\n]*|[^\W\d]\w*|\d\w*|\"[^\"\n]*\"|'[^'\n]*'|\n|[^\s\w]")
MOST_CHARACTERS = 60_000
MOST_WORDS = 6_000
"""Words of one answer that are compared; the rest is ignored."""

RUN: Mapping[View, int] = {"written": 6, "renamed": 10}
"""The length of a run, in words."""
LEAST_SHARED: Mapping[View, int] = {"written": 18, "renamed": 40}
"""The fewest unexplained words that a pair must share."""
LEAST_PART = 0.7
"""The fewest that they must share, as a part of the shorter one's unexplained words."""
MANY_IN = 10
MANY_AT_LEAST = 4
"""A run that more than 4 learners, and more than a tenth of the class, have is explained by the exercise."""
NO_GROUPS: Mapping[str, str] = {}
MOST_WITH_A_RUN = 50
"""No pairs are formed of more learners than this: such a run only appears where something was left out in between."""


@dataclass(frozen=True)
class Text:
    """One answer as words; `lines` has the line of each, from 1 on."""

    words: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Likeness:
    """Two learners' answers to one exercise, and what they share that nothing explains.

    part: shared words as a part of the shorter one's unexplained words. lines: the lines of both answers with shared
    words.
    """

    exercise: str
    one: str
    other: str
    view: View
    shared: int
    part: float
    lines: tuple[frozenset[int], frozenset[int]]


def words_of(text: str) -> Text:
    """Split a text into words and comments, up to MOST_WORDS."""
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


def alike(
    exercise: str, answers: Mapping[str, str], known: Sequence[str], groups: Mapping[str, str] = NO_GROUPS
) -> list[Likeness]:
    """The pairs of learners whose answers to an exercise are alike, those that share most first.

    answers: each learner's text. known: the stub and the course's own answers. groups: each learner's group; members of
    one group are no pair, and count as one learner for a run's frequency.
    """
    theirs = {name: words_of(text) for name, text in answers.items()}
    course = [words_of(text) for text in known]
    found: dict[tuple[str, str], Likeness] = {}
    for view in VIEWS:  # first as written: that says more than equality after renaming
        for each in _alike_in(view, exercise, theirs, course, groups):
            found.setdefault((each.one, each.other), each)
    return sorted(found.values(), key=lambda each: (-each.shared, each.one, each.other))


@dataclass(frozen=True)
class _Coded:
    """A text as a string with one character for each word: strings are compared much faster."""

    codes: str
    lines: tuple[int, ...]

    def runs(self, length: int) -> Iterator[str]:
        """All runs of this many words."""
        return (self.codes[start : start + length] for start in range(len(self.codes) - length + 1))

    def covered(self, runs: Collection[str], length: int) -> list[bool]:
        """Which words are part of one of these runs."""
        is_in = [False] * len(self.codes)
        for start, run in enumerate(self.runs(length)):
            if run in runs:
                is_in[start : start + length] = [True] * length
        return is_in

    def kept(self, is_kept: Sequence[bool]) -> _Coded:
        """Only the words to keep."""
        places = [place for place, keep in enumerate(is_kept) if keep]
        return _Coded("".join(self.codes[place] for place in places), tuple(self.lines[place] for place in places))


def _coded(texts: Sequence[Text]) -> list[_Coded]:
    """Encode texts in a common alphabet.

    A word that occurs in one text only equals no other word, so all such words of a text share one character: this way
    the characters suffice for any input.
    """
    having = Counter(word for text in texts for word in set(text.words))
    of: dict[str, str] = {}
    for word, count in having.items():
        if count > 1:
            of[word] = _character(len(texts) + len(of))
    return [
        _Coded("".join(of.get(word) or _character(number) for word in text.words), text.lines)
        for number, text in enumerate(texts)
    ]


def _character(number: int) -> str:
    """The character with this number, skipping surrogates."""
    return chr(number if number < _SURROGATES.start else number + len(_SURROGATES))


_SURROGATES = range(0xD800, 0xE000)


def _alike_in(
    view: View, exercise: str, theirs: Mapping[str, Text], course: Sequence[Text], groups: Mapping[str, str]
) -> Iterator[Likeness]:
    length = RUN[view]
    names = {word for text in course for word in text.words}
    coded = _coded([_seen(text, view, names) for text in (*course, *theirs.values())])
    seen = dict(zip(theirs, coded[len(course) :], strict=True))
    explained = {run for text in coded[: len(course)] for run in text.runs(length)}
    explained |= _common(seen, groups, length)
    own = {name: text.kept([not each for each in text.covered(explained, length)]) for name, text in seen.items()}
    runs = {name: set(text.runs(length)) for name, text in own.items()}
    for one, other in _candidates(runs, groups):
        if _may_be_alike(own[one], own[other], runs[one] & runs[other], view):
            likeness = _compared(exercise, one, other, own, view)
            if likeness is not None:
                yield likeness


def _seen(text: Text, view: View, names: Collection[str]) -> Text:
    """A text in one of the views. Names that the course also uses, such as a library's, are not replaced."""
    if view == "written":
        return text
    kept = [(word, line) for word, line in zip(text.words, text.lines, strict=True) if not word.startswith("#")]
    words = (word if word in names or keyword.iskeyword(word) or not word.isidentifier() else "_" for word, _ in kept)
    return Text(tuple(words), tuple(line for _, line in kept))


def _common(seen: Mapping[str, _Coded], groups: Mapping[str, str], length: int) -> set[str]:
    """Runs that many learners have; a group that handed in together counts once."""
    together: dict[str, set[str]] = defaultdict(set)
    for name, text in seen.items():
        together[_submitter(name, groups)].update(text.runs(length))
    counts = Counter(run for runs in together.values() for run in runs)
    many = max(MANY_AT_LEAST, len(together) // MANY_IN)
    return {run for run, count in counts.items() if count > many}


def _submitter(name: str, groups: Mapping[str, str]) -> str:
    return f"group {groups[name]}" if name in groups else f"learner {name}"


def _candidates(runs: Mapping[str, Collection[str]], groups: Mapping[str, str]) -> list[tuple[str, str]]:
    """Pairs that share a run. Frequent runs are removed already, so each run has few learners."""
    having: dict[str, list[str]] = defaultdict(list)
    for name, theirs in runs.items():
        for run in theirs:
            having[run].append(name)
    few = {tuple(sorted(names)) for names in having.values() if 1 < len(names) <= MOST_WITH_A_RUN}
    pairs = {pair for names in few for pair in combinations(names, 2)}
    return sorted(pair for pair in pairs if _submitter(pair[0], groups) != _submitter(pair[1], groups))


def _may_be_alike(first: _Coded, second: _Coded, shared: Collection[str], view: View) -> bool:
    """A quick test: whether both texts have enough words in runs that both contain, in any order."""
    least = _least(first, second, view)
    return all(sum(text.covered(shared, RUN[view])) >= least for text in (first, second))


def _least(first: _Coded, second: _Coded, view: View) -> float:
    """The number of words that they must share."""
    return max(LEAST_SHARED[view], LEAST_PART * min(len(first.codes), len(second.codes)))


def _compared(exercise: str, one: str, other: str, own: Mapping[str, _Coded], view: View) -> Likeness | None:
    first, second = own[one], own[other]
    places: tuple[set[int], set[int]] = set(), set()
    for block in LCSseq.editops(first.codes, second.codes).as_matching_blocks():
        if block.size >= RUN[view]:
            places[0].update(range(block.a, block.a + block.size))
            places[1].update(range(block.b, block.b + block.size))
    shared = len(places[0])
    if shared < _least(first, second, view):
        return None
    lines = (
        frozenset(first.lines[place] for place in places[0]),
        frozenset(second.lines[place] for place in places[1]),
    )
    return Likeness(exercise, one, other, view, shared, shared / min(len(first.codes), len(second.codes)), lines)


def by_pair(found: Iterable[Likeness]) -> dict[tuple[str, str], list[Likeness]]:
    """The likenesses of each pair; pairs that share most first."""
    pairs: dict[tuple[str, str], list[Likeness]] = defaultdict(list)
    for each in found:
        pairs[each.one, each.other].append(each)
    return dict(sorted(pairs.items(), key=lambda pair: (-sum(each.shared for each in pair[1]), pair[0])))


def answers_of(course: Course, entries: Iterable[Entry], say: Callable[[str], None]) -> Answers:
    """Every learner's answers; untouched stubs are left out.

    say: receives a sentence about a submission that this machine cannot read.
    """
    stubs = {each.id: stub_of(course, each) for each in course.exercises}
    answers: Answers = {}
    for entry in entries:
        try:
            read = read_entry(entry, course)
        except OutOfReach as error:
            say(f"{entry.name}: {error}")
            continue
        for id, source in read.sources.items():
            if not same_as_stub(source.content, stubs[id]):
                answers.setdefault(id, {})[entry.name] = source.content.decode("utf-8", "replace")
    return answers


def known_answers(course: Course, exercise: Exercise) -> Iterator[str]:
    """Texts that explain an answer: the stub, the reference, and other right answers."""
    yield stub_of(course, exercise)
    for path in (course.solution_path(exercise), *course.alternatives(exercise)):
        if path.is_file():
            yield path.read_text(encoding="utf-8")
