"""A wrong tensor drawn in a terminal and on a page."""

from __future__ import annotations

import base64
import io
import math
import re
import xml.etree.ElementTree as ElementTree

import pytest
from markupsafe import Markup
from rich.console import Console

from grader.mismatch import Mismatch
from grader.record import CheckResult, CourseStamp, ExerciseResult, Record
from grader.render.heatmap import BLUES, RAMP, HeatMap, Scale, Wording, heatmap_text
from grader.render.heatmap_page import heatmap_picture, heatmap_svg
from grader.render.terminal import print_record

NAN, INF = math.nan, math.inf


def mismatch(
    came: list[list[float]], expected: list[list[float]], *, axes: tuple[str, ...] = ("query", "key")
) -> Mismatch:
    """A mismatch in which all that differs is wrong."""
    return Mismatch(
        what="The output",
        axes=axes,
        came=tuple(map(tuple, came)),
        expected=tuple(map(tuple, expected)),
        wrong=tuple(
            tuple(one != other for one, other in zip(*rows, strict=True)) for rows in zip(came, expected, strict=True)
        ),
        note="Something is off.",
    )


def grid(rows: int, columns: int) -> Mismatch:
    expected = [[(row * column % 7) / 6 for column in range(columns)] for row in range(rows)]
    return mismatch(
        [[number + 0.25 if index == 2 else number for index, number in enumerate(row)] for row in expected], expected
    )


SMALL = mismatch([[0.5, 0.5], [0.25, 0.75]], [[1.0, 0.0], [0.25, 0.75]])

PLAIN = """\
The output (rows: query, columns: key). Something is off.
yours                   expected
      0        1              0        1
0  0.50 ++! 0.50 ++!    0  1.00 @@! 0.00   !
1  0.25 ::  0.75 ##     1  0.25 ::  0.75 ##
! is off. Blank is 0.00, @ is 1.00, ? is nan."""

BELOW = """\
The output (rows: query,
columns: key). Something is
off.
yours
      0        1
0  0.50 ++! 0.50 ++!
1  0.25 ::  0.75 ##
expected
      0        1
0  1.00 @@! 0.00   !
1  0.25 ::  0.75 ##
! is off. Blank is 0.00, @ is
1.00, ? is nan."""


def test_small_plane_shows_numbers_side_by_side() -> None:
    assert heatmap_text(SMALL, 60) == PLAIN


def test_sides_stand_below_each_other_where_it_is_narrow() -> None:
    assert heatmap_text(SMALL, 30) == BELOW


def test_colour_adds_nothing_that_is_not_there_without() -> None:
    coloured = coloured_text(SMALL)
    assert "\x1b[" in coloured
    bare = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert bare.rstrip().endswith("\n! is off."), "colours need no legend beside their numbers"
    assert [line.split() for line in bare.splitlines()][3:5] == [
        ["0", "0.50!", "0.50!", "0", "1.00!", "0.00!"],
        ["1", "0.25", "0.75", "1", "0.25", "0.75"],
    ]


def coloured_console(width: int = 60) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=True, color_system="truecolor", no_color=False)


def coloured_text(shown: Mismatch) -> str:
    console = coloured_console()
    with console.capture() as captured:
        console.print(HeatMap(shown))
    return captured.get()


def test_same_number_has_the_same_shade_on_both_sides() -> None:
    shown = HeatMap(mismatch([[0.2, 0.8]], [[0.8, 0.2]], axes=("key",)))
    # Not read off the codes: rich keeps those of the colours that a style was first shown with in this process.
    fills = [
        (segment.text.strip(), segment.style.bgcolor)
        for segment in coloured_console().render(shown)
        if segment.style and segment.style.bgcolor and re.match(r" ?0\.\d0", segment.text)
    ]
    assert [number.rstrip("!") for number, _ in fills] == ["0.20", "0.80", "0.80", "0.20"]
    assert len({shade for _, shade in fills}) == 2


def test_legend_of_zeros_and_infinities_names_two_shades() -> None:
    text = heatmap_text(mismatch([[0.0, 0.0], [0.0, 0.0]], [[0.0, -math.inf], [0.0, 0.0]]), 80)
    assert text.splitlines()[-1] == "! is off. Blank is -inf, @ is 0, ? is nan."


