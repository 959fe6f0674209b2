"""A short answer and the question it answers: what may be remembered of both, and when a user decides."""

import json

import pytest

from cococat.memory.dream.retract import retract_session
from cococat.memory.dream.review import decide, waiting
from cococat.memory.file import history
from cococat.memory.file.find_lines import reasons
from cococat.memory.file.history import HISTORY, Exchange, Said, closing_question, confirmed, pending
from cococat.memory.file.provenance import sources_of
from cococat.memory.file.versions import show
from tests.memory.conftest import NOW, START, edit
from tests.scripted import calls, says
from tests.scripted.judging import by_words, items_of, plays

TRAINS = "Shall I plan with trains instead of flights inside Norway?"
LINE = "- Writes Python\n- Plan trains instead of flights inside Norway"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (f"Fine. {TRAINS}", TRAINS),
        (f"{TRAINS} Just say so.", ""),
        ("Python 3.11 is old.\n\nDo you use 3.12?", "Do you use 3.12?"),
        (
            "¿Quieres que te dé siempre las cantidades en gramos?",
            "¿Quieres que te dé siempre las cantidades en gramos?",
        ),
        ("好的。你喜欢绿茶吗？", "你喜欢绿茶吗？"),  # noqa: RUF001 - as typed
        (f"Well. {'x' * 299}?", f"{'x' * 299}?"),
        (f"Well. {'x' * 300}?", ""),
        ("Gut. Soll ich dich am 8. an die Belege erinnern?", "Soll ich dich am 8. an die Belege erinnern?"),
        ("That makes 8. Shall I round?", "Shall I round?"),
    ],
)
def test_only_a_question_that_ends_an_answer_is_kept(answer, expected):
    """A longer one is no question that can be confirmed."""
    assert expected == closing_question(answer)


@pytest.mark.parametrize(
    ("typed", "asked", "taken"),
    [
        ("Yes to both.", TRAINS, True),
        ("reminders yes, minutes no", "Shall I send reminders and type the minutes?", True),
        ("the list, yes. stretching no, I got a watch for that", "Shall I keep a list, and nag you?", True),
        ("no", "Is Dev your partner?", True),
        ("好的", "要不要我提醒你？", True),  # noqa: RUF001 - as typed
        ("which one?", "Is Dev your partner?", False),
        ("\u0645\u062a\u0649\u061f", "Is Dev your partner?", False),
        ("yes, and my brother came by and we went to see the new bridge", "Is Dev your partner?", False),
        ("好的对是就这样行嗯好哦啊啊啊啊啊", "咖啡好吗？", False),  # noqa: RUF001 - as typed
        ("yes", "", False),
        (" ", "Is Dev your partner?", False),
        ("!!", "Shall I keep answers short?", False),
    ],
)
def test_a_short_answer_is_read_with_its_question(typed, asked, taken):
    """Twelve words at most that ask nothing back; what they agree to is for a judge to say, in any language."""
    assert (asked if taken else "") == confirmed(typed, asked)


def replied(notes, typed, *, foreign, asked=TRAINS):
    """Keep an exchange in which the user answers a question of the assistant."""
    exchange = Exchange("S1", (Said("typed", typed),), "Noted.", asked, foreign)
    folder = notes.folder if notes.memory.exists() else notes.has().folder
    history.append(folder, exchange, now=NOW, redact=str)


@pytest.fixture
def says_done():
    return says("done")


@pytest.mark.parametrize(("foreign", "outcome"), [(False, "changed"), (True, "held")])
def test_a_yes_is_remembered_with_its_question_or_held_where_foreign_text_came_before(
    notes, scripted, foreign, outcome
):
    """The question is shown as the assistant's, and `why` tells both; what a page may have asked a user looks at."""
    notes.knows()
    replied(notes, "Yes to both.", foreign=foreign)
    server = scripted(calls(edit("- Writes Python", LINE, (5, "Yes to both."))), says("done"))

    finished = notes.dream(server)

    told = server.requests[0]["messages"][-1]["content"]
    assert f"assistant had asked: {TRAINS}\nuser: Yes to both." in told
    assert outcome == finished.outcome
    assert (START if foreign else START.replace("- Writes Python", LINE)) == notes.text
    if not foreign:
        assert [("Yes to both.", TRAINS)] == [
            (one.quote, one.asked) for one in sources_of(notes.folder, [LINE.rpartition("\n")[2]])
        ]


