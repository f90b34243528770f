"""What an author got wrong in a kit is told with file and line. What `kata verify` prints: tests/transcripts."""

from __future__ import annotations

from pathlib import Path

from grader.authoring.kit import incomplete, misfits, write_stubs
from grader.authoring.verify import wrong_examples
from grader.course import load_course

from ..cases import rows, table


@rows(table(__file__, "kit_mistakes.yml"))
def test_what_an_author_got_wrong_is_told_once_with_its_file_and_line(case: dict[str, str], tiny_course: Path) -> None:
    file = case["file"]
    before, found, after = (tiny_course / file).read_text().partition(case["before"])
    assert found
    (tiny_course / file).write_text(f"{before}{case['after']}{after}")
    course = load_course(tiny_course / "course.yml")
    (exercise,) = course.exercises
    write_stubs(course, [exercise])
    (sentence,) = incomplete(course, exercise) or misfits(course, exercise) or wrong_examples(course, exercise)
    lines = (tiny_course / file).read_text().splitlines()
    line = next(number for number, each in enumerate(lines, 1) if case["line_with"] in each)
    assert f"{file}:{line}" in sentence and case["told"] in sentence, sentence
