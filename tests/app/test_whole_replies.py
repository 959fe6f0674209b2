"""A reply that is not whole is no answer: what `ask` makes of one that failed, was cut, or does not come."""

from tests.scripted import says


def test_half_an_answer_of_a_server_that_failed_is_no_success(ask, scripted):
    """The text is printed, the code is 3, and the word is named."""
    ran = ask(scripted(says("Half of it", finish="insufficient_system_resource")), "hi")

    assert (3, "Half of it\n") == (ran.code, ran.stdout)
    assert "insufficient_system_resource" in ran.stderr


def test_an_end_that_nobody_knows_is_told(ask, scripted):
    """It is an answer all the same."""
    ran = ask(scripted(says("All of it", finish="banana")), "hi")

    assert (0, "All of it\n") == (ran.code, ran.stdout)
    assert "'banana'" in ran.stderr
