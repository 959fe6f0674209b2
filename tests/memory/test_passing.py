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
]
STAYS = [
    ("off to bed. I work nights at the port", "Works nights at the port"),
    ("remember please: Olaf has three cats", "Olaf has three cats"),
    ("answers always like this please: short, no emojis", "Wants answers short, no emojis"),
    ("schreib immer so: kurz und ohne Floskeln", "Schreib kurz und ohne Floskeln"),
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
