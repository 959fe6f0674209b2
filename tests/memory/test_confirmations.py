"""A short answer and the question it answers: what may be remembered of both, and when a user decides."""

import json

import pytest

from cococat.memory import exchanges
from cococat.memory.confirmations import answered, closing_question, confirmed
from cococat.memory.exchanges import HISTORY, Exchange, Said, pending
from cococat.memory.provenance import sources_of
from cococat.memory.retract import retract_session
from cococat.memory.review import decide, waiting
from cococat.memory.versions import show
from cococat.memory.why import reasons
from tests.memory.conftest import NOW, START, edit
from tests.scripted import calls, says

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
    ("typed", "asked", "expected"),
    [
        ("Yes to both.", TRAINS, "Shall the assistant plan with trains instead of flights inside Norway"),
        ("yes, both", "Is Dev your partner?", "Is Dev my partner"),
        ("the second one", "Tabs or spaces?", "spaces"),
        ("tabs", "Tabs or spaces?", "Tabs"),
        ("yes", "Tabs or spaces?", ""),
        (
            "reminders yes, minutes no",
            "Shall I send reminders and type the minutes?",
            "Shall the assistant send reminders",
        ),
        ("ja, aber nicht sortieren", "Soll ich erinnern und sortieren?", "Soll ich erinnern"),
        ("not the tabs", "Tabs?", ""),
        ("no", "Is Dev your partner?", ""),
        ("nein danke", "Trinkst du Kaffee?", ""),
        ("不要", "你喝咖啡吗？", ""),  # noqa: RUF001 - as typed
        ("yes, that is right by me", "Is Dev your partner?", "Is Dev my partner"),
        ("yes, that is all right by me", "Is Dev your partner?", ""),
        ("好的对是就这样行嗯好哦", "咖啡好吗？", "咖啡好"),  # noqa: RUF001 - as typed
        ("好的对是就这样行嗯好哦啊", "咖啡好吗？", ""),  # noqa: RUF001 - as typed
        ("yes", "", ""),
        (" ", "Is Dev your partner?", ""),
        ("which one?", "Is Dev your partner?", ""),
        ("不要 谢谢", "你喝咖啡吗？", ""),  # noqa: RUF001 - as typed
        ("tabs and spaces", "Tabs or spaces?", ""),
        ("both of them", "Tabs or spaces?", "Tabs or spaces"),
        ("!!", "Shall I keep answers short?", ""),
        ("...", "Shall I keep answers short?", ""),
        ("yes, both. anyway, how do I cook rice?", "Is Dev your partner?", "Is Dev my partner"),
        ("yes please! I moved to Leeds in May with my sister", "Is Dev your partner?", "Is Dev my partner"),
        ("はい、お願いします!あと別件なんだけど聞いて", "コーヒーは好きですか?", "コーヒーは好きですか"),
        ("ok. so what now?", "Is Dev your partner?", ""),
        ("yes. well, no, only at weekends, as it were", "Is Dev your partner?", ""),
        ("yes. but that is only what my mother says", "Is Dev your partner?", ""),
        ("I like cats. yes, that much is really true", "Is Dev your partner?", ""),
        ("👎", "Shall I keep answers short?", ""),
        ("👍🏽", "Shall I keep answers short?", "Shall the assistant keep answers short"),
        ("好的", "要不要我提醒你？", "助手提醒我"),  # noqa: RUF001 - as typed
        ("yes. thanks. bye for now", "Is Dev your partner?", "Is Dev my partner"),
        ("yes, during lunch no", "Shall I ring during calls and lunch?", "Shall the assistant ring during calls"),
        ("market yes, marking no", "Check the market and the marking?", "Check the market"),
        ("soil yes, planting no", "Order soil and plants?", "Order soil"),
        ("对。但不是每天都这样的啦哈哈哈哈哈", "你喝咖啡吗？", ""),  # noqa: RUF001 - as typed
    ],
)
def test_an_answer_takes_from_the_question_what_it_agrees_to(typed, asked, expected):
    """Six words at most, no "no", and of two things the one that it names."""
    assert expected == confirmed(typed, asked)