LIST = "Shall I keep a list of startup costs, and nag you to stretch?"
CHOSEN = "the list, yes. stretching no, I got a watch that does that"


@pytest.mark.parametrize("says", ["part", "yes"])
def test_an_answer_that_a_judge_takes_in_part_is_noted_with_its_question(notes, scripted, says_done, says):
    """What it chooses stands there for a reader to tell; the judge saw the question, and the line as it is worded."""
    notes.knows()
    replied(notes, CHOSEN, foreign=False, asked=LIST)
    wanted = "- Wants a list of startup costs"
    server = scripted(calls(edit("- Writes Python", f"- Writes Python\n{wanted}", (5, "the list, yes"))), says_done)
    server.judge = plays(lambda item: {**by_words(item), **({"says": says} if item.get("line") == wanted else {})})

    finished = notes.dream(server)

    (asked,) = [item for item in items_of(server.judged[0]) if item.get("line") == wanted]
    assert (LIST, CHOSEN) == (asked["told"]["asked"], asked["told"]["typed"])
    assert "changed" == finished.outcome
    kept = f'- 2026-05-04: "{LIST} {CHOSEN}"'
    assert f"- Writes Python\n{wanted if says == 'yes' else kept}\n" in notes.text


def test_a_question_of_foreign_text_lends_no_word_to_another_record(notes, scripted):
    """A name that only such a question holds is no word of what the user typed elsewhere: their sentence stands."""
    replied(notes, "yes", foreign=True, asked="Do you work for Mallory?")
    notes.said("my neighbour has bees")
    line = "- Writes Python\n- Mallory: neighbour has bees"
    server = scripted(calls(edit("- Writes Python", line, (2, "my neighbour has bees"))), says("done"))

    finished = notes.dream(server)

    assert ("changed", f'{START}- 2026-05-04: "my neighbour has bees"\n') == (finished.outcome, notes.text)


def test_a_question_that_was_not_confirmed_supports_nothing(notes, scripted):
    """Its words are the assistant's: the user asked back."""
    replied(notes, "what do you mean? I am lost, what?", foreign=False)
    notes.said("the weather is fine here")
    line = edit("- Writes Python", LINE, (1, "what do you mean? I am lost, what?"))

    finished = notes.dream(scripted(calls(line), says("done")))

    assert ("failed", START) == (finished.outcome, notes.text)


@pytest.mark.parametrize("typed", ["yes", "ok", "da"])
def test_an_answer_alone_is_no_memory_where_nobody_judges(notes, scripted, typed):
    """Without its question it tells nobody anything; with it, it is more than code can tell."""
    replied(notes, typed, foreign=False)
    server = scripted(calls(edit("- Writes Python", f"- Writes Python\n- {typed}", (1, typed))), says("done"))

    finished = notes.dream(server)

    assert ("nothing", START) == (finished.outcome, notes.text)
    assert "left out 1" in finished.receipt


def test_a_record_that_does_not_say_is_taken_for_foreign(notes):
    """Records of before know nothing of it."""
    replied(notes, "yes", foreign=False)
    path = notes.folder / HISTORY
    row = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in row.items() if key not in ("asked", "foreign")}) + "\n")

    record = pending(notes.folder, 0).records[0]

    assert ("", True) == (record.asked, record.foreign)


