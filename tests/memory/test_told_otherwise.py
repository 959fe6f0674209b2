"""What a line tells of somebody else, of another year, or of more than was typed: the user's own sentence stands there, or nothing."""

# ruff: noqa: RUF001 - Chinese, as typed

import asyncio
from contextlib import suppress
from datetime import date

import pytest

from cococat.core.settings import DreamSettings
from cococat.core.tools import ToolFailure
from cococat.memory.dream_tools import DreamTools
from cococat.memory.rules import Rules
from tests.memory.written import TEXT, written

QUOTED = [
    ("i supply four cafes and they text me at midnight", "Texts the four cafes at midnight"),
    ("le mande flores con la Dra. Robles, siempre le mando mis recetas", "La Dra. Robles siempre le manda sus recetas"),
    (
        "faltan las cuentas de mayo y junio de 2025, vivo en Lima desde 2024",
        "Faltan las cuentas de mayo y junio de 2024",
    ),
    ("i keep bees with Ann", "Started to keep bees with Ann"),
    ("me inscribi al curso de la escuela en Hull, un fin de semana al mes", "Terminó el curso de la escuela en Hull"),
    ("我在云岭医院门诊药房", "在云岭医院住院药房"),
    ("你以后每次只给一小段代码好不好 我跑通了再要下一段", "每次只给一小段代码，跑通了再要下一段"),
]
WORDED = [
    ("ich wohne hier in Kassel", "Wohnt hier in Kassel"),
    ("corro en la mañana", "Corre en la mañana"),
    ("corro por las mananas", "Corre por las mananas"),
    ("mon frère Yanis habite à Metz, moi à Lille", "Habite à Lille"),
    ("I started to keep bees with Ann", "Began to keep bees with Ann"),
    ("faltan las cuentas de mayo de 2025", "Faltan las cuentas de mayo de 2025"),
    ("乳糖不耐 喝牛奶就拉肚子", "乳糖不耐，喝牛奶就拉肚子"),
]
REFUSED = [
    ("j'ai vu Marc hier à Lyon", "A vu Marc hier à Lyon"),
    ("me voy mañana a Puebla", "Se va mañana a Puebla"),
    ("juguemos, yo me llamo Luna y tengo una tienda en Hull", "Tiene una tienda en Hull"),
]


@pytest.mark.parametrize(("typed", "line"), QUOTED)
def test_a_line_that_tells_it_otherwise_stands_as_the_user_said_it(typed, line):
    """A verb of others, one of the user's, another year, a beginning or an end that nobody typed, a word for another."""
    kept = written(typed, line)[0].removeprefix(TEXT)

    assert kept.endswith(f'"{typed}"\n'), kept


@pytest.mark.parametrize(("typed", "line"), WORDED)
def test_a_line_that_tells_the_same_keeps_its_wording(typed, line):
    """A German "here" is no French "yesterday", and a Spanish morning is not tomorrow."""
    assert f"{TEXT}- {line}\n" == written(typed, line)[0]


@pytest.mark.parametrize(("typed", "line"), REFUSED)
def test_a_line_of_a_passing_day_a_part_or_a_turned_sentence_is_refused(typed, line):
    """No sentence of the user's could stand for it either."""
    assert TEXT == written(typed, line)[0]


@pytest.mark.parametrize(
    ("said", "line", "kept"),
    [
        (
            ("hayleys my wife", "i was in insurance 17 yrs"),
            "Hayley was in insurance 17 yrs",
            '- "i was in insurance 17 yrs"\n',
        ),
        (("我女儿叫糯糯", "她现实里怕狗 前年被小区的泰迪追过"), "糯糯追过小区的泰迪", ""),
        (
            ("我女儿糯糯在上中班", "对了糯糯上大班了 换了个班主任姓木 丽江人 过敏的事我得写张纸给她"),
            "糯糯还在上中班，班主任姓木",
            '- "糯糯上大班了 换了个班主任姓木 丽江人 过敏的事我得写张纸给她"\n',
        ),
    ],
)
def test_what_another_message_tells_turns_nothing_around(said, line, kept):
    """A name from there belongs to no "I"; nor does it make who was chased chase, or what was go on."""
    typed = dict(enumerate(said, 1))
    box = DreamTools(TEXT, Rules(typed, DreamSettings(), days=dict.fromkeys(typed, date(2026, 5, 11))))
    given = {"path": "MEMORY.md", "old_text": "- Writes Python\n", "new_text": f"- Writes Python\n- {line}\n"}
    with suppress(ToolFailure):
        asyncio.run(box.tools()[1].run({**given, "evidence": [{"seq": 2, "quote": said[1]}]}, lambda _: None))

    assert box.text == TEXT + kept


