"""How far a "not" reaches within a clause."""

import pytest

from cococat.memory.negation import denials_of


@pytest.mark.parametrize(
    ("clause", "denied"),
    [
        ("i do not like meat and fish", "not like meat and fish"),
        ("i do not like meat and the fish", "not like meat and the fish"),
        ("i eat no meat and the fish", "no meat"),
        ("no tea or coffee", "no tea or coffee"),
        ("i have no time and work", "no time"),
        ("i prefer trains to flights", "to flights"),
        ("i prefer my tea to be hot", ""),
        ("i prefer to fly", ""),
        ("i like trains rather than flights", "than flights"),
        ("coffee i do not", "coffee i do not"),
        ("ich mag keinen kaffee und die milch", "mag keinen kaffee"),
        ("je ne bois pas de cafe", "ne bois pas de cafe"),
        ("lass die emojis weg", "lass die emojis weg"),
        ("der hund ist weg", ""),
        ("prefer to fly", ""),
        ("to me i prefer tea", ""),
        ("i like tea and coffee i do not", "coffee i do not"),
        ("coffee i do not anymore", "coffee i do not anymore"),
        ("man darf das nicht essen", "darf nicht essen"),
        ("soll das nicht sein", "soll nicht sein"),
        ("maybe if it rains", "maybe"),
        ("ich darf tee nicht trinken", "nicht trinken"),
    ],
)
def test_a_not_reaches_to_the_end_of_what_it_goes_with(clause, denied):
    """A noun alone, what "and" adds to a verb, what is liked less; behind everything, the whole of it."""
    words = clause.split()

    assert denied == " ".join(word for word, no in zip(words, denials_of(words), strict=True) if no)