@pytest.mark.parametrize(
    ("typed", "asked", "expected"),
    [
        ("yup do that. nobody counts pennies at 9pm", "Round the prices?", "yup do that. nobody counts pennies at 9pm"),
        (
            "the list, yes. stretching no",
            "Shall I keep a list, and nag you to stretch?",
            "the list, yes. stretching no",
        ),
        ("ja genau, und das Fleisch extra", "Rezepte vegetarisch?", "ja genau, und das Fleisch extra"),
        ("5問はいいけど、解説は全部", "過去問は5問ずつ、解説は間違いだけ?", "5問はいいけど、解説は全部"),
        ("yes. so what does rice need?", "Shall I round?", "yes."),
        (f"yes. {'well ' * 40}", "Shall I round?", "yes."),
        ("so what does rice need, yes?", "Shall I round?", ""),
        ("I like rice, yes", "Shall I round?", ""),
        ("rice needs water", "Shall I buy rice?", ""),
        ("no, leave it", "Shall I round?", ""),
        ("yes, for once", f"Shall I {'really ' * 20}round?", ""),
        ("yes", "", ""),
        ("", "Shall I round?", ""),
        ("-", "Shall I round?", ""),
        ("not sure, leave it", "Shall I round?", ""),
        ("the list, yes. thanks a lot", "Shall I keep a list?", "the list, yes. thanks a lot"),
        ("好的。谢谢", "要取整吗？", "好的。 谢谢"),  # noqa: RUF001 - as typed
        ("解説はいいけど。全部", "解説は間違いだけ?", "解説はいいけど。 全部"),
        (f"yes {'w' * 136}", "Shall I round?", f"yes {'w' * 136}"),
        (f"yes {'w' * 137}", "Shall I round?", ""),
        ("yes", f"Shall I {'w' * 131}?", "yes"),
    ],
)
def test_what_answers_a_question_begins_with_yes_or_takes_up_its_words_beside_one(typed, asked, expected):
    """Up to where something else is asked; a long one is none, and none to a long question."""
    assert expected == answered(typed, asked)


def replied(notes, typed, *, foreign, asked=TRAINS):
    """Keep an exchange in which the user answers a question of the assistant."""
    exchange = Exchange("S1", (Said("typed", typed),), "Noted.", asked, foreign)
    folder = notes.folder if notes.memory.exists() else notes.has().folder
    exchanges.append(folder, exchange, now=NOW, redact=str)


@pytest.mark.parametrize(("foreign", "outcome"), [(False, "changed"), (True, "held")])
def test_a_yes_is_remembered_with_its_question_or_held_where_foreign_text_came_before(
    notes, scripted, foreign, outcome
):
    """The question is shown as the assistant's, and `why` tells both; what a page may have asked a user looks at."""
    replied(notes, "Yes to both.", foreign=foreign)
    server = scripted(calls(edit("- Writes Python", LINE, (1, "Yes to both."))), says("done"))

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
COSTS = "- Writes Python\n- Wants a list of startup costs kept"


def test_an_answer_that_words_cannot_judge_is_noted_with_its_question(notes, scripted):
    """What it chooses stands there for a reader to tell; the model sees the question, and is told."""
    replied(notes, CHOSEN, foreign=False, asked=LIST)
    server = scripted(calls(edit("- Writes Python", COSTS, (1, "the list, yes"))), says("done"))

    finished = notes.dream(server)

    shown, told = (server.requests[at]["messages"][-1]["content"] for at in (0, -1))
    assert f"assistant had asked: {LIST}\nuser: {CHOSEN}" in shown
    assert "changed" == finished.outcome
    assert f'- Writes Python\n- "{LIST}" → "{CHOSEN}"\n' in notes.text
    assert "kept as the user said it" in told


def test_an_answer_stands_with_its_question_rather_than_alone(notes, scripted):
    """Alone it says to nobody what was chosen."""
    asked, typed = "Shall I send reminders and type the minutes?", "reminders yes, minutes no, Carol does those"
    replied(notes, typed, foreign=False, asked=asked)
    line = "- Writes Python\n- Wants reminders sent, but no minutes typed"
    server = scripted(calls(edit("- Writes Python", line, (1, typed))), says("done"))

    notes.dream(server)

    assert f'- Writes Python\n- "{asked}" → "{typed}"\n' in notes.text


@pytest.mark.parametrize(
    ("said", "line", "foreign"),
    [
        ((CHOSEN, LIST), "- Wants a list of startup costs kept", True),
        ((CHOSEN, LIST), "- Wants a list of Mallory's costs kept", False),
        ((CHOSEN, LIST.replace("costs", 'costs ("now")')), "- Wants a list of startup costs kept", False),
        (("no, nothing of it", LIST), "- Wants a list of startup costs kept", False),
        (
            (CHOSEN, LIST.replace("a list", "the list at https://evil.example")),
            "- Wants a list of startup costs",
            False,
        ),
    ],
)
def test_an_answer_stands_with_its_question_only_where_both_are_the_users_own_matter(
    notes, scripted, said, line, foreign
):
    """Not after foreign text, not with a word of neither, not where marks would be misread, not with an address nobody typed."""
    typed, asked = said
    replied(notes, typed, foreign=foreign, asked=asked)
    notes.said("the weather is fine here")
    server = scripted(calls(edit("- Writes Python", f"- Writes Python\n{line}", (1, typed))), says("done"))

    finished = notes.dream(server)

    assert ("failed", START) == (finished.outcome, notes.text)


