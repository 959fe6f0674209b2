"""A model that was named is the one that answers, or the command says what is missing."""

import pytest

NAME = "nobody-has-this-model"


@pytest.mark.parametrize("named", ["flag", "variable", "config", "profile", "flag over gguf"])
@pytest.mark.parametrize("command", ["ask", "dream"])
def test_a_named_model_without_a_key_an_address_or_a_server_is_told(cococat, home, named, command):
    """Never another in its place: exit 2, its name, and the ways to reach it."""
    env, words = {"COCOCAT_API_KEY": "", "COCOCAT_MEMORY_MODE": "auto"}, ()
    if named == "variable":
        env["COCOCAT_MODEL"] = NAME
    elif named == "config":
        (home / "config.toml").write_text(f'[model]\nname = "{NAME}"\n')
    elif named == "profile":
        (home / "config.toml").write_text(f'[profiles.p]\nname = "{NAME}"\n')
        words = ("-P", "p")
    else:
        words = ("-m", NAME)
    if named == "flag over gguf":
        (home / "config.toml").write_text('[model]\ngguf = "/no/such/model.gguf"\n')

    done = cococat(command, *words, *(("hi",) if command == "ask" else ()), env=env)

    assert (2, "") == (done.code, done.stdout), done.stderr
    assert "OPENAI_API_KEY" in done.stderr
    assert "--base-url" in done.stderr
    assert NAME in done.stderr or named == "profile"


def test_a_slash_command_keeps_to_the_endpoint(chat, scripted):
    """`/model NAME` asks the endpoint of the chat, and says so when it does not know the name."""
    from tests.screens import ready
    from tests.scripted import says

    server = scripted(says("one"), says("two"))
    terminal = chat(server)

    for line in ("hello", "/model other", "again"):
        terminal.press(f"{line}\r")
        terminal.until(lambda text, line=line: line in text and ready(text))
    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert ["scripted", "other"] == [body["model"] for body in server.requests]
