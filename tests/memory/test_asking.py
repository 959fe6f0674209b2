"""What somebody tells of themself in one sentence with a question is a fact; what they only ask, suppose or have translated is none."""

import pytest

from cococat.memory.statements import statements
from tests.memory.written import READINGS, TEXT, written

ASKING = READINGS["asking"]


def messages(language, forms):
    """Each fact of *language* in each of its *forms*, with one question after the other: the message, and the line."""
    rows = ASKING[language]
    questions = rows["questions"]
    return [
        (form.format(f=typed, q=questions[(at + number) % len(questions)], a=asked), line)
        for at, (typed, line, asked) in enumerate(rows["facts"])
        for number, form in enumerate(rows[forms].split("|"))
    ]


@pytest.mark.parametrize("language", ASKING)
def test_a_fact_beside_a_question_is_noted(language):
    """Ahead of it and behind it, with and without a comma, an "and" or a question mark."""
    lost = [typed for typed, line in messages(language, "told") if not written(typed, line)[0].removeprefix(TEXT)]

    assert [] == lost


@pytest.mark.parametrize("language", ASKING)
def test_what_is_only_asked_or_supposed_is_not_noted(language):
    """Nor that there is a father, in the place of what he has."""
    kept = [typed for typed, line in messages(language, "asked") if written(typed, line)[0].removeprefix(TEXT)]

    assert [] == kept


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("what can i cook for my daughter Orla who's allergic to eggs?", "my daughter Orla who's allergic to eggs"),
        ("gift ideas for my dad who loves golf?", "my dad who loves golf"),
        ("que cocino para mi hija ana que es vegana?", "mi hija ana que es vegana"),
        ("como le digo a mi jefe frank que renuncio?", "mi jefe"),
        ("how do i tell my boss Frank that i quit?", "my boss Frank"),
        ("does my son who rows eat eggs?", "my son"),
        ("is it my dad who snores?", "my dad"),
        ("what's good for my sister Ines, she's a baker?", "my sister Ines she's a baker"),
        ("is it normal that my dog sleeps all day?", "my dog sleeps all day"),
        ("is it bad my dog sleeps all day?", "my dog sleeps all day"),
        ("is it bad if my dog sleeps all day?", ""),
        ("i sleep 4 hours a night is that normal?", "i sleep 4 hours a night"),
        ("i need a visa for oslo is that right?", ""),
        ("you think i have diabetes what now?", ""),
        ("we row and my dad has asthma where can he swim?", "we row and my dad has asthma"),
        ("can you write to my landlord, i move out in may?", "my landlord"),
        ('can you read "i live in hull", i live in york?', ""),
        ("should i go because my dad is ill?", "my dad is ill"),
        ("is it because my dad is ill?", "my dad"),
        ("my wife is the boss what now?", "my wife is the boss"),
        ("ab montag bin ich im depot", "ab montag bin ich im depot"),
        ("fleisch mag ich nicht, kann ich nicht essen", "fleisch mag ich nicht, kann ich nicht essen"),
        ("do the maths in grams", "do the maths in grams"),
        ("have a dog and a cat", "have a dog and a cat"),
        ("i have no oven and is it ok to fry?", "i have no oven"),
        ("i like it hot any curry recipes?", "i like it hot"),
        ("soy celíaco y la migraña me da cada mes", "soy celíaco y la migraña me da cada mes"),
        ("i do no visits any more, only st anna", "i do no visits any more, only st anna"),
        ("i dont have any pets can i foster?", "i dont have any pets"),
        ("is it bad that i think i have cancer?", ""),
        ("如果我住在扬州,需要车吗?", ""),
        ("我住在扬州,需要车吗?", "我住在扬州"),
        ("when should i leave, i live in hull?", "i live in hull"),
        ("corro los martes, me das una receta?", "corro los martes"),
        ("il mio esame è in giugno, mi dai idee?", "il mio esame è in giugno"),
        ("puedo comer queso, pollo o jamon?", ""),
        ("hab ich mir gedacht", "hab ich mir gedacht"),
        ("im winter will ich ein beet bauen", "im winter will ich ein beet bauen"),
        ("wenn du was ausrechnest dann erst das ergebnis", "wenn du was ausrechnest dann erst das ergebnis"),
        ("wo gibts denn pflaster?", ""),
        ("my problem is that i snore", "my problem is that i snore"),
        ("wenn es regnet bin ich im bett", "wenn es regnet bin ich im bett"),
    ],
)  # fmt: skip
def test_what_is_told_beside_a_question(typed, told):
    """Of the user, and of whom they name; nothing that they have somebody think, write or translate; no clause that has its verb ahead."""
    assert told == " ".join(statements(typed).stated.split())
