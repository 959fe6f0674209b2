"""Valid histories of every shape, for Hypothesis."""

from itertools import count

from hypothesis import strategies as st

from cococat.core.messages import Assistant, Attachment, Summary, ToolCall, ToolResult, User

texts = st.one_of(st.text(max_size=20), st.integers(0, 1500).map(lambda n: "lorem " * (n // 6)))
users = st.builds(User, texts, st.lists(st.builds(Attachment, st.just("a.txt"), texts), max_size=1).map(tuple))
notes = st.builds(User, texts, synthetic=st.just(True))
answers = st.builds(Assistant, texts)
batches = st.tuples(texts, st.lists(texts, min_size=1, max_size=4), st.randoms(use_true_random=False))
steps = st.one_of(users, notes, answers, batches, batches)


def valid(items, summary, request):
    """Give each call an id of its own and each batch its results, in any order."""
    numbers, history = count(), [Summary(*summary)] if summary else []
    for item in items:
        if not isinstance(item, tuple):
            history.append(item)
            continue
        text, outputs, random = item
        calls = [ToolCall(f"c{next(numbers)}", "grep_search", '{"pattern": "x"}') for _ in outputs]
        results = [ToolResult(call.id, call.name, output) for call, output in zip(calls, outputs, strict=True)]
        random.shuffle(results)
        history += [Assistant(text, calls=tuple(calls)), *results]
    return (*history, request) if request else tuple(history)


summaries = st.none() | st.tuples(texts, st.integers(1, 9))
histories = st.builds(valid, st.lists(steps, max_size=10), summaries, st.none() | users)
rounds = st.lists(st.lists(batches | answers, min_size=1, max_size=2), max_size=5)