@pytest.mark.parametrize(
    ("typed", "line", "kept"),
    [
        ("lass uns dänisch üben: du bist hafenmeister, ich bin skipperin mit zwei hunden", "Hat zwei Hunde", ""),
        ("can we practise for the hearing, you be the judge. i own nine mansions", "Owns nine mansions", ""),
        ("ensayemos la entrevista, tu eres el jefe. trabajo en la NASA", "Trabaja en la NASA", ""),
        (
            "facciamo una prova: tu sei il liutaio, io la cliente. buongiorno, ho tre violini in cantina",
            "Ha tre violini in cantina",
            "",
        ),
        ("scrivimi una favoletta scema: Zaira è la regina di saturno", "Zaira è la regina di Saturno", ""),
        ("machst ma a gruselgschicht für die kinder? die nandl wohnt im keller", "Die Nandl wohnt im Keller", ""),
        ("krimiabend am samstag, erfind mir einen verdächtigen! balduin hasst edelweiß", "Balduin hasst Edelweiß", ""),
        ("来个文字冒险 设定我是泉州的海商 名下八条船", "海商，名下八条船", ""),
        (
            "ho una prova di coro il lunedì",
            "Ha una prova di coro il lunedì",
            "- Ha una prova di coro il lunedì\n",
        ),
        ("i practise the cello, you are right about bows. i own nine bows", "Owns nine bows", "- Owns nine bows\n"),
        ("i practise the cello daily", "Practises the cello daily", "- Practises the cello daily\n"),
    ],
)
def test_what_is_rehearsed_is_no_fact(typed, line, kept):
    """Who says what to rehearse and who the assistant is in it plays a part as well."""
    assert TEXT + kept == written(typed, line)[0]


@pytest.mark.parametrize(
    ("typed", "line", "kept"),
    [
        ("if i ever ask u for a recipe no eggs for rian, he comes out in hives", "No eggs for Rian in recipes", ""),
        ("any quote u do for me vat goes on its own line, 13.5", "On any quote VAT goes on its own line, 13.5", ""),
        ("any idea you could give me of a gift for Ann who likes bees", "Ann likes bees", "refused"),
        ("fais semblant que t'es Mme Roy, une cliente qui veut 300 roses", "Mme Roy veut 300 roses", "refused"),
    ],
)
def test_how_it_is_to_be_each_time_is_kept_and_a_pretence_is_not(typed, line, kept):
    """ "If I ever ask you for" and "any quote you write" are no questions and suppose nothing."""
    text = written(typed, line)[0]

    assert (TEXT == text) == bool(kept), text


def test_a_day_that_the_next_message_puts_right_does_not_stand_in_its_sentence():
    """The line has the right one; the user's first sentence the wrong one."""
    said = {
        1: "SHES HERE. little girl, Nora, 7lb 2, 30th of june",
        2: "Ann says it was the 29th, 10 to midnight. 29th so",
    }
    box = DreamTools(TEXT, Rules(said, DreamSettings(), days=dict.fromkeys(said, date(2026, 8, 18))))
    line = "- Little girl Nora, 2026-06-29"
    given = {"path": "MEMORY.md", "old_text": "- Writes Python\n", "new_text": f"- Writes Python\n{line}\n"}
    evidence = [{"seq": seq, "quote": text} for seq, text in said.items()]
    asyncio.run(box.tools()[1].run({**given, "evidence": evidence}, lambda _: None))

    assert "30th" not in box.text