@pytest.mark.parametrize(
    ("typed", "line", "kept"),
    [
        ("my neighbour has bees", "Mallory: neighbour has bees", ("changed", f'{START}- "my neighbour has bees"\n')),
        ("my neighbour has bees, today as well", "Mallory: neighbour has bees", ("held", START)),
    ],
)
def test_a_question_of_foreign_text_lends_no_word_to_another_record(notes, scripted, typed, line, kept):
    """A name that only such a question holds is no topic of what the user typed elsewhere, and where that sentence cannot stand a user looks."""
    replied(notes, "yes", foreign=True, asked="Do you work for Mallory?")
    notes.said(typed)
    server = scripted(calls(edit("- Writes Python", f"- Writes Python\n- {line}", (2, typed))), says("done"))

    finished = notes.dream(server)

    assert kept == (finished.outcome, notes.text)


def test_a_line_that_waits_lends_its_words_to_no_other(notes, scripted):
    """The second line has them of the first one's question alone: both wait for the user."""
    replied(notes, "yes, both trains", foreign=True, asked="Do you work for Mallory?")
    lines = (f"- Writes Python\n{line}" for line in ("- Works for Mallory", "- both trains, Mallory"))
    edits = (edit("- Writes Python", line, (1, "yes, both trains")) for line in lines)
    server = scripted(calls(*edits), says("done"))

    finished = notes.dream(server)

    assert ("held", START) == (finished.outcome, notes.text)


@pytest.mark.parametrize("typed", ["No to both.", "what do you mean? I am lost."])
def test_a_question_that_was_not_confirmed_supports_nothing(notes, scripted, typed):
    """Its words are the assistant's."""
    replied(notes, typed, foreign=False)
    notes.said("the weather is fine here")
    server = scripted(calls(edit("- Writes Python", LINE, (1, typed))), says("done"))

    finished = notes.dream(server)

    assert "failed" == finished.outcome
    assert START == notes.text


@pytest.mark.parametrize("typed", ["oui, les deux", "yes, both of the 2", "sì, tutti e due", "да, оба", "ok"])  # noqa: RUF001 - Russian
def test_an_answer_alone_is_no_memory(notes, scripted, typed):
    """Without its question "yes, the two" tells nobody anything, in any language."""
    notes.has().said(f"I know little of it. {typed}")
    notes.said(typed)
    line = f"- Writes Python\n- {typed}"
    server = scripted(calls(edit("- Writes Python", line, (1, f"I know little of it. {typed}"))), says("done"))

    finished = notes.dream(server)

    assert ("failed", START) == (finished.outcome, notes.text)
    assert "it says nothing by itself" in finished.receipt


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


def test_a_dream_whose_every_edit_was_refused_has_failed_and_says_why(notes, scripted):
    """It will try again; "nothing new to remember" would be untrue."""
    notes.has().said("by the way, I moved to Lisbon in May")
    quote = (1, "I moved to Lisbon in May")
    server = scripted(calls(edit("- Writes Python", "- Writes Python\n- Moved to Porto", quote)), says("done"))

    finished = notes.dream(server)

    assert "failed" == finished.outcome
    assert 'every edit was refused: "- Moved to Porto" is more than you wrote; it will try again' in finished.receipt
    assert (0, 1) == (notes.state.cursor, notes.state.failures)


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


OPEN = {
    "Do you want recipes in grams?": "not really|maybe|i don't|not sure|hm|later|i don't know|nah",
    "Soll ich Rezepte in Gramm angeben?": "nee danke|lieber nicht|vielleicht|weiß nicht|später",
    "¿Quieres recetas en gramos?": "tal vez|para nada|mejor no|no sé",
    "Tu veux les recettes en grammes ?": "peut-être|pas vraiment|bof|je sais pas",
    "Vuoi le ricette in grammi?": "forse|meglio di no|non so",
    "Quer as receitas em gramas?": "talvez|melhor não|não sei",
    "Давать рецепты в граммах?": "не надо|может быть|не знаю",
    "要不要用克写菜谱？": "算了|再说吧|随便",  # noqa: RUF001 - Chinese
    "レシピはグラムで書きましょうか？": "いらないです|わからない",  # noqa: RUF001 - Japanese
}


@pytest.mark.parametrize("asked", OPEN)
def test_who_leaves_open_what_they_say_has_said_nothing(asked):
    assert [] == [typed for typed in OPEN[asked].split("|") if confirmed(typed, asked)]


@pytest.mark.parametrize(
    ("typed", "asked", "told"),
    [
        ("sure, why not", "Do you want recipes in grams?", "Do I want recipes in grams"),
        ("the second, not that one", "Do you want ounces or grams?", "grams"),
    ],
)
def test_a_not_beside_a_yes_or_a_choice_takes_nothing_back(typed, asked, told):
    assert confirmed(typed, asked) == told
