"""How many wrong answers get the name of their mistake, and does any get a wrong one? `python benchmarks/naming.py`.

Eight kinds of answers are graded:

    known        each mistake of the banks, alone: the name is its own, or that of one with the same message
    slips        textbook slips in code that was written otherwise (the alternatives), one at a time, see slips.py
    other slips  the same with a second list of slips
    written      whole answers as learners write them, each with a slip, from written/seen; those without a name
                 were looked at, and the banks mended
    held back    the same from written/held_back: nothing was mended for these before they were measured; with both
                 kinds, it prints how many of them a part of each bank would name
    two slips    two slips at once
    others       mistakes of another exercise whose file has the same entry points
    right        every right answer, the alternatives and those of written/right: it gets no name at all

A name is put to the test with other hidden numbers: whoever makes this mistake fails there each check that the named
mistake fails. A name that does not hold there is wrong. `--kind KIND` takes answers of one kind, `--every N` every Nth
of each kind in each exercise, `--only ID` an exercise.
Ctrl-C ends early and reports what was done. `scripts/name_pairs.py` counts how many pairs of a bank are named as both.
It ends with status 1 when an aim is missed: 97 % of the known mistakes, 85 % of the slips and of the written answers,
no wrong name.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from slips import OTHER_SLIPS, pairs_in, slips_in

from grader.course import Course, Exercise, load_course
from grader.intake import SourceFile, Submission
from grader.judge.alternatives import load_alternatives
from grader.judge.grading import Judge
from grader.judge.mistakes import Mistake, both_from, load_bank
from grader.record import ExerciseResult, Record
from grader.sandbox.doctor import strongest_level

ROOT = Path(__file__).resolve().parent.parent
SEEDS = 2026, 4052
"""Of the grading, and of the test of the names."""
TRAINED = "tiny_gpt"
"""Each answer to this one is trained; its mistakes are named by the kit's own tests."""
RETURNS_A_LAYER = "to_linear"
"""The slips are in what becomes of tensors: a layer cannot be detached, and Python says so."""
WRITTEN = {"written": "seen", "held back": "held_back", "right": "right"}
"""The folders of three kinds, beside this file; the first line of each answer says what it is."""
AIMS = {"known": 0.97, "slips": 0.85, "written": 0.85, "held back": 0.85}
KINDS = ("known", "slips", "other slips", *WRITTEN, "two slips", "others")
PARTS = 0.25, 0.5, 0.75, 1.0
SHOWN = 25
"""Of the answers without a name, and of those with a wrong one."""


@dataclass(frozen=True)
class Answer:
    """One file to be graded; `expected`: sets of names of which each is right, none where nobody knows."""

    kind: str
    exercise: Exercise
    what: str
    source: str
    expected: tuple[frozenset[str], ...] = ()

    def submission(self) -> Submission:
        """As it is handed in."""
        file = SourceFile(self.exercise.id, self.exercise.file_name, self.source.encode("utf-8"))
        return Submission(self.what, {self.exercise.id: file}, ())


@dataclass
class Tally:
    """What became of one kind of answers."""

    failed: int = 0
    named: int = 0
    names: list[tuple[str, list[str]]] = field(default_factory=list)
    """Of each answer with a name that holds: its exercise, and the names."""
    wrongly: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Of those that failed, how many got a name that holds."""
        return self.named / self.failed if self.failed else 1.0


class Bank:
    """An exercise's mistakes, with the reference that they are edits of."""

    def __init__(self, course: Course, exercise: Exercise) -> None:
        self.reference = course.solution_path(exercise).read_text("utf-8")
        self.mistakes = {each.id: each for each in load_bank(course.mistakes_path(exercise))}

    def alike(self, mistake: Mistake) -> frozenset[str]:
        """The names that say the same of a mistake."""
        roots = {mistake.id, mistake.same_as}
        alike = (each for each in self.mistakes.values() if {each.id, each.same_as} & (roots - {""}))
        same = {each.id for each in alike} | {e.id for e in self.mistakes.values() if e.message == mistake.message}
        return frozenset(same)

    def source_of(self, ids: Sequence[str]) -> str | None:
        """The reference with one named mistake, or with two."""
        chosen = [self.mistakes[id] for id in ids]
        if len(chosen) == 1:
            return chosen[0].source_from(self.reference)
        return both_from(chosen[0], chosen[1], self.reference) if len(chosen) == 2 else None


