"""Of whom a sentence tells that names them far from its verb, and what only should have been."""

import pytest

from tests.memory.written import TEXT, written

OF_SOMEBODY = [
    ("la Romi renuncio, se fue a laburar a una veterinaria de Funes", "Se fue a laburar a una veterinaria de Funes"),
    ("il Tano lavora a Pavia, ha venduto la moto", "Ha venduto la moto"),
    ("o Juninho mora em Anápolis, tem medo de altura", "Tem medo de altura"),
    ("my husband Emrys drives a tanker. can't stand sheep, him", "Can't stand sheep"),
    ("mon mari Bastien est pompier. déteste les chats, lui", "Déteste les chats"),
    ("mein chef heißt rüdiger kempa, der geht in rente", "Ist der Chef von Rüdiger Kempa"),
    ("my sister is called mia, she rows", "Is called Mia"),
]
NOT_DONE = [
    ("baba says i shd have done the bank exam like my cousin shweta", "Has done the bank exam like her cousin Shweta"),
    ("ich hätte Medizin studieren sollen, sagt Oma", "Hat Medizin studiert"),
    ("debería haber vendido el piso de Lugo", "Ha vendido el piso de Lugo"),
    ("j'aurais dû acheter la maison de Nantes", "A acheté la maison de Nantes"),
    ("avrei dovuto vendere il bar di Pavia", "Ha venduto il bar di Pavia"),
    ("надо было купить дом в Твери", "Купил дом в Твери"),
]
IN_ORDER = [
    ("erst das ergebnis und danach den weg, nich andersrum", "Erst den Weg, danach das Ergebnis"),
    ("primero la soldadura y luego la pintura", "Primero la pintura, luego la soldadura"),
    ("i paint first the hull and after that the mast", "Paints first the mast, after that the hull"),
]
STAYS = [
    ("mein chef heißt Rüdiger Kempa", "Chef heißt Rüdiger Kempa"),
    ("my sister is called mia, she rows", "Sister is called Mia"),
    ("el Tano vende micros", "El Tano vende micros"),
    ("erst das ergebnis und danach den weg", "Erst das Ergebnis, danach den Weg"),
    ("i should take vitamin d, doctor's orders", "Should take vitamin D, doctor's orders"),
    ("don't call me mate, it's Kez", "Don't call her mate, it's Kez"),
    ("last night of the show is may 8", "Last night of the show is 2026-05-08"),
]


@pytest.mark.parametrize(("typed", "line"), [*OF_SOMEBODY, *NOT_DONE, *IN_ORDER])
def test_a_line_that_turns_around_who_does_what_when_is_not_kept(typed, line):
    """Said of another whom the clause before names, only as what should have been, or in another order."""
    text, _ = written(typed, line)

    assert f"- {line}\n" not in text


@pytest.mark.parametrize(("typed", "line"), STAYS)
def test_a_line_that_says_it_of_the_same_one_is_kept(typed, line):
    """In the words of the line: nothing in it is turned around."""
    text, _ = written(typed, line)

    assert f"- {line}\n" in text
    assert TEXT.strip() in text
