"""A request in the form of a question says what its user prefers, however it is put; what is only asked says nothing."""

import pytest

from tests.memory.written import TEXT, written

ROWS = {
    "Wants recipes in grams": (
        "can you give me recipes in grams",
        "can u give recipes in grams?",
        "cld you give recipes in grams?",
        "could we have recipes in grams?",
        "can i get recipes in grams?",
        "any chance you could give recipes in grams?",
        "any chance of recipes in grams?",
        "mind giving me recipes in grams?",
        "how about recipes in grams?",
        "shall we keep recipes in grams?",
        "recipes in grams if you can?",
        "pls recipes in grams?",
    ),
    "Will Rezepte in Gramm": (
        "kannste rezepte in gramm machen?",
        "könnten sie rezepte in gramm angeben?",
        "können wir rezepte in gramm machen?",
        "magst du rezepte in gramm schreiben?",
        "wie wärs mit rezepten in gramm?",
    ),
    "Quiere recetas en gramos": (
        "me das las recetas en gramos?",
        "me pones las recetas en gramos?",
        "¿te importa dar las recetas en gramos?",
    ),
    "Veut des recettes en grammes": (
        "tu pourrais mettre les recettes en grammes?",
        "pourriez-vous donner les recettes en grammes?",
        "on peut faire les recettes en grammes?",
        "les recettes en grammes stp?",
        "ça te dérange de donner les recettes en grammes?",
    ),
    "Vuole ricette in grammi": (
        "mi dai le ricette in grammi?",
        "ti dispiace dare le ricette in grammi?",
        "riesci a darmi le ricette in grammi?",
    ),
    "Quer receitas em gramas": (
        "me passa as receitas em gramas?",
        "consegue dar as receitas em gramas?",
        "tem como passar as receitas em gramas?",
        "dá pra passar as receitas em gramas?",
    ),
}


@pytest.mark.parametrize("line", ROWS)
def test_a_request_in_the_form_of_a_question_is_a_preference(line):
    lost = [typed for typed in ROWS[line] if not written(typed, line)[0].removeprefix(TEXT)]

    assert [] == lost


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("can i get a tram to Hull?", "Takes a tram to Hull"),
        ("how about the weather in Hull?", "Lives in Hull"),
        ("do you mind the weather in Hull?", "Weather in Hull"),
        ("ti dispiace il tempo a Hull?", "Tempo a Hull"),
        ("can recipes be in grams?", "Recipes are in grams"),
    ],
)
def test_a_request_is_nothing_but_a_wish(typed, line):
    """A line that does not begin with a wish takes nothing from one."""
    assert written(typed, line)[0] == TEXT
