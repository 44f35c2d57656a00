"""The catalogues stand where the code stands, and what a rater meets is whole in Korean."""

import ast
import io
import re
import string

import pytest
from babel.messages.mofile import read_mo

from labeling.i18n import best_language, known_language, translate, translate_plural
from labeling.ui.components.untrusted import as_html, plain_label
from labeling.ui.locale import update
from tests.support.data import REPOSITORY

# Where a rater's words stand; other pages may wait for their translation, these may not.
RATER_FILES = re.compile(
    r"labeling/(web\w*|judging|ui/(main|texts|state)|ui/components/(judging_card/.*|outbox/.*|empty|untrusted|look|front_end)|ui/pages/(home|judge|history|practice|account|sign_in)\w*)\.py$"
)


def korean():
    return update.merged("ko", update.collect())


def test_catalogues_hold_the_messages_of_the_code():
    assert list(update.stale()) == [], "run: python labeling/ui/locale/update.py"


def test_every_message_that_a_rater_meets_has_korean_words():
    missing = [
        m.id for m in korean() if m.id and not m.string and any(RATER_FILES.match(place) for place, _ in m.locations)
    ]
    assert missing == []


def test_messages_are_plain_strings_that_can_be_extracted():
    faults = []
    for path in sorted((REPOSITORY / "labeling").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "_n"):
                wanted = node.args[: 1 if node.func.id == "_" else 2]
                if any(isinstance(argument, ast.JoinedStr | ast.BinOp) for argument in wanted):
                    faults.append(f"{path.name} line {node.lineno}")
    assert faults == []


def test_no_message_stands_inside_an_f_string_where_it_would_not_be_found():
    faults = []
    for path in sorted((REPOSITORY / "labeling").rglob("*.py")):
        texts = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.JoinedStr)]
        calls = [node for text in texts for node in ast.walk(text) if isinstance(node, ast.Call)]
        for call in calls:
            words = any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in call.args)
            if words and isinstance(call.func, ast.Name) and call.func.id in update.KEYWORDS:
                faults.append(f"{path.name} line {call.lineno}")
    assert faults == []


def test_translations_keep_the_placeholders():
    def names(text):
        return {field for _, field, _, _ in string.Formatter().parse(text) if field}

    for message in korean():
        for translation in [message.string] if isinstance(message.string, str) else message.string or []:
            if message.id and translation:
                ids = [message.id] if isinstance(message.id, str) else list(message.id)
                assert names(translation) in [names(text) for text in ids], message.id


def test_the_compiled_catalogue_reads_back():
    catalog = read_mo(io.BytesIO(update.compiled(korean())))
    assert catalog.get("Undo").string == "되돌리기"


def test_a_message_is_translated_and_then_filled():
    assert translate("ko", "{done} of {size} in this batch", done=3, size=40) == "이번 묶음 40개 중 3개"
    assert translate("ko", "{done} of {size} in this batch") == "이번 묶음 {size}개 중 {done}개"
    assert translate("en", "Undo") == "Undo"
    assert translate("ko", "No such message in {place}", place="Assay") == "No such message in Assay"


@pytest.mark.parametrize(("count", "text"), [(1, "1 pair"), (2, "2 pairs"), (0, "0 pairs")])
def test_a_count_chooses_the_form(count, text):
    assert translate_plural("en", "{count} pair", "{count} pairs", count) == text


def test_the_language_is_the_first_choice_that_assay_speaks():
    assert best_language("fr", "ko-KR", accept="en") == "ko"
    assert best_language(None, None, accept="de;q=0.9, ko;q=0.8, en;q=0.7") == "ko"
    assert best_language(None, accept="en-GB,ko;q=0.9") == "en"
    assert best_language(None, accept="ko;q=nonsense,,;;") == "en"
    assert known_language("ko_KR") == "ko"
    assert known_language("") is None


def test_untrusted_text_becomes_markup_that_shows_it():
    assert as_html("<script>&\"'") == "&lt;script&gt;&amp;&quot;&#x27;"
    assert as_html("a\x00b") == "a\N{REPLACEMENT CHARACTER}b"


def test_a_label_of_untrusted_text_holds_no_markdown_no_control_and_one_line():
    label = plain_label("**bold** :red[x]\n$5\u202e ![p](http://t/p.png)")
    assert "\n" not in label
    assert "\u202e" not in label
    assert not re.search(r"(?<!\\)[*\[\]$!:(]", label)
    assert plain_label("x" * 200) == "x" * 79 + "…"
