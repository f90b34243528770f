"""The titles of Moodle's grading worksheet in the languages whose words were looked up, and their English names.

Moodle writes the worksheet in the language of whoever downloads it. Which strings it takes is in
mod/assign/gradingtable.php of moodle/moodle, and what a worksheet must have is in
mod/assign/feedback/offline/importgradeslib.php: recordid, the grade, lastmodifiedgrade. The words are those of the
language packs (assign.php, moodle.php, assignfeedback_comments.php in projectestac/moodle-langpacks, and newer ones of
assign.php). The title of the user name was not found in any of them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

KNOWN_LANGUAGES = "English, German, French, Spanish, Korean or Chinese"

IDENTIFIER, FULL_NAME, EMAIL, ID_NUMBER = "identifier", "fullname", "emailaddress", "idnumber"
GRADE, MAXIMUM, COMMENTS = "grade", "maximumgrade", "feedbackcomments"
SUBMITTED, MARKED = "lastmodifiedsubmission", "lastmodifiedgrade"
_ENGLISH = (IDENTIFIER, FULL_NAME, EMAIL, ID_NUMBER, GRADE, MAXIMUM, SUBMITTED, MARKED, COMMENTS)
_DEMANDED = (IDENTIFIER, GRADE, MARKED)
"""Without these Moodle takes no worksheet. All three in one language are no chance: `ID` and `Note` alone could be."""

# recordid, fullname, email, idnumber, grade (gradenoun in newer versions), maxgrade, lastmodifiedsubmission,
# lastmodifiedgrade, and the name of assignfeedback_comments
_LANGUAGES = (
    ("ID", "Vollständiger Name", "E-Mail-Adresse", "ID-Nummer", "Bewertung", "Bestwertung",
     "Zuletzt geändert (Abgabe)", "Zuletzt geändert (Bewertung)", "Feedback als Kommentar"),
    ("Identifiant", "Nom complet", "Adresse de courriel", "Numéro d'identification", "Note", "Note maximale",
     "Dernière modification (travail remis)", "Dernière modification (note)", "Feedback par commentaires"),
    ("Identificador", "Nombre completo", "Dirección de correo", "Número de ID", "Calificación", "Calificación máxima",
     "Última modificación (entrega)", "Última modificación (calificación)", "Comentarios de retroalimentación"),
    ("식별자", "전체 이름", "이메일 주소", "id 번호", "성적", "최대 성적",
     "마지막 수정됨(제출)", "마지막 수정됨(성적)", "피드백 코멘트"),
    ("标识符", "全名", "Email地址", "学号", "成绩", "最高成绩",
     "上次修改（作业）", "上次修改（评分）", "评语反馈"),  # noqa: RUF001
)  # fmt: skip


def letters(title: str) -> str:
    """A column's title in lower case, without anything but letters."""
    return re.sub(r"[\W\d_]+", "", unicodedata.normalize("NFC", title).casefold())


_IN_ENGLISH = tuple(dict(zip(map(letters, words), _ENGLISH, strict=True)) for words in _LANGUAGES)


def in_english(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns, as `letters` spells them, by their English names where they are a worksheet's in a known language.

    Columns that are not of the worksheet's own words, such as fields of a site's profiles, stay as they are.
    """
    for names in _IN_ENGLISH:
        english = tuple(names.get(column, column) for column in columns)
        own = {name for column, name in zip(columns, english, strict=True) if column in names}
        if own.issuperset(_DEMANDED) and english[0] == IDENTIFIER:
            return english
    return tuple(columns)