def test_the_history_keeps_the_question_and_whether_a_file_was_read_before_it(cococat, scripted, home, tmp_path):
    """`ask -c` answers the question of the `ask` before it; a file that was read in between is known of afterwards."""
    (tmp_path / "page.txt").write_text("hello")
    server = scripted(
        says(TRAINS), says("Noted. Anything else?"), calls(("read_file", {"path": "page.txt"})), says("Is it yours?"),
        says("Good."),
    )  # fmt: skip
    there = ("--base-url", server.base_url, "-m", "scripted", "--no-dream", "--mode", "react")

    cococat("ask", *there, "plan a journey")
    for typed in ("yes", "read page.txt", "yes it is"):
        cococat("ask", *there, "-c", typed)

    rows = [json.loads(line) for line in (home / "memory" / HISTORY).read_text().splitlines()]
    assert [("", False), (TRAINS, False), ("Anything else?", False), ("Is it yours?", True)] == [
        (row["asked"], row["foreign"]) for row in rows
    ]


def test_a_model_may_think_longer_than_it_may_write(notes, scripted):
    """The request leaves room for both; a reply of more than 4,000 tokens of text ends the run."""
    notes.has().said("by the way, I moved to Lisbon in May")
    server = scripted(says("word " * 5000))

    finished = notes.dream(server)

    sent = server.requests[0]
    assert 12_000 == (sent.get("max_tokens") or sent.get("max_completion_tokens"))
    assert "longer than 4,000 tokens" in finished.receipt
    assert len(server.requests) < 8


def test_what_is_sure_is_kept_at_once_and_only_the_rest_waits_for_the_user(notes, scripted):
    """One "yes" of unknown origin holds up no line beside it; both are in the log, and each line has its source once."""
    notes.knows()
    replied(notes, "Yes to both.", foreign=True)
    notes.said("I moved to Lisbon")
    sure = edit("- Writes Python", "- Writes Python\n- Moved to Lisbon", (2, "I moved to Lisbon"))
    doubtful = edit("- Moved to Lisbon", f"- Moved to Lisbon\n{LINE.rpartition(chr(10))[2]}", (1, "Yes to both."))
    server = scripted(calls(sure, doubtful), says("done"))
    together = START.replace("- Writes Python", f"- Writes Python\n- Moved to Lisbon\n{LINE.rpartition(chr(10))[2]}")

    finished = notes.dream(server)

    proposal = waiting(notes.folder)
    assert "held" == finished.outcome
    assert START.replace("- Writes Python", "- Writes Python\n- Moved to Lisbon") == notes.text
    assert [((), (LINE.rpartition("\n")[2],))] == [(hunk.removed, hunk.added) for hunk in proposal.hunks]
    assert 2 == notes.state.cursor, "what waits is not read again"
    cost = ("steps", "tokens", "prompt_tokens", "completion_tokens")
    kept, held = ([show(notes.folder, number).meta[name] for name in cost] for number in (1, 2))
    assert all(kept), "what the run took is told with the lines that it kept"
    assert not any(held), "and not once more with those that wait"
    assert "changed" == decide(notes.folder, {0}, now=NOW).outcome
    assert together == notes.text
    assert (2, 0) == (notes.state.cursor, notes.state.held)
    assert [1, 1] == [len(reason.sources) for word in ("Lisbon", "trains") for reason in reasons(notes.folder, word)]


BACH = "- Writes Python\n- Plays Bach at six"
ROWS = "- Writes Python\n- Rows in Hull"


def waits(notes, scripted):
    """Let a dream hold a "yes" of unknown origin."""
    replied(notes, "Yes to both.", foreign=True)
    assert (
        "held" == notes.dream(scripted(calls(edit("- Writes Python", LINE, (1, "Yes to both."))), says("done"))).outcome
    )
    return LINE.rpartition("\n")[2]


