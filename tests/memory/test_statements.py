"""What of a text claims something: not its questions, its orders, its farewells or the tale that it asks for."""

import pytest

from cococat.memory.statements import follows_tale, plain, statements


def flat(text):
    """*text* with its sentences in one line."""
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("typed", "stated"),
    [
        ("I like tea, don't you think?", "I like tea"),
        ("do I like tea? I like coffee", "I like coffee"),
        ("on most evenings I write a poem. my cat is grey", "on most evenings I write a poem. my cat is grey"),
        ("now then please write a poem. the cat is grey", ""),
        ("I need a story for Mia. the hero is Olaf", ""),
        ("I need a bike. mine is old", "I need a bike. mine is old"),
        ("off to the shop for bread and milk and jam and eggs", ""),
        ("off to the shop for bread and milk and jam and eggs again", "off to the shop for bread and milk and jam and eggs again"),
        ("translate this for me. I live in Lisbon", "I live in Lisbon"),
        ("please translate this. I live in Lisbon", "I live in Lisbon"),
        ("translate this, I live in Lisbon and Tom in Hull", "I live in Lisbon and Tom in Hull"),
        ("translate this: sorry, I live in Lisbon", ""),
        ("fix this, the tests are red", ""),
        ("fix this, ask my boss Ann", "my boss Ann"),
        ("fix this, be brief, I row, I paint", "I row, I paint"),
        ("fix this for my boss Ann, 👍", "my boss Ann"),
        ("no, it's the 7th not the 6th", "it's the 7th not the 6th"),
        ("no meat for me, never had any", "no meat for me, never had any"),
        ("no more", "no more"),
        ("I row, the printer is stuck, Mia paints", "I row, Mia paints"),
        ("the printer is stuck", ""),
        ("fix bikes at the club on mondays", "fix bikes at the club on mondays"),
        ("explain things simply", "explain things simply"),
        ("translate the letter of my brother Gene", "my brother Gene"),
        ("he lives in Leipzig. no wait, in Dresden", "he lives in Dresden. no wait, in Dresden"),
        ("we have 3 cats and 2 dogs. no, 4", "we have 3 cats and 4 dogs. no, 4"),
        ("we have 3 cats. no more", "we have 3 cats. no more"),
        ("no wait, in Dresden", "no wait, in Dresden"),
        ("me operaron el 19 de agosto. no levanto 10 kg", "me operaron el 19 de agosto. no levanto 10 kg"),
        ("vivo en Lugo en 2 casas. no es en 3 pisos", "vivo en Lugo en 2 casas. no es en 3 pisos"),
        ("vive en la plaza. no, en Lugo", "vive en la plaza. no, en Lugo"),
        ("ho 3 gatti. non mangio dopo le 8", "ho 3 gatti. non mangio dopo le 8"),
        ("el lunes 16. no que digo, el martes 17", "el martes 17. no que digo, el martes 17"),
        ("am montag 3. nein am dienstag 4", "am dienstag 4. nein am dienstag 4"),
        ("it is on the 7th. no its the 9th", "it is on the 9th. no its the 9th"),
        ("can you remember that I like tea?", "can you remember that I like tea?"),
        ("can you always answer in metres?", "can you always answer in metres?"),
        ("oh and please write: the cat is grey", ""),
        ("when I paint I write: red is warm", "when I paint I write: red is warm"),
        ("I row. I live in Hull. no wait, in Dresden", "I row. I live in Dresden. no wait, in Dresden"),
        ("we have 3 cats. I wait for 2 more", "we have 3 cats. I wait for 2 more"),
        ("on monday 3 and friday 5. no, saturday 6", "on monday 3 and saturday 6. no, saturday 6"),
        ("前妻？在利兹教书", "前妻？ 在利兹教书"),  # noqa: RUF001 - as typed
        ("我住利兹。前妻？", "我住利兹。"),  # noqa: RUF001 - as typed
        ("she is tall, ok?", "she is tall"),
        ("is Tom in, you think?", ""),
        ("vivo donde trabaja Ana", "vivo donde trabaja Ana"),
        ("qué tal? y vivo donde trabaja Ana", "y vivo donde trabaja Ana"),
        ("kids read this aloud", "kids read this aloud"),
    ],
)  # fmt: skip
def test_what_a_text_claims(typed, stated):
    """Sentence by sentence; a correction stands in the place of what it puts right."""
    assert stated == flat(statements(typed).stated)


@pytest.mark.parametrize(
    ("typed", "stated", "wished", "inquired"),
    [
        ("why does my sister Mia sing?", "my sister Mia", "", "why does my sister Mia sing?"),
        ("what is a fork?", "", "", "what is a fork?"),
        ("is the shop open", "", "", "is the shop open"),
        ("can you help my sister Mia?", "my sister Mia", "can you help my sister Mia?", ""),
        ("could it be shorter, please?", "", "could it be shorter, please?", ""),
        ("is my sister Mia in?", "my sister Mia", "", ""),
    ],
)
def test_a_question_and_a_request_take_for_granted_whom_they_name(typed, stated, wished, inquired):
    """They claim nothing else; what a request asks for is a wish, and what a question asks is kept apart."""
    found = statements(typed)

    assert (stated, wished, inquired) == (flat(found.stated), found.wished, found.inquired)


@pytest.mark.parametrize(
    ("before", "follows"),
    [
        ((), False),
        (("write me a story",), True),
        (("write me a story", "now he rows"), True),
        (("write me a story", "I row"), False),
        (("I row", "now he rows"), False),
    ],
)
def test_what_is_typed_behind_a_tale_or_how_it_goes_on_follows_it(before, follows):
    """Only right behind it: what the user told of themself in between ends it."""
    typed = dict(enumerate((*before, "now he lives in Hull"), 1))

    assert follows == follows_tale(typed, len(typed))


def test_short_forms_are_written_out():
    """Each by its own long form; those that are words of German are left there."""
    assert ("i am tired", "do not ask", "im Haus bin ich") == (
        plain("im tired"),
        plain("dont ask"),
        plain("im Haus bin ich"),
    )
