"""What a text says in passing, or makes up: none of it is a fact about its user, and what stands beside it still is."""

import asyncio
from datetime import date

import pytest

from cococat.core.settings import DreamSettings
from cococat.core.tools import ToolFailure
from cococat.memory.dream_tools import DreamTools, Rules

TEXT = "# Memory\n\n## Preferences\n- Writes Python\n"
PASSES = [
    ("right its perishing, away home", "It is perishing"),
    ("muss los, der laden is voll", "Der Laden ist voll"),
    ("zurück aus Rom, braun wie ein Keks", "Braun wie ein Keks"),
    ("me voy a casa, qué frío en el taller", "Frío en el taller"),
    ("schreib was lustiges fürs fest: Olaf hat drei Arme und wohnt im Turm", "Olaf wohnt im Turm"),
    ("a poem for the kids please: Olaf has three arms", "Olaf has three arms"),
    ("mia needs a spooky story, the hero is Olaf and he eats stars", "Olaf eats stars"),
    ("the printer is jammed and my report is due", "Printer is jammed"),
    ("word crashed today, I lost an hour", "Word crashed"),
    ("der drucker spinnt und mir ist schlecht", "Ihm ist schlecht"),
    ("got a splitting headache, make it quick", "Has a splitting headache"),
    ("perfect. its chucking it down here", "It is chucking it down"),
    ("if i won the lottery i'd move to Greece", "Moves to Greece"),
    ("wenn ich mal Rentner bin zieh ich nach Sylt", "Zieht nach Sylt"),
    ("si j'étais riche je vivrais à Marseille", "Vit à Marseille"),
    ('my boss said "we need someone from Leeds", nice', "Needs someone from Leeds"),
    ("er meinte nur „ich ziehe nach Wien“, tja", "Zieht nach Wien"),
]
STAYS = [
    ("off to bed. I work nights at the port", "Works nights at the port"),
    ("remember please: Olaf has three cats", "Olaf has three cats"),
    ("answers always like this please: short, no emojis", "Wants answers short, no emojis"),
    ("schreib immer so: kurz und ohne Floskeln", "Schreib kurz und ohne Floskeln"),
    ("the printer is jammed and I work in Leeds", "Works in Leeds"),
    ("I always get a headache from red wine", "Always gets a headache from red wine"),
    ("when it's raining I take the tram", "Takes the tram when it's raining"),
    ("wenn meine Mutter Fieber hat, bleibe ich zuhause", "Bleibt zuhause, wenn seine Mutter Fieber hat"),
    ('I said no to "Office", I use Emacs', "Uses Emacs"),
    ("fix it please, I live in Lisbon", "Lives in Lisbon"),
    ("corrige ça, je prépare le concours d'instit", "Prépare le concours d'instit"),
    ("no i meant python 3.12 not 3.10", "Uses Python 3.12"),
    ("nein, ich meinte Leeds, nicht Leicester", "Leeds, nicht Leicester"),
    ("no, my exam is on the 7th not the 6th", "Exam is on the 7th"),
    ("I need a new bike, mine is 20 years old", "Needs a new bike"),
]


def written(typed, line):
    """Add *line* with all of *typed* as its quote; return the memory after it."""
    box = DreamTools(TEXT, Rules({1: typed}, DreamSettings(), days={1: date(2026, 3, 18)}))
    given = {"path": "MEMORY.md", "old_text": "- Writes Python\n", "new_text": f"- Writes Python\n- {line}\n"}
    asyncio.run(box.tools()[1].run({**given, "evidence": [{"seq": 1, "quote": typed}]}, lambda text: None))
    return box.text


@pytest.mark.parametrize(("typed", "line"), PASSES)
def test_what_passes_or_is_made_up_is_no_fact(typed, line):
    """Where somebody goes now and how it is there, and what a text that they order is to say."""
    with pytest.raises(ToolFailure, match="does not support"):
        written(typed, line)


@pytest.mark.parametrize(("typed", "line"), STAYS)
def test_what_stands_beside_it_still_is_one(typed, line):
    """A farewell, a "please" or a need takes nothing away from what else was typed."""
    assert f"- {line}\n" in written(typed, line)
