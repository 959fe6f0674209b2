"""One sentence of the user's that stands for several lines: what is cut out of it, and what is not."""

import asyncio
from datetime import date

import pytest

from cococat.core.settings import DreamSettings
from cococat.memory.dream_tools import DreamTools
from cococat.memory.own_lines import narrowed
from cococat.memory.rules import Rules
from tests.memory.written import TEXT, written

ANKLE = "the ankle is no good since the derby in Geelong, and my physio is Tamsin, over at the clinic behind the old station"
FRIDAYS = (
    "Tamsin has me come in every second friday, which costs me the lie-in after the late shift at the southbank depot"
)


@pytest.mark.parametrize(
    ("own", "line", "cut"),
    [
        ("isla hasnt eaten meat but still has fish, craig wont touch fish", "Craig won't touch fish", "craig wont touch fish"),
        ("im not in on fridays, my stepdaughter Isla is 13", "Not in on Fridays", "im not in on fridays"),
        ("kids are Finn (9) and Maeve (6), Dev does the school run", "Two kids, Finn and Maeve", "kids are Finn (9) and Maeve (6)"),
        ("the boiler hums in Hull, and my dog is called Rex", "Dog is called Rex", "my dog is called Rex"),
        ("my sister ketaki moved, gone 7 months a year", "Is gone 7 months a year", ""),
        ("if it rains, i stay in bed", "Stays in bed", ""),
        ("i want a boat, red with two masts", "Red with two masts", ""),
        ("i sing in Hull, but not in winter", "Sings in Hull", ""),
        ("i sing in Hull, but not in winter, i cook", "Sings in Hull", ""),
        ("i sing in Hull, if it rains, i stay in bed", "Stays in bed", ""),
        ("he rows in Hull, i cook", "Rows in Hull", ""),
        ("Finn is ill, in Hull he rows", "Rows in Hull", ""),
        ("sounds good, i row in Hull", "Likes tea", ""),
        ("i row in Hull", "Rows in Hull", ""),
        ("the boy says he rows, i cook in Hull", "Boy says he rows", "the boy says he rows"),
    ],
)  # fmt: skip
def test_a_sentence_is_cut_where_no_clause_hangs_on_another(own, line, cut):
    """Not behind an "if", a wish or a "but", and not away from whom it tells of."""
    assert narrowed(f'- "{own}"', line) == (f'- "{cut}"' if cut else "")


def test_what_takes_the_place_of_one_line_leaves_the_other():
    """Two facts of one sentence, of which one changes in a later dream."""
    typed = "isla hasnt eaten meat but still has fish, craig wont touch fish"
    later = "isla eats meat again"
    said = {1: typed, 2: later}
    box = DreamTools(TEXT, Rules(said, DreamSettings(), days=dict.fromkeys(said, date(2026, 5, 11))))
    edit = box.tools()[1].run

    def note(old, new, seq, quote):
        given = {"path": "MEMORY.md", "old_text": old, "new_text": new, "evidence": [{"seq": seq, "quote": quote}]}
        asyncio.run(edit(given, lambda _: None))

    note("- Writes Python\n", "- Writes Python\n- Isla eats fish, no meat\n", 1, typed)
    note("- Writes Python\n", "- Writes Python\n- Craig won't touch fish\n", 1, typed)
    note(f'- "{typed}"\n', "- Isla eats meat again\n", 2, later)

    assert box.text == f'{TEXT}- "craig wont touch fish"\n- Isla eats meat again\n'


@pytest.mark.parametrize(
    ("typed", "line", "kept"),
    [
        (
            ["could you keep answers short? i read these on my break, 10 mins max"],
            "Wants short answers, reads them on her break",
            '"could you keep answers short? i read these on my break, 10 mins max"',
        ),
        (
            ["my neighbour grows leeks in a tunnel near Hull"],
            "Neighbour grows leeks",
            '"my neighbour grows leeks in a tunnel near Hull"',
        ),
        (
            ["the weather in York is bad", "my neighbour grows leeks in a tunnel near Hull"],
            "Neighbour grows leeks",
            '"my neighbour grows leeks in a tunnel near Hull"',
        ),
        ([ANKLE, FRIDAYS], "Physio is Tamsin, every second Friday", "Physio is Tamsin, every second Friday"),
    ],
)
def test_a_sentence_that_says_much_more_stands_for_a_line_of_which_it_holds_enough(typed, line, kept):
    """Most of its words, and all of them where the line rests on several messages."""
    said = dict(enumerate(typed, 1))
    box = DreamTools(TEXT, Rules(said, DreamSettings(), days=dict.fromkeys(said, date(2026, 5, 11))))
    given = {"path": "MEMORY.md", "old_text": "- Writes Python\n", "new_text": f"- Writes Python\n- {line}\n"}
    evidence = [{"seq": seq, "quote": text} for seq, text in said.items()]
    asyncio.run(box.tools()[1].run({**given, "evidence": evidence}, lambda _: None))

    assert box.text == f"{TEXT}- {kept}\n"


