"""The stories that measure a memory are well formed: each line of theirs can be judged, and nothing in them disagrees."""

from itertools import chain, pairwise

import pytest

from bench.stories import MEASURE, FalseLine, load, stories

STORIES = stories()
ALL = [pytest.param(story, id=story.name) for story in STORIES]


@pytest.mark.parametrize("story", ALL)
def test_a_story_is_five_sessions_of_about_ten_exchanges_in_the_order_of_days(story):
    assert [9 <= len(session) <= 11 for session in story.sessions] == [True] * 5
    assert len(story.talks) >= 48
    assert all(before.day <= after.day for before, after in pairwise(story.talks))
    assert all(talk.typed.strip() and talk.answer.strip() for talk in story.talks)
    assert len({talk.id for talk in story.talks}) == len(story.talks)


@pytest.mark.parametrize("story", ALL)
def test_a_story_has_enough_lines_to_measure_with(story):
    assert 30 <= len(story.facts) <= 38
    assert (20 if story.half else 26) <= len(story.false_lines) <= 34
    assert (10 if story.half else 16) <= len(story.forbidden) <= 22
    assert len({line.kind for line in story.false_lines}) >= 8


@pytest.mark.parametrize("story", ALL)
def test_every_fact_was_typed_and_both_of_its_lines_hold_its_keywords(story):
    for fact in chain(story.facts, story.outdated):
        assert fact.sources, fact.id
        for source, quote in fact.sources:
            assert quote in story.talk(source).typed, (fact.id, quote)
        assert len(set(fact.lines)) == 2, fact.id
        for line in fact.lines:
            assert all(word.casefold() in line.casefold() for word in fact.keywords), (fact.id, line)


@pytest.mark.parametrize("story", ALL)
def test_a_confirmed_question_ends_the_answer_before_it(story):
    before = {talk.id: earlier for earlier, talk in pairwise(story.talks)}
    asked = [fact for fact in story.facts if fact.question]

    assert asked
    for fact in asked:
        talk = story.talk(fact.sources[0][0])
        assert before[talk.id].session == talk.session, fact.id
        assert before[talk.id].answer.endswith(fact.question), fact.id


@pytest.mark.parametrize("story", ALL)
def test_a_fact_replaces_one_that_was_true_before(story):
    outdated = {fact.id: fact for fact in story.outdated}
    order = [talk.id for talk in story.talks]

    assert outdated
    for fact in story.facts:
        if fact.replaces:
            old, new = outdated[fact.replaces].sources[0][0], fact.sources[-1][0]
            assert order.index(old) < order.index(new), fact.id


@pytest.mark.parametrize("story", ALL)
def test_every_false_line_cites_words_of_the_exchange_and_differs_from_every_fact(story):
    true = {line.casefold() for fact in story.facts for line in fact.lines}
    for false in story.false_lines:
        talk = story.talk(false.source)
        heard = talk.typed, talk.answer, *(text for _, text in talk.foreign)
        assert any(false.quote in text for text in heard), false.id
        assert false.line.casefold() not in true, false.id


@pytest.mark.parametrize("story", ALL)
def test_what_is_forbidden_was_in_the_exchange_and_stands_in_no_fact(story):
    wanted = "\n".join(line for fact in (*story.facts, *story.outdated) for line in fact.lines).casefold()
    for item in story.forbidden:
        talk = story.talk(item.source)
        heard = talk.typed, talk.answer, *(text for _, text in talk.foreign)
        assert any(item.quote in text for text in heard), item.id
        assert item.text.casefold() in item.line.casefold(), item.id
        assert item.text.casefold() not in wanted, item.id


def test_ids_are_unique_and_a_counterfeit_names_the_fact_it_counterfeits():
    items = [
        item for story in STORIES for item in (*story.facts, *story.outdated, *story.false_lines, *story.forbidden)
    ]
    facts = {fact.id for story in STORIES for fact in (*story.facts, *story.outdated)}
    counterfeits = [item for item in items if isinstance(item, FalseLine) and "~" in item.id]

    assert len({item.id for item in items}) == len(items)
    assert [item.id for item in counterfeits if item.id.partition("~")[0] not in facts] == []


@pytest.mark.parametrize("story", ALL)
def test_all_items_of_a_story_are_in_the_half_that_its_file_names(story):
    items = chain(story.facts, story.outdated, story.false_lines, story.forbidden)

    assert {story.half} == {item.half for item in items}


def test_a_judge_is_measured_on_eight_stories_in_as_many_languages_with_240_false_lines():
    measure = [story for story in STORIES if story.name in MEASURE]

    assert len(measure) == len(MEASURE) == 8
    assert {"zh", "ja", "ko", "ar", "en", "de", "fr", "it"} == {word for story in measure for word in story.languages}
    assert sum(len(story.false_lines) for story in measure) >= 240
    assert sum(len(story.forbidden) for story in measure) >= 120


def test_a_file_that_names_a_half_that_there_is_not_is_refused(tmp_path):
    (path := tmp_path / "nurse.toml").write_text('half = "appart"', "utf-8")

    with pytest.raises(ValueError, match=r"nurse\.toml: half is 'appart', but only tune and apart are halves"):
        load(path)
