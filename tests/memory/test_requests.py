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
        "is it ok if recipes are in grams?",
        "why not recipes in grams?",
        "recipes in grams ok?",
        "recipes in grams alright?",
        "would it be possible to get recipes in grams?",
        "is it possible to have recipes in grams?",
        "what if you gave recipes in grams?",
        "could recipes be in grams?",
        "can recipes be in grams?",
        "do you think you could give recipes in grams?",
        "may i ask for recipes in grams?",
        "why don't you give recipes in grams?",
        "how many times do i have to ask for recipes in grams?",
        "didn't i say recipes in grams?",
        "recipes in grams from now on?",
        "next time recipes in grams?",
        "mind if recipes are in grams?",
        "are recipes in grams ok?",
        "hey could you give recipes in grams?",
    ),
    "Will Rezepte in Gramm": (
        "kannste rezepte in gramm machen?",
        "könnten sie rezepte in gramm angeben?",
        "können wir rezepte in gramm machen?",
        "magst du rezepte in gramm schreiben?",
        "wie wärs mit rezepten in gramm?",
        "kann ich rezepte in gramm haben?",
        "gehen rezepte in gramm?",
        "geht das mit rezepten in gramm?",
        "ist es ok wenn rezepte in gramm sind?",
        "warum nicht rezepte in gramm?",
        "rezepte in gramm ok?",
        "darf ich um rezepte in gramm bitten?",
        "hab ich nicht rezepte in gramm gesagt?",
        "in zukunft rezepte in gramm?",
    ),
    "Quiere recetas en gramos": (
        "me das las recetas en gramos?",
        "me pones las recetas en gramos?",
        "¿te importa dar las recetas en gramos?",
        "y si las recetas van en gramos?",
        "puede ser recetas en gramos?",
        "por que no recetas en gramos?",
        "puedo tener recetas en gramos?",
        "no te pedi recetas en gramos?",
        "pueden ser las recetas en gramos?",
        "recetas en gramos vale?",
    ),
    "Veut des recettes en grammes": (
        "tu pourrais mettre les recettes en grammes?",
        "pourriez-vous donner les recettes en grammes?",
        "on peut faire les recettes en grammes?",
        "les recettes en grammes stp?",
        "ça te dérange de donner les recettes en grammes?",
        "pourquoi pas des recettes en grammes?",
        "c'est possible d'avoir des recettes en grammes?",
        "ça te va si les recettes sont en grammes?",
        "les recettes peuvent être en grammes?",
        "j'ai pas dit des recettes en grammes?",
        "la prochaine fois des recettes en grammes?",
    ),
    "Vuole ricette in grammi": (
        "mi dai le ricette in grammi?",
        "ti dispiace dare le ricette in grammi?",
        "riesci a darmi le ricette in grammi?",
        "possiamo fare le ricette in grammi?",
        "perché non ricette in grammi?",
        "va bene se le ricette sono in grammi?",
        "posso avere ricette in grammi?",
        "non ho detto ricette in grammi?",
        "ricette in grammi va bene?",
    ),
    "Quer receitas em gramas": (
        "me passa as receitas em gramas?",
        "consegue dar as receitas em gramas?",
        "tem como passar as receitas em gramas?",
        "dá pra passar as receitas em gramas?",
        "pode ser receitas em gramas?",
        "por que não receitas em gramas?",
        "dá para ter receitas em gramas?",
        "tudo bem se as receitas forem em gramas?",
        "as receitas podem ser em gramas?",
        "não pedi receitas em gramas?",
    ),
    "Хочет рецепты в граммах": (
        "можно рецепты в граммах?",
        "почему бы не рецепты в граммах?",
        "не мог бы ты давать рецепты в граммах?",
        "сколько раз просить рецепты в граммах?",
        "рецепты в граммах ладно?",
        "в следующий раз рецепты в граммах?",
    ),
}
QUESTIONS = {
    "Wants recipes in grams": "are {} good?|why are {}?|do {} exist?|is it ok if i write {}?|is it ok if my gran uses {}?|would {} help my gran?|what are {}?|does my gran want {}?|do people want {}?|did i ask for {}?|why do you always give {}?|who asked for {}?|should i want {}?|what if i want {}?|what if my gran gave {}?|are {} better?|can my gran have {}?|what is the point of {}?",
    "Will Rezepte in Gramm": "sind {} gut?|warum sind {}?|wer mag {}?|mag meine oma {}?|soll ich {} schreiben?|habe ich {} verlangt?|warum gibst du immer {}?|was wenn ich {} schreibe?|ist es ok wenn meine oma {} schreibt?",
    "Quiere recetas en gramos": "son buenas {}?|a quien le gustan {}?|mi abuela quiere {}?|debo escribir {}?|y si mi abuela escribe {}?|por que siempre das {}?",
    "Veut des recettes en grammes": "qui aime {}?|ma mamie veut {}?|où trouver {}?|pourquoi tu donnes toujours {}?|et si ma mamie écrit {}?",
    "Vuole ricette in grammi": "chi vuole {}?|mia nonna vuole {}?|come scrivo {}?|perché dai sempre {}?|e se mia nonna scrive {}?",
    "Quer receitas em gramas": "quem quer {}?|minha avó quer {}?|por que você sempre dá {}?|e se minha avó escrever {}?",
    "Хочет рецепты в граммах": "кто хочет {}?|бабушка хочет {}?|почему ты всегда даешь {}?|что если бабушка пишет {}?",
}


@pytest.mark.parametrize("line", ROWS)
def test_a_request_in_the_form_of_a_question_is_a_preference(line):
    lost = [typed for typed in ROWS[line] if not written(typed, line)[0].removeprefix(TEXT)]

    assert [] == lost


@pytest.mark.parametrize("line", QUESTIONS)
def test_a_question_about_it_is_no_preference(line):
    """What it is, who else wants it, whether one may do it oneself, and why it is done, which may be a complaint."""
    asked = [one.format(line.partition(" ")[2].lower()) for one in QUESTIONS[line].split("|")]

    assert [] == [typed for typed in asked if written(typed, line)[0].removeprefix(TEXT)]


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