@pytest.mark.parametrize(
    ("other", "line", "kept"),
    [
        ("I cook", "Ines drives and cooks in Hull", '"Ines drives in Hull"'),
        ("Ines does not sing", "Ines drives and sings in Hull", '"Ines drives in Hull"'),
        ("my sister is Ines", "Ines, the sister, drives in Hull", "Ines, the sister, drives in Hull"),
        ("the van is from York", "Ines drives in Hull, not in York", '"Ines drives in Hull"'),
    ],
)
def test_a_word_from_another_message_puts_the_sentence_in_the_place_of_the_line(other, line, kept):
    """What was said of somebody else, or denied, is in no quote; who somebody is may come from anywhere."""
    rules = Rules({1: "Ines drives in Hull", 2: other}, DreamSettings(), days={})
    box = DreamTools(TEXT, rules)
    given = {"path": "MEMORY.md", "old_text": "- Writes Python\n", "new_text": f"- Writes Python\n- {line}\n"}
    evidence = [{"seq": 1, "quote": "Ines drives in Hull"}]
    asyncio.run(box.tools()[1].run({**given, "evidence": evidence}, lambda _: None))

    assert box.text == f"{TEXT}- {kept}\n"


@pytest.mark.parametrize(
    ("typed", "line", "kept"),
    [
        (
            "news, the van died on the m4 a fortnight ago. we have a blue kangoo now, from huw. the berlingo went to neath",
            "Has a blue Berlingo now, the Kangoo went to Neath",
            "we have a blue kangoo now, from huw. the berlingo went to neath",
        ),
        (
            "is it late, i wonder? my sister ines has a van and i have a boat in hull. we met in york",
            "Has a van in Hull",
            "my sister ines has a van and i have a boat in hull",
        ),
    ],
)
def test_a_sentence_in_small_letters_stands_for_a_line_whatever_passes_before_it(typed, line, kept):
    """What is left of the sentence before does not go on in it."""
    assert f'{TEXT}- "{kept}"\n' == written(typed, line)[0]


@pytest.mark.parametrize(
    ("old", "typed", "line", "kept"),
    [
        ('- "i live in Hull, my sister is Ann"', "i live in York now", "Lives in York", '- Lives in York\n- "my sister is Ann"'),
        ('- 2026-05-02: "i live in Hull, we met Ann in May"', "i live in York now", "Lives in York", '- Lives in York\n- 2026-05-02: "we met Ann in May"'),
        ('- "i live in Hull, my sister is Ann"', "i live in York now. forget my sister", "Lives in York", "- Lives in York"),
        ('- "i live in Hull, three flights up"', "i live in York now", "Lives in York", "- Lives in York"),
        ('- "if i live in Hull, my sister moves in"', "i live in York now", "Lives in York", "- Lives in York"),
        ('- "my sister lives in Hull, my brother is a boss"', "my sister and my brother moved to York", "Sister and brother moved to York", "- Sister and brother moved to York"),
    ],
)  # fmt: skip
def test_what_puts_one_of_two_facts_right_leaves_the_other(old, typed, line, kept):
    """A clause of the user's own that stands alone, unless they want it forgotten or the new line speaks of it."""
    start = f"{TEXT}{old}\n"
    box = DreamTools(start, Rules({1: typed}, DreamSettings(), days={1: date(2026, 6, 11)}))
    given = {"path": "MEMORY.md", "old_text": old, "new_text": f"- {line}", "evidence": [{"seq": 1, "quote": typed}]}
    asyncio.run(box.tools()[1].run(given, lambda _: None))

    assert f"{TEXT}{kept}\n" == box.text
