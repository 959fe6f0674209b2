"""Every command: where it is, and what help says of it. Text alone, so that help costs no import.

ask.txt and chat.txt beside it are what Typer prints: `cococat ask - --help > cococat/cli/ask.txt` rewrites one.
"""

__all__ = ["COMMANDS", "OVERVIEW"]

TALK = {  # its function in this room; what its own help begins with; its lines in the overview
    "chat": (
        "ask.converse",
        "Hold a conversation; PROMPT is sent as the first message.",
        "  chat [PROMPT...]      a conversation; plain `cococat` on a terminal",
    ),
    "ask": (
        "ask.converse",
        "Answer PROMPT on stdout. Piped input is added as context; no PROMPT or `-` reads the prompt.",
        "  ask PROMPT...         one answer on stdout; piped input is added as context",
    ),
}
REMEMBER = {
    "dream": (
        "dream.commands",
        "",
        """\
  dream                 compact the memory now; --review, --prove; log, show N,
                        diff N, undo [N]""",
    ),
    "memory": (
        "memory.commands",
        "",
        """\
  memory                what is remembered: show, path, edit, search WORDS,
                        why LINE, rm LINE; test asks past questions
                        again, without each line""",
    ),
    "sessions": (
        "sessions.commands",
        "",
        """\
  sessions              what was said: list, search WORDS, show ID, export ID,
                        delete ID, prune, repair ID""",
    ),
    "replay": (
        "replay.replay",
        "Show recorded session ID again, step by step: no model is asked, no tool runs.",
        """\
  replay ID             a recorded run again, step by step, offline; --speed X,
                        --step; --from N goes on before turn N in a copy""",
    ),
}
SET_UP = {
    "config": (
        "config.commands",
        "",
        "  config                the settings: path, show, init, get KEY, set KEY VALUE",
    ),
    "models": (
        "inspect.models",
        "List what the endpoint offers.",
        "  models                what the endpoint offers",
    ),
    "tools": (
        "inspect.tools",
        "List every tool with its permission.",
        "  tools                 every tool with its permission",
    ),
    "doctor": (
        "inspect.doctor",
        "Check configuration, endpoint, model, terminal, folders and versions.",
        "  doctor                check configuration, endpoint, terminal and folders",
    ),
    "completion": (
        "completion.completion",
        'Print what Tab offers in bash, zsh or fish: eval "$(cococat completion bash)".',
        "  completion SHELL      what Tab offers in bash, zsh or fish, as a script",
    ),
}
COMMANDS = {**TALK, **REMEMBER, **SET_UP}


def _rows(commands: dict[str, tuple[str, str, str]]) -> str:
    return "\n".join(rows for _, _, rows in commands.values())


OVERVIEW = f"""\
Usage: cococat COMMAND [FLAGS] [--] [WORDS]

A terminal chat that thinks, acts and observes in the open, and remembers its
user honestly.

Talk
{_rows(TALK)}

Remember
{_rows(REMEMBER)}

Set up
{_rows(SET_UP)}

The most used flags of chat and ask
  -m, --model NAME      which model answers
  --base-url URL        any OpenAI-compatible endpoint
  -P, --profile NAME    use [profiles.NAME] of the config
  --mode MODE           single: one round of tools; react: as many as it takes
  --permission MODE     what tools may do: plan, ask-first, edits, auto
  -f, --file PATH       attach a file; repeatable
  -c, --continue        go on with the last session of this folder
  -r, --resume ID       go on with that session
  --output-format FORM  text, json or stream-json

`cococat COMMAND --help` tells the rest; `cococat --version` prints the version.

First steps:
  export OPENAI_API_KEY=...
  cococat ask "why is the sky blue?"
"""