def test_too_many_numbers_are_shades_alone() -> None:
    text = heatmap_text(grid(12, 12), 100)
    assert not re.search(r"\d\.\d", text.replace("Blank is 0.00, @ is 1.25", ""))
    assert "Blank is 0.00, @ is 1.25, ? is nan." in text
    assert sum(line.count("!") for line in text.splitlines()[3:-1]) == 2 * 12


@pytest.mark.parametrize(
    "shown",
    [SMALL, grid(12, 12), grid(1, 12), grid(6, 6), grid(12, 3)],
    ids=lambda e: f"{len(e.came)}x{len(e.came[0])}",
)
@pytest.mark.parametrize("width", [8, 20, 30, 50, 80, 140])
def test_no_line_is_wider_than_the_terminal(width: int, shown: Mismatch) -> None:
    assert max(map(len, heatmap_text(shown, width).splitlines())) <= width


def test_nothing_but_ascii_is_drawn() -> None:
    assert heatmap_text(grid(12, 12), 80).isascii() and heatmap_text(SMALL, 80).isascii()


def test_axis_names_suit_the_terminals_encoding() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    Console(file=file, width=60).print(HeatMap(mismatch([[1.0, 2.0]], [[1.0, 3.0]], axes=("clé",))))
    file.flush()


def test_what_is_no_number_is_a_word() -> None:
    text = heatmap_text(mismatch([[NAN, INF, -INF]], [[0.5, 0.25, 0.25]], axes=("key",)), 100)
    for word in ("nan ??!", "inf @@!", "-inf   !"):
        assert word in text


@pytest.mark.parametrize(
    ("came", "expected", "written"),
    [
        pytest.param(0.0, 1.0, ("0", "1"), id="whole numbers"),
        pytest.param(0.25, 0.5, ("0.25", "0.50"), id="two decimals"),
        pytest.param(0.3641, 0.3646, ("0.364", "0.365"), id="as many as tell them apart"),
        pytest.param(0.36461, 0.36462, ("0.3646", "0.3646"), id="but no more than four"),
        pytest.param(-0.001, 0.5, ("0.00", "0.50"), id="no minus before zero"),
        pytest.param(0.0005, 0.0002, ("5e-04", "2e-04"), id="tiny"),
        pytest.param(-1e30, 0.5, ("-1e+30", "0.50"), id="huge"),
    ],
)
def test_numbers_are_short_and_wrong_ones_do_not_look_right(
    came: float, expected: float, written: tuple[str, str]
) -> None:
    wording = Wording.of(mismatch([[came, expected]], [[expected, expected]]))
    assert (wording.write(came), wording.write(expected)) == written


def test_shades_run_from_the_smallest_to_the_largest_number() -> None:
    scale = Scale.of(mismatch([[-1.0, NAN]], [[1.0, INF]]))
    assert [scale.level(number) for number in (-INF, -1.0, 0.0, 0.999, 1.0, INF)] == [0, 0, 5, 9, 9, 9]
    assert scale.level(NAN) is None and len(RAMP) == len(BLUES) == 10


def test_plane_of_equal_numbers_is_drawn() -> None:
    assert "-inf   !    0 @@" in heatmap_text(mismatch([[-INF, 0.0]], [[0.0, 0.0]]), 60)


# --- under its check ---------------------------------------------------------------------------------------------


def printed(*, visible: bool) -> str:
    check = CheckResult(
        name="test_it", title="It works.", outcome="failed", points=0.0, max_points=1.0, visible=visible, message="No."
    )
    result = ExerciseResult(
        id="softmax", status="failed", points=0.0, max_points=1.0, checks=(check,), diagnosis=(), seconds=0.0
    )
    stamp = CourseStamp(title="Attention Kata", version="0.1.0")
    record = Record.of(submission="someone", isolation="full", seed=1, course=stamp, exercises=[result])
    console = Console(file=io.StringIO(), width=70)
    with console.capture() as captured:
        print_record(record, console, titles={}, units=[], mismatches={("softmax", "test_it"): SMALL})
    return captured.get()


def test_record_shows_it_under_the_checks_message() -> None:
    lines = [line.strip() for line in printed(visible=True).splitlines()]
    place = lines.index("No.")
    assert lines[place + 1 : place + 4] == [line.strip() for line in PLAIN.splitlines()[:3]]


