"""Draw the way of a submission for docs/architecture.md: `python scripts/draw_architecture.py [--into FOLDER]`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from pictures.drawing import BAD, FRAME, PALE, PANEL, TINTS, Picture

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
WIDTH, HEIGHT = 760, 470
BLUE, YELLOW, GREEN, PINK = TINTS

TITLE = "The way of a submission through the grader"
DESCRIPTION = (
    "A folder, zip, notebook or file is read by grader/intake, which never runs it. The judge, with hidden checks, "
    "references and known mistakes, sends requests with tensors through the wall. Behind the wall a warm process, the "
    "zygote, makes one fork for each exercise; the fork locks itself down before it loads the learner's code, and "
    "sends back plain data. The judge compares and diagnoses, and makes one record. Reports, exports, the class's "
    "results and nbgrader's gradebook only read the record."
)


def draw() -> Picture:
    """From the submission, left, down to the record and all that is made of it."""
    picture = Picture(WIDTH, HEIGHT, TITLE, DESCRIPTION)

    _part(picture, 20, 40, 140, "submission", ["folder, zip,", "notebook, file"], PANEL)
    _part(picture, 20, 170, 140, "intake", ["text by exercise;", "nothing is run", "", "grader/intake"], YELLOW)
    picture.arrow((90, 124), (90, 166))
    picture.arrow((162, 222), (208, 222))

    _part(
        picture,
        212,
        60,
        200,
        "judge",
        ["hidden checks", "references", "known mistakes", "", "asks, compares,", "diagnoses", "", "grader/judge"],
        BLUE,
    )
    _wall(picture, 478)
    picture.arrow((414, 198), (544, 198))
    picture.box(430, 168, 96, 22, PANEL, "requests", stroke=FRAME, round_by=4)
    picture.arrow((544, 232), (416, 232))
    picture.box(430, 240, 96, 22, PANEL, "plain data", stroke=FRAME, round_by=4)

    _part(picture, 548, 40, 192, "zygote", ["torch kept warm;", "one fork an exercise"], GREEN)
    _part(
        picture,
        548,
        158,
        192,
        "fork, locked down",
        ["the learner's code", "and nothing else", "", "grader/sandbox"],
        GREEN,
    )
    picture.arrow((644, 124), (644, 154))

    _part(picture, 212, 320, 200, "one record", ["points, messages, seed", "grader/record.py"], PINK)
    picture.arrow((312, 264), (312, 316))
    for place, (name, folder) in enumerate(READERS):
        top = 300 + place * 41
        picture.box(478, top, 262, 34, PANEL, stroke=FRAME, round_by=6)
        picture.text(490, top + 17, name, anchor="start")
        picture.text(730, top + 17, folder, anchor="end", colour=PALE, code=True, size=11)
        picture.arrow((414, 361), (474, top + 17))
    return picture


READERS = (
    ("terminal, pages", "grader/render"),
    ("spreadsheets, LMS, CI", "grader/formats"),
    ("a class, resumable", "grader/classroom"),
    ("nbgrader", "grader/notebooks"),
)


def _part(picture: Picture, x: float, y: float, width: float, name: str, lines: Sequence[str], fill: str) -> None:
    """A box with a name and some lines; folders are set as code."""
    height = 42 + 20 * len(lines)
    picture.box(x, y, width, height, fill, stroke=FRAME, round_by=8)
    picture.text(x + width / 2, y + 20, name, bold=True, size=14)
    for number, line in enumerate(lines):
        if line:
            is_folder = line.startswith("grader/")
            middle = y + 44 + 20 * number
            picture.text(x + width / 2, middle, line, code=is_folder, size=11 if is_folder else 12)


def _wall(picture: Picture, x: float) -> None:
    """Between the two processes: nothing is unpickled on the way."""
    picture.line((x, 40), (x, 282), colour=BAD, width=6)
    picture.text(x, 24, "the wall", bold=True, colour=BAD)


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description="Draw the way of a submission for docs/architecture.md.")
    parser.add_argument("--into", type=Path, default=PICTURES, metavar="FOLDER")
    path: Path = parser.parse_args().into / "architecture.svg"
    path.write_text(draw().svg(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