def answers(course: Course, exercise: Exercise, banks: dict[str, Bank]) -> Iterator[Answer]:
    """All that is graded for an exercise."""
    bank = banks[exercise.id]
    for mistake in bank.mistakes.values():
        text = mistake.source_from(bank.reference)
        yield Answer("known", exercise, mistake.id, text, tuple(frozenset({id}) for id in bank.alike(mistake)))
    for id, source in load_alternatives(course, exercise).items():
        yield Answer("right", exercise, id, source)
        if exercise.id == RETURNS_A_LAYER:
            continue
        for name, text in slips_in(source):
            yield Answer("slips", exercise, f"{id}: {name}", text)
        for name, text in slips_in(source, OTHER_SLIPS):
            yield Answer("other slips", exercise, f"{id}: {name}", text)
        for name, text in pairs_in(source):
            yield Answer("two slips", exercise, f"{id}: {name}", text)
    for kind, folder in WRITTEN.items():
        for path in sorted((Path(__file__).with_name("written") / folder / exercise.id).glob("*.py")):
            source = path.read_text("utf-8")
            yield Answer(kind, exercise, source.partition("\n")[0].removeprefix("# "), source)
    for other_one in course.exercises:
        if other_one.id != exercise.id and set(other_one.entry_points) == set(exercise.entry_points):
            for mistake in (theirs := banks[other_one.id]).mistakes.values():
                text = mistake.source_from(theirs.reference)
                yield Answer("others", exercise, f"{other_one.id}: {mistake.id}", text)


def graded(judge: Judge, seed: int, each: Iterable[Answer]) -> list[ExerciseResult]:
    """What the judge says of each with this seed."""
    judge.seed = seed
    asked, records = list(each), list[Record]()
    judge.grade((answer.submission() for answer in asked), records.append)
    found = zip(asked, records, strict=True)
    return [next(r for r in record.exercises if r.id == answer.exercise.id) for answer, record in found]


def failed_checks(result: ExerciseResult) -> set[str]:
    """The names of the checks that failed."""
    return {check.name for check in result.checks if check.outcome == "failed"}


def measure(judge: Judge, all_answers: Sequence[Answer], banks: dict[str, Bank], tallies: dict[str, Tally]) -> None:
    """Grade, put every name to the test, and count."""
    results = graded(judge, SEEDS[0], all_answers)
    named = [
        (answer, [each.mistake for each in result.diagnosis])
        for answer, result in zip(all_answers, results, strict=True)
        if result.diagnosis
    ]
    holds = dict(zip((id(answer) for answer, _ in named), _hold(judge, named, banks), strict=True))
    for answer, result in zip(all_answers, results, strict=True):
        tally = tallies.setdefault(answer.kind, Tally())
        names = [each.mistake for each in result.diagnosis]
        if answer.kind == "right":
            tally.failed += 1
            tally.named += result.status == "passed" and not names
            tally.wrongly += [f"{_called(answer)} is {result.status}: {names}"] * (
                result.status != "passed" or bool(names)
            )
        elif result.status == "failed":
            tally.failed += 1
            if not names:
                tally.unnamed.append(_called(answer))
            elif holds[id(answer)] and (not answer.expected or frozenset(names) in answer.expected):
                tally.named += 1
                tally.names.append((answer.exercise.id, names))
            else:
                tally.wrongly.append(f"{_called(answer)} is called {' + '.join(names)}")


