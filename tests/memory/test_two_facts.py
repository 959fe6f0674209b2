"""Two facts in one message: a note may tell each of them, and never gives one what was said of the other."""

# ruff: noqa: RUF001 - other scripts, as they are typed
from datetime import date
from itertools import permutations, product

import pytest

from cococat.memory.evidence import Heard, unsupported
from cococat.memory.quotes import Quote

BREAKS = (", ", ". ", " and ")
VERBS = {
    "mentor": "mentors", "teach": "teaches", "drive": "drives", "call": "calls",
    "row with": "rows with", "live with": "lives with", "work for": "works for", "cook for": "cooks for",
}  # fmt: skip
HOMES = {
    "English": ("I live in {}", "{} lives in {}", "Lives in {}", ("Ravi", "my sister", "my boss")),
    "German": ("ich wohne in {}", "{} wohnt in {}", "Wohnt in {}", ("Ravi", "meine Schwester", "mein Chef")),
    "Spanish": ("vivo en {}", "{} vive en {}", "Vive en {}", ("Ravi", "mi hermana", "mi jefe")),
    "French": ("j'habite à {}", "{} habite à {}", "Habite à {}", ("Ravi", "ma soeur", "mon chef")),
    "Italian": ("vivo a {}", "{} vive a {}", "Vive a {}", ("Ravi", "mia sorella", "il mio capo")),
    "Portuguese": ("moro em {}", "{} mora em {}", "Mora em {}", ("Ravi", "a minha irmã", "o meu chefe")),
    "Russian": ("я живу в {}", "{} живёт в {}", "Живёт в {}", ("Рави", "моя сестра", "мой брат")),
}


def kept(typed, *lines):
    """Those of *lines* that a note may hold when *typed* was typed."""
    heard = Heard({1: typed}, days={1: date(2026, 3, 18)})
    return [line for line in lines if not unsupported(f"- {line}", [Quote(1, typed)], heard)]


def opened(text):
    """*text* as a line begins: without "my", and with a capital."""
    bare = text.removeprefix("my ")
    return bare[0].upper() + bare[1:]


def does(who, verb, whom):
    """A clause that is typed, and the line that tells it."""
    told = f"{VERBS[verb]} {whom}"
    return f"{who} {verb if who == 'I' else VERBS[verb]} {whom}", opened(told if who == "I" else f"{who} {told}")


@pytest.mark.parametrize("between", BREAKS)
@pytest.mark.parametrize(
    ("one", "other"), [("mentor", "teach"), ("row with", "live with"), ("work for", "cook for"), ("call", "drive")]
)
def test_what_two_people_do_is_told_of_who_does_it(one, other, between):
    """And the whole of what one does is not told of the other."""
    for who, another in permutations(("I", "Ravi", "my sister", "my boss"), 2):
        (first, mine), (second, theirs) = does(who, one, "Paul"), does(another, other, "Nina")
        swapped = (does(who, other, "Nina")[1], does(another, one, "Paul")[1])

        assert [mine, theirs] == kept(f"{first}{between}{second}", mine, theirs, *swapped), (who, another)


@pytest.mark.parametrize("between", BREAKS)
@pytest.mark.parametrize("verb", VERBS)
def test_whom_the_user_does_it_to_is_not_whom_another_does_it_to(verb, between):
    """The same verb of both: each keeps its own."""
    for another, whose in product(("Ravi", "my sister", "my boss"), (("Paul", "Nina"), ("Bob", "Paul"))):
        (mine, told), (theirs, of_them) = does("I", verb, whose[0]), does(another, verb, whose[1])
        wrong = does("I", verb, whose[1])[1]

        assert [told, of_them] == kept(f"{mine}{between}{theirs}", told, of_them, wrong), (another, whose)


@pytest.mark.parametrize("language", HOMES)
def test_where_two_people_live_is_told_of_each(language):
    """Whoever is named first, in one sentence or in two."""
    mine, theirs, note, people = HOMES[language]
    for who, (here, there), between in product(people, permutations(("Rome", "Oslo")), (", ", ". ")):
        name = opened(who.split()[-1])
        true = [note.format(here), theirs.format(name, there)]
        false = [note.format(there), theirs.format(name, here)]
        clauses = (mine.format(here), theirs.format(who, there))

        for typed in (between.join(clauses), between.join(clauses[::-1])):
            assert true == kept(typed, *true, *false), typed


