"""Which words are forms of one another, and which of a line are the user's own."""

import pytest

from cococat.memory.own_words import foreign_words
from cococat.memory.words import alike, content_words, fold, related, sequence


@pytest.mark.parametrize(
    ("word", "typed", "same"),
    [
        ("teekanne", "tee kanne", True),
        ("teetopf", "tee topf", False),
        ("gartentee", "garten tee", False),
        ("gartenbank", "garten bank", True),
        ("wohnungswand", "wohnung wand", True),
        ("blumentopfs", "blumen topf", True),
        ("gartenbank", "garten", False),
        ("gartenbank", "blumen bank", False),
        ("kanne123", "kan ne123", False),
    ],
)
def test_a_long_word_may_be_put_together_of_two_that_were_typed(word, typed, same):
    """Of eight letters at least, its end of four, with an "s" between; never of letters with digits."""
    assert same == related(word, frozenset(typed.split()))


@pytest.mark.parametrize(
    ("word", "typed", "same"),
    [
        ("portugl", "portugal", True),
        ("protugal", "portugal", True),
        ("irealnd", "ireland", True),
        ("irelnd", "ireland", False),
        ("portgl", "portugal", False),
        ("lisbn", "lisbon", False),
        ("two", "2", True),
        ("three", "2", False),
        ("six", "sixty", False),
        ("cierra", "cerramos", True),
        ("durmo", "dorme", True),
        ("ging", "gehen", True),
        ("gekocht", "kochen", True),
        ("häuser", "haus", True),
        ("ab", "abs", False),
        ("tee", "te", False),
        ("siebzhen", "siebzehn", False),
        ("100s", "100", False),
        ("lying", "lies", True),
        ("bought", "purchase", True),
        ("sit", "set", False),
        ("wirtinnen", "wirt", True),
        ("tagungen", "tag", False),
    ],
)
def test_a_slip_of_the_finger_and_a_form_are_the_same_word(word, typed, same):
    """One letter of seven or more, or two that changed places; numbers are what they are."""
    assert (same, same) == (related(word, frozenset({typed})), related(typed, frozenset({word})))


def test_units_and_scripts_without_spaces_are_parted():
    """What is typed in one may be noted in two, and in the traditional script in the simple one."""
    assert ("16", "km", "3x", "豆豆", "豆六", "六岁", "abc") == sequence("16km, 3x 豆豆六岁 abc")
    assert ("a", "豆", "b") == sequence("a豆b")
    assert "妈妈" == fold("媽媽")
    assert ("cat", "sat", "16", "km") == content_words("The cat sat on 2026-05-04 in 2026-05 and 16km away")


def test_a_word_with_a_short_stem_is_not_closed_for_a_light_one_that_shares_it():
    """The stem of three letters of "fine" is that of the French "fin"."""
    assert ("fine", "case") == content_words("It is a fine case")


NIGHTS = "i work nights at a hospital as a nurse"


@pytest.mark.parametrize(
    ("line", "said", "everything", "old", "foreign"),
    [
        ("Has a cat", "I have a cat", "", "", ""),
        ("Has a red cat", "I have a cat", "", "", "red"),
        ("Has a red cat", "I have a cat", "the car is red", "", ""),
        ("Has a red cat", "I have a cat", "", "red", ""),
        ("Has a big red cat", "I have it", "big red cats", "", "big red cat"),
        ("Has a cat in Oslo", "I have a cat", "my mum is in Oslo", "", "oslo"),
        ("The room 12", "I like the room", "12 rooms", "", "12"),
        ("Has twelve cats", "I have cats", "twelve", "", "twelve"),
        ("Works nights at a large hospital as a nurse", NIGHTS, "", "", ""),
        ("Works nights at a large busy hospital as a nurse", NIGHTS, "", "", "large busy"),
        ("Works nights at a Large hospital as a nurse", NIGHTS, "", "", "large"),
        ("Works nights at a Large hospital as a nurse", f"{NIGHTS} and saw die hard", "", "", "large"),
        ("Large hospital: works nights as a nurse", NIGHTS, "", "", ""),
        ("Works nights at a hospital as a nurse and gardening", NIGHTS, "", "", "gardening"),
        ("Works nights at a hospital as a nurse, sister", NIGHTS, "", "", "sister"),
        ("Works nights at a hospital as a nurse on monday", NIGHTS, "", "", "monday"),
        ("Works nights at two hospitals as a nurse", NIGHTS, "", "", "two"),
        ("Arbeitet nachts im Krankenhaus als Pflegerin mit Stolz", "ich arbeite nachts im krankenhaus als pflegerin und ich bin es", "", "", "stolz"),
        ("Tea coffee", "x", "", "coffee tea", "coffee"),
        ("Tea, coffee", "x", "", "coffee tea", ""),
        ("Tea tea", "x", "", "coffee tea", "tea tea"),
    ],
)  # fmt: skip
def test_the_words_of_a_line_are_the_users_own(line, said, everything, old, foreign):
    """
    A few that were typed elsewhere may stand in it, and one common word of the writer's in four.

    No number, name, relative or day is one, and nothing behind "and" or "with".
    """
    words = content_words(line)

    assert foreign.split() == foreign_words(line, words, said, f"{said} {everything}", old.split())


def test_a_number_is_no_form_of_a_verb():
    """The Spanish stem of "does" is "dos"; "twos" and "zwei" are numbers all the same."""
    assert not alike("two", "does")
    assert alike("two", "zwei")