def test_record_never_shows_anything_of_a_hidden_check() -> None:
    assert "yours" not in printed(visible=False) and "0.50" not in printed(visible=False)


# --- on a page ---------------------------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def drawn(shown: Mismatch) -> ElementTree.Element:
    return ElementTree.fromstring(
        str(heatmap_svg(shown)).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )


def texts(svg: ElementTree.Element) -> list[str]:
    return ["".join(element.itertext()) for element in svg.iter(f"{SVG}text")]


def test_page_gets_yours_due_and_difference() -> None:
    svg = drawn(SMALL)
    assert isinstance(heatmap_svg(SMALL), Markup)
    found = texts(svg)
    assert [text for text in found if not text[-1].isdigit()] == ["yours", "expected", "difference"]
    assert "-0.50" in found and "0.50" in found
    outlined = [rect for rect in svg.iter(f"{SVG}rect") if rect.get("stroke-width") == "2"]
    assert len(outlined) == 3 * 2


def test_page_is_told_to_those_who_listen() -> None:
    svg = drawn(SMALL)
    title, description = svg.find(f"{SVG}title"), svg.find(f"{SVG}desc")
    assert title is not None and description is not None
    assert (svg.get("role"), svg.get("aria-labelledby"), svg.get("aria-describedby")) == (
        "img",
        title.get("id"),
        description.get("id"),
    )
    assert "row 0, column 0: yours 0.50, expected 1.00; row 0, column 1: yours 0.50, expected 0.00." in str(
        description.text
    )


def test_ink_outside_the_cells_is_the_pages_own() -> None:
    svg = drawn(grid(3, 3))
    assert svg.get("fill") == "currentColor"
    labels = [element for element in svg.iter(f"{SVG}text") if element.get("opacity") or element.get("font-weight")]
    assert labels and not any(label.get("fill") for label in labels)


def test_large_plane_on_a_page_has_signs_for_numbers() -> None:
    expected = [[0.0] * 12 for _ in range(12)]
    svg = drawn(mismatch([[0.5, -0.5, *row[2:]] for row in expected], expected))
    assert {"!", "+", "-"} <= set(texts(svg)) and not any("." in text for text in texts(svg))


def test_names_on_a_page_are_escaped() -> None:
    svg = heatmap_svg(mismatch([[1.0, 2.0]], [[1.0, 3.0]], axes=("<script>&",)))
    assert "<script>" not in svg and "&lt;script&gt;&amp;" in svg


@pytest.mark.parametrize("number", [NAN, INF, -INF, 1e30], ids=str)
def test_odd_numbers_can_be_drawn_on_a_page(number: float) -> None:
    assert Wording.of(SMALL).write(number) in texts(drawn(mismatch([[number, 1.0]], [[0.5, 1.0]])))
    drawn(mismatch([[number, number]], [[number, 2.0]]))


def test_picture_of_its_own_is_whole_and_brings_its_paper_along() -> None:
    picture = heatmap_picture(mismatch([[1.0, 2.0]], [[1.0, 3.0]], axes=("<script>&",)))
    kind, _, content = picture.address.partition(",")
    assert kind == "data:image/svg+xml;base64"
    svg = ElementTree.fromstring(base64.b64decode(content))
    assert svg.tag == f"{SVG}svg" and not list(svg.iter(f"{SVG}script"))
    assert (svg.get("width"), svg.get("height")) == (str(picture.width), str(picture.height))
    paper = svg.find(f"{SVG}rect")
    assert paper is not None and (paper.get("width"), paper.get("fill")) == ("100%", "#ffffff")
    assert svg.get("color") == "#000000"  # what is drawn in the page's own ink on a page
    assert "yours 2, expected 3" in picture.description


def test_titles_have_room_over_a_single_column() -> None:
    svg = drawn(mismatch([[0.5]], [[0.25]]))
    _, _, width, _ = map(float, svg.get("viewBox", "").split())
    *_, last = svg.iter(f"{SVG}g")
    left = float(re.findall(r"[0-9.]+", last.get("transform", ""))[0])
    title = next(iter(last.iter(f"{SVG}text")))
    assert title.text == "difference"
    assert left + float(title.get("x", "")) + 7 * len(title.text) <= width