@pytest.mark.parametrize("between", BREAKS)
def test_a_number_stays_with_whom_it_was_said_of(between):
    """And with nobody named it is nobody's."""
    for (one, other), (age, another) in product(
        permutations(("Finn", "Maeve", "my sister", "my boss"), 2), (("9", "16"), ("31", "4"))
    ):
        true = [f"{opened(one)} is {age}", f"{opened(other)} is {another}"]
        false = [f"{opened(one)} is {another}", f"{opened(other)} is {age}", f"Is {age}"]

        assert true == kept(f"{one} is {age}{between}{other} is {another}", *true, *false), (one, other)


@pytest.mark.parametrize("between", BREAKS)
def test_what_is_done_on_two_days_is_told_with_its_day(between):
    """The order of day and deed is free."""
    for day, another in permutations(("mondays", "fridays", "weekends"), 2):
        true = [f"Rows on {day}", f"Paints on {another}"]

        assert true == kept(f"on {day} I row{between}on {another} I paint", *true)


@pytest.mark.parametrize("between", [", but ", ". ", ", "])
def test_a_not_stays_with_what_it_was_said_of(between):
    """Before or behind what is done all the same."""
    for (no, never), (yes, often) in permutations(
        (("eat meat", "meat"), ("drink beer", "beer"), ("watch films", "films")), 2
    ):
        without, with_ = (VERB.split()[0] for VERB in (no, yes))
        forms = {"eat": "Eats", "drink": "Drinks", "watch": "Watches"}
        true = [f"{forms[without]} no {never}", f"{forms[with_]} {often}"]
        false = [f"{forms[without]} {never}", f"{forms[with_]} no {often}"]

        for typed in (f"I don't {no}{between}I {yes}", f"I {yes}{between}I don't {no}"):
            assert true == kept(typed, *true, *false), typed


@pytest.mark.parametrize(("who", "note"), [("I", "Moved"), ("my sister", "Sister moved"), ("Ravi", "Ravi moved")])
def test_where_from_and_where_to_are_not_exchanged(who, note):
    """One of them alone may be told."""
    for old, new in permutations(("Rome", "Lisbon", "Oslo"), 2):
        true = [f"{note} from {old} to {new}", f"{note} to {new}", f"{note} from {old}"]
        false = [f"{note} from {new} to {old}", f"{note} to {old}", f"{note} from {new}"]

        assert true == kept(f"{who} moved from {old} to {new}", *true, *false)


@pytest.mark.parametrize("between", ["，", "。"])
def test_where_two_people_work_is_told_of_each_in_chinese(between):
    """A line without a person tells of the user."""
    people = (("我", ""), ("我妈", "妈妈"), ("我姐", "姐姐"), ("小王", "小王"))
    for ((one, first), (other, second)), (here, there) in product(
        permutations(people, 2), permutations(("苏州", "成都"))
    ):
        true = [f"{first}在{here}上班", f"{second}在{there}上班"]
        false = [f"{first}在{there}上班", f"{second}在{here}上班"]

        assert true == kept(f"{one}在{here}上班{between}{other}在{there}上班", *true, *false), (one, other)


def test_how_old_two_children_are_is_told_of_each_in_chinese():
    """With a numeral or with digits, and not of the user."""
    for (age, other), (son, girl) in product(
        permutations((("三", 3), ("六", 6), ("十二", 12)), 2), permutations(("豆豆", "果果"))
    ):
        true = [f"儿子{son}{age[1]}岁", f"女儿{girl}{other[0]}岁"]
        false = [f"儿子{son}{other[1]}岁", f"女儿{girl}{age[0]}岁", f"{age[0]}岁"]

        assert true == kept(f"我儿子{son}{age[0]}岁，女儿{girl}{other[0]}岁", *true, *false)


def test_what_is_not_drunk_is_not_noted_as_drunk_in_chinese():
    """Before or behind what is."""
    for no, yes in permutations(("牛奶", "豆浆", "绿茶"), 2):
        for typed in (f"我不喝{no}，我喝{yes}", f"我喝{yes}，不喝{no}", f"{no}我不喝。我喝{yes}"):
            assert [f"不喝{no}", f"喝{yes}"] == kept(typed, f"不喝{no}", f"喝{yes}", f"喝{no}"), typed


