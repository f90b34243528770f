"""Reads times as Moodle writes them for people: `Sunday, 1 March 2026, 12:14 PM`, in several languages.

Only month names in these languages are read; nothing is guessed: a number alone is no month.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime

EXAMPLE = "Sunday, 1 March 2026, 12:14 PM"
LANGUAGES = "English, German, French, Spanish, Italian, Dutch, Portuguese, Chinese, Japanese or Korean"

_MONTHS = (
    ("january", "januar", "jänner", "janvier", "enero", "gennaio", "januari", "janeiro"),
    ("february", "februar", "feber", "février", "febrero", "febbraio", "februari", "fevereiro"),
    ("march", "märz", "mars", "marzo", "maart", "março"),
    ("april", "avril", "abril", "aprile"),
    ("may", "mai", "mayo", "maggio", "mei", "maio"),
    ("june", "juni", "juin", "junio", "giugno", "junho"),
    ("july", "juli", "juillet", "julio", "luglio", "julho"),
    ("august", "août", "agosto", "augustus"),
    ("september", "septembre", "septiembre", "setiembre", "settembre", "setembro"),
    ("october", "oktober", "octobre", "octubre", "ottobre", "outubro"),
    ("november", "novembre", "noviembre", "novembro"),
    ("december", "dezember", "décembre", "diciembre", "dicembre", "december", "dezembro"),
)
_NUMBER = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_NUMBER |= {name[:3]: number for number, (name, *_) in enumerate(_MONTHS, 1)}  # English names may be shortened

_WORD = r"[^\W\d_]+"
_WEEKDAY = rf"(?:{_WORD}(?:-{_WORD})?\.?,? )?"
_CLOCK = r"(?:,| at| um| à| às| a las| alle ore)? ?(?P<hour>\d{1,2})[:.](?P<minute>\d{2})(?::(?P<second>\d{2}))?"
_HALF = r"(?: ?(?P<half>a\.? ?m\.?|p\.? ?m\.?))?"
_DAY_FIRST = (
    rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:\.|st|nd|rd|th)? (?:de )?(?P<month>{_WORD})\.? (?:de |del )?(?P<year>\d{{4}})"
)
_MONTH_FIRST = rf"{_WEEKDAY}(?P<month>{_WORD})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})"
_EASTERN = (
    r"(?P<year>\d{4}) ?[年년] ?(?P<number>\d{1,2}) ?[月월] ?(?P<day>\d{1,2}) ?[日일]"
    rf"(?: ?\(?{_WORD}\)?)??,? ?(?P<half>上午|下午|午前|午後|오전|오후)? ?"
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
)
_FORMS = tuple(re.compile(form) for form in (_DAY_FIRST + _CLOCK + _HALF, _MONTH_FIRST + _CLOCK + _HALF, _EASTERN))
_AFTERNOON = ("下午", "午後", "오후")
_LONGEST = 100
NOON = 12


LEAST_OF_A_MONTH = 3
"""The fewest letters of a shortened month name."""


def month_called(word: str) -> int | None:
    """The number of a month by its name in one of the languages, or by a beginning that only one month has."""
    plain = unicodedata.normalize("NFC", word).casefold()
    if plain in _NUMBER:
        return _NUMBER[plain]
    found = {number for name, number in _NUMBER.items() if name.startswith(plain)}
    return found.pop() if len(found) == 1 and len(plain) >= LEAST_OF_A_MONTH else None


def read_spoken(text: str) -> datetime | None:
    """The time in `text`, without a time zone; None for any other text."""
    plain = " ".join(unicodedata.normalize("NFC", text[: _LONGEST + 1]).casefold().split())
    if len(plain) > _LONGEST:
        return None
    found = next((match for form in _FORMS if (match := form.fullmatch(plain))), None)
    if found is None:
        return None
    parts = found.groupdict()
    month = int(parts["number"]) if parts.get("number") else _NUMBER.get(parts["month"])
    hour = _hour(int(parts["hour"]), parts["half"])
    if month is None or hour is None:
        return None
    try:
        return datetime(
            int(parts["year"]), month, int(parts["day"]), hour, int(parts["minute"]), int(parts["second"] or 0)
        )
    except ValueError:
        return None


def _hour(hour: int, half: str | None) -> int | None:
    """The hour from 0 to 23; None for an impossible hour of a twelve-hour clock."""
    if not half:
        return hour
    if not 1 <= hour <= NOON:
        return None
    is_afternoon = half[0] == "p" or half in _AFTERNOON
    return hour % NOON + (NOON if is_afternoon else 0)
