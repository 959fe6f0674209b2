"""Every command: where it is, and the overview that `--help` prints. Text alone, so that this help costs no import.

ask.txt and chat.txt beside it are what Typer prints: `cococat ask - --help > cococat/cli/ask.txt` rewrites one.
"""

COMMANDS = {  # the module and the value of this room that say all of each, in the order of the overview
    "chat": "ask.CHAT",
    "ask": "ask.ASK",
    "dream": "dream.DREAM",
    "memory": "memory.MEMORY",
    "sessions": "sessions.SESSIONS",
    "replay": "replay.REPLAY",
    "config": "config.CONFIG",
    "models": "inspect.MODELS",
    "tools": "inspect.TOOLS",
    "mcp": "mcp.MCP",
    "skills": "skills.SKILLS",
    "doctor": "inspect.DOCTOR",
    "completion": "completion.COMPLETION",
}
OVERVIEW = """\
Usage: cococat COMMAND [FLAGS] [--] [WORDS]

A terminal chat that thinks, acts and observes in the open, and remembers its
user honestly.

Talk
  chat [PROMPT...]      a conversation; plain `cococat` on a terminal
  ask PROMPT...         one answer on stdout; piped input is added as context

Remember
  dream                 compact the memory now; --review, --prove; log, show N,
                        diff N, undo [N]
  memory                what is remembered: show, path, edit, search WORDS,
                        why LINE, rm LINE; test asks past questions
                        again, without each line
  sessions              what was said: list, search WORDS, show ID, export ID,
                        delete ID, prune, repair ID
  replay ID             a recorded run again, step by step, offline; --speed X,
                        --step; --from N goes on before turn N in a copy

Set up
  config                the settings: path, show, init, get KEY, set KEY VALUE
  models                what the endpoint offers
  tools                 every tool with its permission
  mcp                   servers with tools of their own: list, add NAME, remove
                        NAME, check [NAME], call NAME TOOL JSON, import FILE
  skills                instructions for a task, and prompts of yours: list,
                        show NAME, check [PATH]
  doctor                check configuration, endpoint, terminal and folders
  completion SHELL      what Tab offers in bash, zsh or fish, as a script

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