KIN = ("sister", "brother", "boss", "wife", "neighbour", "friend")
STORIES = {
    "a name": (
        "my {kin} {name} lives in Hull, I live in Oslo",
        ("{Kin} {name} lives in Hull", "{name} lives in Hull", "Lives in Oslo"),
        ("Lives in Hull", "{Kin} {name} lives in Oslo"),
    ),
    "a name behind": (
        "I live in Oslo. my {kin} {name} lives in Hull",
        ("{Kin} {name} lives in Hull", "{name} lives in Hull", "Lives in Oslo"),
        ("Lives in Hull", "{Kin} {name} lives in Oslo"),
    ),
    "what they are called": (
        "my {kin} is called {name}, I live in Hull",
        ("{Kin} is called {name}", "{Kin} is {name}", "Lives in Hull"),
        ("{Kin} lives in Hull", "{name} lives in Hull"),
    ),
    "who": (
        "my {kin}, who lives in Hull, has asthma. I have a bike",
        ("{Kin} lives in Hull", "{Kin} has asthma", "Has a bike"),
        ("Lives in Hull", "Has asthma", "{Kin} has a bike"),
    ),
    "an own name": (
        "I am {name}, I live in Hull with my {kin}",
        ("{name} lives in Hull", "Lives in Hull with {kin}"),
        ("{Kin} lives in Hull",),
    ),
    "what they like": (
        "I like tea and my {kin} likes coffee",
        ("Likes tea", "{Kin} likes coffee"),
        ("Likes coffee", "{Kin} likes tea"),
    ),
    "together": (
        "{name} and I row, my {kin} paints",
        ("Rows with {name}", "{Kin} paints"),
        ("Paints", "{Kin} rows"),
    ),
}  # fmt: skip
ELSEWHERE = (
    (
        "meine Schwester hat Asthma, ich habe einen Hund",
        ("Schwester hat Asthma", "Hat einen Hund"),
        ("Hat Asthma", "Schwester hat einen Hund"),
    ),
    (
        "mein Bruder arbeitet nachts. ich arbeite in Bremen",
        ("Bruder arbeitet nachts", "Arbeitet in Bremen"),
        ("Arbeitet nachts", "Bruder arbeitet in Bremen"),
    ),
    (
        "ich trinke keinen Kaffee, meine Frau trinkt Tee",
        ("Trinkt keinen Kaffee", "Frau trinkt Tee"),
        ("Trinkt Kaffee", "Trinkt Tee", "Frau trinkt Kaffee", "Frau trinkt keinen Tee"),
    ),
    (
        "mi hermana tiene asma, yo tengo un perro",
        ("Hermana tiene asma", "Tiene un perro"),
        ("Tiene asma", "Hermana tiene un perro"),
    ),
    ("no bebo café, mi mujer bebe té", ("No bebe café", "Mujer bebe té"), ("Bebe café", "Mujer bebe café")),
    ("ma soeur a un chien, j'ai un chat", ("Soeur a un chien", "A un chat"), ("A un chien", "Soeur a un chat")),
    (
        "je ne bois pas de café, ma femme boit du thé",
        ("Ne boit pas de café", "Femme boit du thé"),
        ("Boit du café", "Femme boit du café"),
    ),
    ("mia sorella ha un cane, io ho un gatto", ("Sorella ha un cane", "Ha un gatto"), ("Ha un cane", "Sorella ha un gatto")),
    ("non bevo caffè, mia moglie beve tè", ("Non beve caffè", "Moglie beve tè"), ("Beve caffè", "Moglie beve caffè")),
    ("a minha irmã tem um cão, eu tenho um gato", ("Irmã tem um cão", "Tem um gato"), ("Tem um cão", "Irmã tem um gato")),
    (
        "não bebo café, a minha mulher bebe chá",
        ("Não bebe café", "Mulher bebe chá"),
        ("Bebe café", "Bebe chá", "Mulher bebe café"),
    ),
    ("моя сестра любит чай, я люблю кофе", ("Сестра любит чай", "Любит кофе"), ("Любит чай", "Сестра любит кофе")),
    (
        "я не пью кофе, моя жена пьёт чай",
        ("Не пьёт кофе", "Жена пьёт чай"),
        ("Пьёт кофе", "Пьёт чай", "Жена пьёт кофе"),
    ),
)  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
def test_what_was_said_of_one_who_is_near_is_told_of_them(story):
    """Of a sister or a boss, with a name or without, and of the user what they said of themselves."""
    typed, true, false = STORIES[story]
    for kin, name in product(KIN, ("Gene", "Nora")):
        words = {"kin": kin, "Kin": kin.capitalize(), "name": name}
        fine = [line.format(**words) for line in true]

        assert fine == kept(typed.format(**words), *fine, *(line.format(**words) for line in false)), words


@pytest.mark.parametrize(("typed", "true", "false"), ELSEWHERE)
def test_two_facts_stay_apart_in_other_languages(typed, true, false):
    """Where the verb alone says who it is that has, works or does not drink."""
    assert [*true] == kept(typed, *true, *false)