def test_a_line_that_waits_holds_up_no_dream_and_one_review_asks_about_all_that_wait(notes, scripted):
    """What is said after it is remembered by itself, with a word that something waits; a second yes comes to the first."""
    line = waits(notes, scripted)
    notes.said("I row in Hull")
    rows = scripted(calls(edit("- Writes Python", ROWS, (2, "I row in Hull"))), says("done"))
    finished = notes.dream(rows, manual=False, ended=True)
    replied(notes, "yes", foreign=True, asked="Do you play Bach at six?")
    again = notes.dream(
        scripted(calls(edit("- Writes Python", BACH, (3, "yes"))), says("done")), manual=False, ended=True
    )

    assert "seq=1 " not in rows.requests[0]["messages"][-1]["content"]
    assert ("changed", "held") == (finished.outcome, again.outcome)
    assert finished.receipt.endswith(" · dream 1 waits for you: cococat dream --review")
    proposal = waiting(notes.folder)
    assert {line, "- Plays Bach at six"} == {one for hunk in proposal.hunks for one in hunk.added}
    assert "would remember 2, change 0, drop 0" == proposal.told
    assert "changed" == decide(notes.folder, range(len(proposal.hunks)), now=NOW).outcome
    assert "" == notes.state.compacted, "nobody went over the notes"
    assert (3, 0, 3) == (notes.state.cursor, notes.state.held, sum(map(notes.text.count, (line, "Bach", "Hull"))))
    assert [1, 1] == [len(reason.sources) for word in ("Bach", "trains") for reason in reasons(notes.folder, word)]


@pytest.mark.parametrize("kept", ["", "- Plan trains instead of flights inside Norway\n"])
def test_a_line_that_waits_finds_a_place_in_a_memory_that_was_rewritten(notes, scripted, kept):
    """The end, where its own is gone; and none where it stands by now."""
    notes.has(f"{START}\n## Work\n- Uses Vim\n")
    line = waits(notes, scripted)
    notes.has(f"# Mine\n\n{kept}- Sails")

    finished = decide(notes.folder, {0}, now=NOW)

    expected = f"# Mine\n\n{kept}- Sails" if kept else f"# Mine\n\n- Sails\n{line}\n"
    assert ("nothing" if kept else "changed", expected) == (finished.outcome, notes.text)


def test_what_waits_of_a_turn_that_was_taken_back_is_dropped_and_the_rest_read_again(notes, scripted):
    """The cursor stood behind both."""
    waits(notes, scripted)
    notes.said("I row in Hull")
    held = notes.state.held

    assert retract_session(notes.folder, "S1", now=NOW)

    assert (1, 0, 0) == (held, notes.state.held, notes.state.cursor)


def test_a_line_that_goes_beside_a_doubtful_one_goes_only_with_it(notes, scripted):
    """What takes its place may be what the user says no to."""
    notes.knows()
    replied(notes, "Yes to both.", foreign=True)
    notes.said("forget that I write Python. I moved to Lisbon")
    line = LINE.rpartition("\n")[2]
    gone = edit("- Writes Python\n", "", (2, "forget that I write Python"))
    new = edit("## Work", f"## Work\n- Moved to Lisbon\n{line}", (2, "I moved to Lisbon"), (1, "Yes to both."))
    server = scripted(calls(gone, new), says("done"))
    notes.has(START + "## Work\n- Uses Vim\n")

    notes.dream(server)

    assert START + "## Work\n- Moved to Lisbon\n- Uses Vim\n" == notes.text
    assert [(("- Writes Python",), ()), ((), (line,))] == [
        (hunk.removed, hunk.added) for hunk in waiting(notes.folder).hunks
    ]


def test_lines_that_become_fewer_beside_a_doubtful_one_wait_with_it(notes, scripted):
    """Of two lines one is reworded and one goes: the doubtful line may be what says it now."""
    replied(notes, "Yes to both.", foreign=True)
    notes.said("I prefer green tea, and forget that I write Python")
    line = LINE.rpartition("\n")[2]
    fewer = edit(
        "- Prefers tea to coffee\n- Writes Python", "- Prefers green tea", (2, "I prefer green tea, and forget that")
    )
    new = edit("# Memory\n", f"# Memory\n\n## Travel\n{line}\n", (1, "Yes to both."))
    sure = edit("## Work", "## Work\n- Drinks green tea", (2, "I prefer green tea"))
    server = scripted(calls(fewer, new, sure), says("done"))
    notes.has(START + "\n## Work\n- Uses Vim\n")

    notes.dream(server)

    assert "- Prefers tea to coffee\n- Writes Python\n" in notes.text
    assert line not in notes.text
