"""Secrets told in words: gone from what is remembered, left in what tools read."""

from __future__ import annotations

import re
import time

import pytest

from cococat.safety.secrets import redact, redact_said, redact_speech
from tests.safety.corpus import sections

TOLD, HARMLESS = sections("told.txt"), sections("harmless.txt")


def stays(line: str) -> list[str]:
    """Return the pieces of the secrets of *line*, and of what a second look changes, that are still there."""
    secrets = re.findall(r"\{(.+?)\}", line)
    clean = redact_said(re.sub("[{}]", "", line), ())
    assert secrets
    return [
        *(piece for secret in secrets for piece in (secret, *re.findall(r"\w{4,}", secret)) if piece in clean),
        *([f"{clean}: not the same again"] if clean != redact_said(clean, ()) else ()),
    ]


@pytest.mark.parametrize("kind", TOLD)
def test_what_is_secret_in_a_line_is_not_remembered(kind):
    """In whatever language, not a piece of it; a second look finds nothing more."""
    assert {} == {line: pieces for line in TOLD[kind] if (pieces := stays(line))}


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_only_looks_like_a_secret_is_remembered(kind):
    """Talk about passwords, times, prices, orders, models, years: whole."""
    assert [] == [line for line in HARMLESS[kind] if line != redact_said(line, ())]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("My password is {hunter2}, ok?", "password"),
        ("IBAN {DE89 3704 0044 0532 0130 00} please", "bank-account"),
        ("Medicare number is {1EG4-TE5-MK72}, ok", "id-number"),
        ("card {4111-1111-1111-1111} ok", "card-number"),
        ("meu cpf pra nota dela é {042.771.386-19}, tá", "id-number"),
        ("房东催租 卡号{6222 0319 8876 1150} 明天给", "card-number"),
        ("mudaram o wifi do quartel, {cb193@Setor7}, deixa aí", "password"),
        ("后台门禁又换了 {4417井号} 我老记不住", "password"),
        ("das gäste-wlan, {See-Blick-4471}, steht am kühlschrank", "password"),
    ],
)
def test_only_the_secret_goes(line, kind):
    """The words around it stay, and a mark says what it was."""
    assert re.sub(r"\{.+\}", f"[redacted:{kind}]", line) == redact_said(re.sub("[{}]", "", line), ())


def test_what_a_tool_reads_keeps_its_words():
    """A text about passwords is not a password: only what is told is looked at for words."""
    text = "The default password is letmein7 and the pin is 1234; the test card is 4111 1111 1111 1111."

    assert text == redact(text, ())


@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.slow)], ids=["a quarter", "whole"])
@pytest.mark.parametrize(
    ("before", "again", "times", "behind"),
    [
        ("", "0", 300_000, ""),
        ("", "4 ", 150_000, ""),
        ("", "my password is ", 15_000, ""),
        ("", "code for ", 30_000, ""),
        ("passport number ", "1 ", 100_000, "é"),
        ("", "AB12", 80_000, ""),
        ("", "pin ", 60_000, ""),
        ("", "door code ", 25_000, ""),
        ("", "密码", 80_000, ""),
        ("pw ", "a1", 100_000, ""),
        ("", "card 4417 ", 25_000, ""),
        ("account ", "1234 ", 60_000, ""),
        ("", "passport c1", 25_000, ""),
        ("", "wifi a1b2c3d4 ", 20_000, ""),
        ("wifi ", "a1", 100_000, ""),
        ("wifi ", "!a1", 80_000, ""),
        ("", "gate 1234 ", 25_000, ""),
        ("", "my pin is the pin is code door 4471 ", 5_000, ""),
    ],
)
def test_hostile_talk_takes_linear_time(before, again, times, behind, part):
    """A quarter of a megabyte of near misses is through in a moment, a quarter of it in a quarter: `pytest -m slow` for all."""
    text = before + again * (times // part) + behind
    began = time.process_time()

    redact_speech(text)

    assert time.process_time() - began < 3 / part


@pytest.mark.parametrize(
    "look", [redact_speech, lambda text: redact(text, ("correct horse battery",))], ids=["said", "written"]
)
def test_an_answer_that_is_kept_in_four_places_is_looked_through_once(look):
    """For its pieces, its message, the end of its turn and the memory: the same text each time."""
    text = "".join(f"one thing {number}, and my token is with a friend.\n" for number in range(4000))
    began = time.process_time()
    first = look(text)
    middle = time.process_time()

    again = [look("".join(text)) for _ in range(3)]

    assert [first] * 3 == again
    assert time.process_time() - middle < (middle - began) / 4
