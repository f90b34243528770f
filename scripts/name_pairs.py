"""How many pairs of known mistakes are named as both? Pairs are drawn from each bank and graded, the names counted.

    python scripts/name_pairs.py                           ten pairs of every exercise
    python scripts/name_pairs.py softmax --pairs 50 --seed 7

A pair counts as named when both are; a name that is neither of the two is counted as another. (It may be right as well:
two mistakes can look like a third.) Exit status 1 when any is named that is neither.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

from grader.course import Course, load_course
from grader.intake import SourceFile, Submission
from grader.judge.grading import Judge
from grader.judge.mistakes import Mistake, both_from, load_bank
from grader.record import ExerciseResult, Record

ROOT = Path(__file__).resolve().parents[1]
NOT_NAMED = frozenset({"tiny_gpt"})
"""Its mistakes would have to be trained, two by two."""


def drawn_pairs(
    bank: tuple[Mistake, ...], reference: str, count: int, seed: int
) -> Iterator[tuple[Mistake, Mistake, str]]:
    """Some pairs of a bank that go together, and the file with both."""
    alone = [mistake for mistake in bank if not mistake.source and not mistake.same_as]
    pairs = list(combinations(alone, 2))
    random.Random(seed).shuffle(pairs)
    for one, other in pairs:
        text = both_from(one, other, reference)
        if text is not None and count > 0:
            count -= 1
            yield one, other, text


def kind_of(pair: tuple[Mistake, Mistake], result: ExerciseResult, same_as: Mapping[str, str]) -> str:
    """How far a pair was named."""
    named = {same_as.get(each.mistake) or each.mistake for each in result.diagnosis}
    expected = {mistake.id for mistake in pair}
    if named - expected:
        return "another"
    return ("none", "one", "both")[len(named)]


def name_pairs(course: Course, id: str, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Each pair in words, and how far it was named."""
    exercise = course.exercise(id)
    reference = course.solution_path(exercise).read_text("utf-8")
    bank = load_bank(course.mistakes_path(exercise))
    pairs = list(drawn_pairs(bank, reference, count, seed))
    judge, records = Judge(course, "process", seed=seed, only=[id]), list[Record]()
    try:
        files = [SourceFile(id, exercise.file_name, text.encode()) for _, _, text in pairs]
        judge.grade([Submission(f"pair {n}", {id: file}, ()) for n, file in enumerate(files)], records.append)
    finally:
        judge.close()
    same_as = {mistake.id: mistake.same_as for mistake in bank}
    for (one, other, _), record in zip(pairs, records, strict=True):
        result = next(each for each in record.exercises if each.id == id)
        named = ", ".join(each.mistake for each in result.diagnosis) or "nothing"
        yield f"{id}: {one.id} and {other.id}: {named}", kind_of((one, other), result, same_as)


def main() -> int:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="print what is not named as both")
    options = parser.parse_args()
    course = load_course(ROOT / "course.yml")
    ids = options.ids or [exercise.id for exercise in course.exercises if exercise.id not in NOT_NAMED]
    total = Counter[str]()
    for id in ids:
        kinds = Counter[str]()
        for what, kind in name_pairs(course, id, options.pairs, options.seed):
            kinds[kind] += 1
            if kind == "another" or (options.verbose and kind != "both"):
                print(f"  {what}")
        print(id, dict(kinds), flush=True)
        total += kinds
    print("all", dict(total))
    return 1 if total["another"] else 0


if __name__ == "__main__":
    sys.exit(main())