def _hold(judge: Judge, named: Sequence[tuple[Answer, list[str]]], banks: dict[str, Bank]) -> list[bool]:
    """Whether each answer fails, with other numbers, all that the mistakes it was named after fail, each alone."""
    theirs = {(answer.exercise.id, name): answer for answer, names in named for name in names}
    texts = {key: banks[key[0]].source_of([key[1]]) or "" for key in theirs}
    asked = [Answer("named", theirs[key].exercise, key[1], text) for key, text in texts.items()]
    known = dict(zip(theirs, map(failed_checks, graded(judge, SEEDS[1], asked)), strict=True))
    again = graded(judge, SEEDS[1], [answer for answer, _ in named])
    return [
        all(known[answer.exercise.id, name] <= failed_checks(result) for name in names)
        or _fails_alike(judge, answer, names, banks, result)
        for (answer, names), result in zip(named, again, strict=True)
    ]


def _fails_alike(
    judge: Judge, answer: Answer, names: Sequence[str], banks: dict[str, Bank], result: ExerciseResult
) -> bool:
    """Two mistakes may undo each other in a check: then it is both together that must fail alike."""
    text = banks[answer.exercise.id].source_of(names) if len(names) == 2 else None
    if text is None:
        return False
    (both,) = graded(judge, SEEDS[1], [Answer("named", answer.exercise, "both", text)])
    return failed_checks(both) <= failed_checks(result)


def _called(answer: Answer) -> str:
    return f"{answer.exercise.id}, {answer.what}"


def print_curve(known: Tally, unseen: Tally, banks: dict[str, Bank]) -> None:
    """How many of the held-back answers a part of each bank would still name.

    The banks are ordered by how often the other written answers are named after a mistake. It is the least that would
    be named: where a mistake is left out, another one may explain the answer as well.
    """
    often = Counter((exercise, name) for exercise, names in known.names for name in names)
    order = {id: sorted(bank.mistakes, key=lambda name: -often[id, name]) for id, bank in banks.items()}
    for part in PARTS:
        kept = {id: set(names[: round(len(names) * part)]) for id, names in order.items()}
        named = sum(kept[exercise].issuperset(names) for exercise, names in unseen.names)
        print(f"with {part:.0%} of each bank {named} of {unseen.failed} held-back answers are named")


def main() -> None:
    """Measure, print a table and what has no name or a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--only", action="append", metavar="ID")
    parser.add_argument("--kind", action="append", choices=KINDS, metavar="KIND", help=", ".join(KINDS))
    options = parser.parse_args()
    course = load_course(ROOT / "course.yml")
    chosen = [each for each in course.exercises if each.id != TRAINED and each.id in (options.only or [each.id])]
    banks = {each.id: Bank(course, each) for each in course.exercises}
    tallies: dict[str, Tally] = {}
    with suppress(KeyboardInterrupt):  # what was done until then is told
        for exercise in chosen:  # a judge for each: what one keeps of an exercise's mistakes takes much room
            judge = Judge(course, strongest_level(), SEEDS[0], [exercise.id])
            try:
                asked = list(answers(course, exercise, banks))
                of_kinds = ([each for each in asked if each.kind == kind] for kind in options.kind or KINDS)
                measure(judge, [each for kind in of_kinds for each in kind[:: options.every]], banks, tallies)
            finally:
                judge.close()
            print(f"{exercise.id} is done", file=sys.stderr)
    print(f"{'kind':12} {'failed':>7} {'named':>7} {'share':>7} {'wrongly':>8}")
    for kind, tally in tallies.items():
        print(f"{kind:12} {tally.failed:7} {tally.named:7} {tally.share:7.1%} {len(tally.wrongly):8}")
    for kind, tally in tallies.items():
        for said, those in (("wrongly named", tally.wrongly), ("without a name", tally.unnamed)):
            for one in those[:SHOWN]:
                print(f"{kind}, {said}: {one}")
            if len(those) > SHOWN:
                print(f"{kind}, {said}: {len(those) - SHOWN} more")
    if "written" in tallies and "held back" in tallies:
        print_curve(tallies["written"], tallies["held back"], banks)
    missed = [kind for kind, aim in AIMS.items() if kind in tallies and tallies[kind].share < aim]
    wrong = sum(len(tally.wrongly) for tally in tallies.values())
    if missed or wrong:
        sys.exit(f"Missed: {', '.join(missed) or 'no aim'}; {wrong} wrong names.")


if __name__ == "__main__":
    main()
