"""`ask` and `chat`: the same flags, another ending."""

from __future__ import annotations

from functools import partial

from cococat.cli.flags import FLAGS, Command, Invocation, Job, options_of, refuse_both, settings_of, text_of
from cococat.errors import UsageError


def _converse(given: Invocation) -> Job:
    options = options_of(given)
    if options.continue_ and options.resume:
        raise UsageError("--continue and --resume name two sessions", "give one of them")
    if options.fork and not (options.continue_ or options.resume):
        raise UsageError("--fork has no session to copy", "add --continue, or --resume ID")
    refuse_both(given, "--quiet", "--verbose")
    refuse_both(given, "--extract", "--schema")
    refuse_both(given, "--sandbox", "--no-sandbox")
    settings, words = settings_of(given), tuple(map(text_of, given.words))
    if given.command == "chat":
        from cococat.app.chat.repl import chat

        return partial(chat, settings, options, words)
    from cococat.app.ask import ask

    return partial(ask, settings, options, words)


CHAT = Command(
    "Hold a conversation; PROMPT is sent as the first message.",
    _converse,
    [flag for flag in FLAGS.values() if not flag.ask_alone],
    ["PROMPT"],
    many=True,
    examples=(
        "cococat chat -c",
        'cococat chat --permission edits "fix the failing test"',
        "cococat chat -m gpt-4.1-mini -f notes.txt",
    ),
)
ASK = Command(
    "Answer PROMPT on stdout. Piped input is added as context; no PROMPT or `-` reads the prompt.",
    _converse,
    [*FLAGS.values()],
    ["PROMPT"],
    many=True,
    examples=(
        'git diff | cococat ask "review this"',
        'cococat ask -f notes.txt "summarise" > summary.md',
        'while read -r q; do cococat ask "$q" </dev/null; done < questions.txt',
    ),
)
