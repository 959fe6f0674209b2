"""Lines as words, in any script; and the floor: what code proves of a line without knowing its language."""

from datetime import date

import pytest

from cococat.memory.judge.floor import untyped
from cococat.memory.judge.sentences import as_noted, sentence_around, sentences
from cococat.memory.words import JOINING, asks, related, same_fact, sequence

DAY = [date(2026, 5, 4)]


@pytest.mark.parametrize(
    ("word", "typed", "same"),
    [
        ("works", "work", True),
        ("teaching", "teacher", True),
        ("anna", "annabel", False),
        ("tea", "teapot", False),
        ("house", "housekeeping", False),
        ("100s", "100", False),
        ("2026", "2027", False),
        ("siebzehn", "sieben", False),
    ],
)
def test_a_form_of_a_word_begins_as_it_does(word, typed, same):
    """Four letters and six of ten of the longer one; a number is only itself."""
    assert (same, same) == (related(word, {typed}), related(typed, {word}))


def test_units_and_scripts_without_spaces_are_parted():
    """Pairs of characters stand for the words of a script that writes none."""
    assert ("16", "km", "3x", "豆豆", "豆六", "六岁", "abc") == sequence("16km, 3x 豆豆六岁 abc")
    assert ("a", "豆", "b") == sequence("a豆b")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("- Project Alpha uses PostgreSQL", "- Project Beta uses PostgreSQL", False),
        ("- Has 2 cats", "- Has 3 cats", False),
        ("- Likes tea", "- Does not like tea", False),
        ("- Lives in Lisbon", "- lives in lisbon.", True),
        ("- The user has a horse", "- Has horses", True),
    ],
)
def test_two_lines_are_one_fact_where_no_word_name_or_number_differs(one, other, same):
    """Small words, forms, case and marks make no difference; a "not" does."""
    assert same == same_fact(one, other)


@pytest.mark.parametrize(
    ("line", "said", "lacks"),
    [
        ("- Moved to Lisbon", "by the way, I moved to Lisbon", ()),
        ("- Lives in Lisbon with her cat", "we live in lisbon, the cat too", ()),
        ("- Moved to Porto", "I moved to Lisbon", ("porto",)),
        ("- Has 16 cats", "I have 15 cats", ("16",)),
        ("- Run 16 km", "I run 16km a day", ()),
        ("- Passed the G3", "PASSED the g3!!", ()),
        ("- Passed the G2", "passed the G3", ("2", "g2")),
        ("- Likes Martina", "I like Martin", ("martina",)),
        ("- Mag Rezepte", "ich mag deine rezept ideen", ()),
        ("- Lenny est allergique \u00e0 l'\u0153uf", "Lenny est allergique a loeuf, oeuf", ()),
        ("- Pay 5 \u20ac", "I pay 5", ("\u20ac",)),
        ("- 住在上海", "我住在上海", ()),
        ("- 住在北京", "我住在上海", ("在北", "北京")),
        ("- 不喜欢茶", "我喜欢茶", ("不喜",)),
        ("- Born on 1990-02-03", "born on 3 february 1990", ()),
        ("- Moved in 2026-05", "I moved this month", ()),
        ("- Moved in 2026", "I moved this year", ()),
        ("- Moved on 2026-05-03", "I moved yesterday", ()),
        ("- Moved on 2019-05-03", "I moved yesterday", ("2019-05-03",)),
        ("- Moved on 2026-13-40", "I moved yesterday", ("2026-13-40",)),
        ("- Зовут Анна", "меня зовут Анна", ()),
        ("- Moved on 2026-06-25", "I moved lately", ("2026-06-25",)),
        ("- Born in 2020", "I was born then", ("2020",)),
        ("- Has a \uff23\uff21\uff34", "I have a cat", ()),
        ("- 茶", "我喜欢茶", ()),
        ("- عنا قطة", "وعنا قطة بالبيت", ()),
        ("- وبدي قهوة", "بدي قهوة", ()),
        ("- عندي قطة", "وعنا قطة", ("عندي",)),
        ("- مابدي قهوة", "بدي قهوة", ("مابدي",)),
        ("- Is old", "gold", ("old",)),
        ("- red blue green gold grey pink", "none of them", ("red", "blue", "green", "gold", "grey")),
    ],
)
def test_a_line_holds_no_word_that_nobody_typed(line, said, lacks):
    """Numbers and names exactly, other words in any form, a date as it was typed or as it follows from the day."""
    assert lacks == untyped(line, said, DAY)


def test_at_most_forty_words_join_what_was_typed():
    """The grammar of notes, in one language, and no more of it."""
    assert len(JOINING) <= 40
    assert () == untyped(f"- {' '.join(sorted(JOINING))}", "", DAY)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I moved. the cat came too", ["I moved.", "the cat came too"]),
        ("Dr. A. Sousa is my dentist. I like her", ["Dr. A. Sousa is my dentist.", "I like her"]),
        ("ich trinke z. B. Tee. Und 8.5 l davon", ["ich trinke z. B. Tee.", "Und 8.5 l davon"]),
        ("我住在上海。我喜欢茶！好", ["我住在上海。", "我喜欢茶！", "好"]),  # noqa: RUF001 - as typed
        ("one\ntwo", ["one", "two"]),
        ("wait... what? ok", ["wait... what?", "ok"]),
        ("", []),
    ],
)
def test_sentences_end_as_marks_say_in_any_language(text, parts):
    """Not behind an initial, in a number, or behind a short word that goes on in small letters."""
    assert parts == [text[start:end] for start, end in sentences(text)]


def test_the_sentence_of_a_line_leaves_out_what_is_said_beside_it():
    """A quote over two sentences stands for the one that the line is about."""
    typed = "I moved to Lisbon. the key lies under the mat"

    assert "I moved to Lisbon." == sentence_around(typed, typed, "- Moved to Lisbon")
    assert typed == sentence_around("Lisbon. the key", typed)
    assert "" == sentence_around("Porto", typed)


def test_the_users_own_sentence_stands_in_quotation_marks_with_its_day():
    """So that a reader knows that it is one, and of when."""
    assert '- 2026-05-04: "I moved"' == as_noted("I moved", DAY[0])
    assert '- \u201csay "hi"\u201d' == as_noted('say "hi"', None)


@pytest.mark.parametrize("text", ["really?", "本当？", "\u0645\u062a\u0649\u061f", 'he said "when?"'])  # noqa: RUF001 - as typed
def test_a_question_ends_as_one_in_any_script(text):
    """With or without a closing mark behind it."""
    assert asks(text)
    assert not asks(text.rstrip('?？\u061f"') + ".")  # noqa: RUF001 - as typed
