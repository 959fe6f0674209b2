"""The window is asked for beside the first answer, once, and remembered."""

import json
from dataclasses import replace

from tests.scripted import calls, fault, says
from tests.scripted.windows import tokens_of, within

VLLM = ({"id": "scripted", "max_model_len": 2048},)


def answer(server):
    """Answer in two parts, the second when the listing was told."""
    return says("hel", server.listed, "lo")


SET = {"COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "4096"}


def test_the_window_is_asked_for_once_and_holds_in_later_runs(ask, scripted, home):
    """Never before the first words of the answer; the second run asks nothing and fits."""
    server, early = scripted(models=VLLM), []
    server.add(lambda _: early.append(server.listed.wait(0.2)) or answer(server), within(2048, says("again")))

    first, second = ask(server, "hi", env=SET), ask(server, "hi", env=SET)

    assert (("hello\n"), "again\n") == (first.stdout, second.stdout)
    assert (["/v1/models"], [False]) == (server.looked, early)
    assert [4096, True] == [server.requests[0]["max_tokens"], server.requests[1]["max_tokens"] < 2048]
    path = home / "cache" / "endpoints.json"
    assert [2048] == [entry["window"] for entry in json.loads(path.read_text()).values()]
    assert 0o600 == path.stat().st_mode & 0o777


def test_the_run_that_asked_uses_what_it_was_told(ask, scripted, tmp_path):
    """The next step of the same turn fits the window, with the tools of a small one; nothing had to be refused."""
    (tmp_path / "long.txt").write_text("one two three four five six seven eight nine ten\n" * 60)
    server = scripted(models=VLLM)
    read = calls(("read_file", {"path": "long.txt"}), text="so")
    server.add(replace(read, steps=(read.steps[0], read.steps[1], server.listed, *read.steps[2:])))
    server.add(within(2048, says("done")))

    ran = ask(server, "--mode", "react", "read it")

    first, second = server.requests
    assert (0, "done\n") == (ran.code, ran.stdout), ran.stderr
    assert len(second["tools"]) < len(first["tools"])
    assert tokens_of(second) + second["max_tokens"] <= 2048


def test_what_the_config_says_is_not_asked_for(ask, scripted, home):
    """Nor kept."""
    server = scripted(says("hello"), models=VLLM)

    ask(server, "hi", env={"COCOCAT_MODEL_CONTEXT_WINDOW": "4096"})

    assert [] == server.looked
    assert not (home / "cache" / "endpoints.json").exists()


def test_a_server_that_does_not_tell_in_its_listing_is_asked_in_its_own_way_next_time(ask, scripted):
    """One question a run: the listing names llama.cpp, its properties have the window."""
    server = scripted(models=({"id": "scripted", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131072}},))
    server.told["/props"] = {"default_generation_settings": {"n_ctx": 1024}}
    server.add(answer(server))
    ask(server, "hi")
    server.listed.clear()
    server.add(answer(server), within(1024, says("fits")))

    ask(server, "hi")
    ran = ask(server, "hi")

    assert "fits\n" == ran.stdout
    assert ["/v1/models", "/props"] == server.looked


def test_a_refusal_corrects_what_was_kept(ask, scripted):
    """The server was started again with less: one refusal, and the next run knows."""
    server = scripted(models=({"id": "scripted", "max_model_len": 8192},))
    server.add(answer(server), within(2048, says("one")), within(2048, says("two")))
    ask(server, "hi")

    ran = [ask(server, "hi", env=SET).stdout for _ in range(2)]

    assert ["one\n", "two\n"] == ran
    assert 4 == len(server.requests)


def test_a_window_that_no_refusal_names_is_assumed_until_the_server_tells_one(ask, scripted, home):
    """What it does not hold is sent all the same; what the server tells beside that answer puts an end to it."""
    words = "one two three four five six seven eight nine ten " * 400
    refusal = fault(400, "Please reduce the length of the messages or completion.", code="context_length_exceeded")
    path = home / "cache" / "endpoints.json"
    server = scripted(models=({"id": "scripted", "owned_by": "llamacpp"},))
    server.told["/props"] = {"default_generation_settings": {"n_ctx": 16384}}
    server.add(refusal, answer(server), answer(server), says("three"))

    first = ask(server, words, env=SET)
    server.listed.clear()
    rest = [ask(server, words * 2, env=SET) for _ in range(2)]

    assert ["hello\n", "hello\n", "three\n"] == [ran.stdout for ran in (first, *rest)]
    assert [4096, 1024, 1024, 4096] == [body["max_tokens"] for body in server.requests]
    assert "did not say by how much: 5," in " ".join(first.stderr.split())
    assert "assumed" not in rest[0].stderr
    assert [(16384, 0)] == [(entry["window"], entry["assumed"]) for entry in json.loads(path.read_text()).values()]


def test_a_server_that_has_no_listing_is_not_asked_again(ask, scripted):
    """It answers as before."""
    server = scripted(models=())
    server.add(answer(server), says("again"))

    assert ["hello\n", "again\n"] == [ask(server, "hi").stdout for _ in range(2)]
    assert ["/v1/models"] == server.looked
