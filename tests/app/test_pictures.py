"""A picture is handed in like any file, sent as a picture, and kept beside the session by its hash alone."""

from __future__ import annotations

import base64
import json
import re
import sys
import threading
from dataclasses import replace
from hashlib import sha256

import pytest

from cococat.app.input import first_message
from cococat.errors import UsageError
from cococat.system.picture import look_at
from cococat.ui.prompt.attach import attachments
from tests.screens import ready, says_somewhere
from tests.scripted import calls, fault, reached, says, tool_results
from tests.scripted.pictures import gif, images_of, jpeg, png, text_only, tiles_of, webp

SMALL = png(12, 8)
NOTES = "## Task\nTea.\n\n## State\nTalked.\n\n## Findings\nNone.\n\n## Next steps\nNone."
BLIND = re.compile(r"scripted at 127\.0\.0\.1:\d+ does not take images")
WORDS = ("-f", "a.png", "what is this?")
terminal_only = pytest.mark.skipif(sys.platform == "win32", reason="there is no pseudo-terminal on Windows")


@pytest.fixture(autouse=True)
def a_picture(tmp_path):
    """There is one in the folder."""
    (tmp_path / "a.png").write_bytes(SMALL)


def pixels(home):
    """The files of pictures, and every byte of the logs."""
    files = sorted(home.glob("sessions/*.files/*"))
    return files, b"".join(log.read_bytes() for log in home.glob("sessions/*.jsonl"))


def kept(home):
    """What was learned of the one endpoint."""
    (entry,) = json.loads((home / "cache" / "endpoints.json").read_text()).values()
    return entry["learned"].get("images")


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (png(12, 345), "image/png"),
        (jpeg(12, 345), "image/jpeg"),
        (jpeg(12, 345, preview=60_000), "image/jpeg"),
        (gif(12, 345), "image/gif"),
        (webp(12, 345), "image/webp"),
        (webp(12, 345, "VP8L"), "image/webp"),
        (webp(12, 345, "VP8 "), "image/webp"),
    ],
    ids=["png", "jpeg", "jpeg with a preview", "gif", "webp", "webp, lossless", "webp, lossy"],
)
def test_kind_and_size_are_read_from_the_first_bytes(data, media_type):
    """Whatever a file is called."""
    assert (media_type, 12, 345) == look_at(data)


@pytest.mark.parametrize("data", [b"RIFF\0\0\0\0WAVEfmt ", b"\x89PNG", b"GIF99a", b"", b"hello"])
def test_what_only_looks_like_a_picture_is_none(data):
    """A sound has the first bytes of a WebP."""
    assert look_at(data) is None


@pytest.mark.parametrize("how", ["-f", "a pipe"])
def test_a_picture_goes_as_a_picture_behind_its_name(ask, scripted, how):
    """In one message with the words."""
    server = scripted(says("a cat"))

    ran = ask(server, *WORDS) if how == "-f" else ask(server, WORDS[-1], stdin=SMALL)

    (said, name, picture) = server.requests[0]["messages"][-1]["content"]
    assert (0, "a cat\n") == (ran.code, ran.stdout), ran.stderr
    assert ("what is this?", f"[image {'a.png' if how == '-f' else 'stdin'}]") == (said["text"], name["text"])
    assert f"data:image/png;base64,{base64.b64encode(SMALL).decode()}" == picture["image_url"]["url"]


def test_a_mention_and_the_pasted_path_of_a_picture_attach_it(tmp_path):
    """As terminals write a file that is dropped on them: quoted, escaped or plain; a path amid other words is none."""
    (tmp_path / "my cat.png").write_bytes(SMALL)
    (tmp_path / "a.txt").write_text("text\n")
    path = str(tmp_path / "my cat.png")

    def named(text, *pasted):
        return [one.name for one in attachments(text, tmp_path, pasted)[0]]

    dropped = [f"'{path}'", path.replace(" ", r"\ "), f"{path} "]
    assert ["a.png"] == named("what is @a.png?")
    assert [[path]] * 3 == [named(f"what is {one}?", one) for one in dropped]
    assert [] == [name for one in (f"see {path}", f"@{path}", str(tmp_path / "a.txt")) for name in named(one, one)]


def test_without_a_picture_a_request_is_what_it_was(ask, scripted):
    """Text files and pipes stay one text, byte for byte."""
    server = scripted(says("ok"))

    ask(server, "--no-tools", "hi", stdin="piped\n")

    mark = sha256(b"piped\n").hexdigest()[:12]
    fenced = f"--- stdin stdin [{mark}] ---\npiped\n\n--- end of stdin [{mark}] ---"
    assert {"role": "user", "content": f"hi\n\n{fenced}"} == server.requests[0]["messages"][-1]


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        ([33_600_000], "it has 32,813 KiB, at most 32 MiB can be attached"),
        ([0] * 9, "there are 9 pictures, at most 8 can be sent"),
        ([4_900_000] * 5, "the pictures have 24.6 MB, at most 20 MB can be sent"),
    ],
    ids=["huge", "many", "large together"],
)
def test_limits_are_told_with_the_size_and_nothing_is_sent(tmp_path, sizes, why):
    """By `-f` and by `@`, which gives no half of a message either."""
    paths = [tmp_path / f"p{at}.png" for at in range(len(sizes))]
    for path, size in zip(paths, sizes, strict=True):
        path.write_bytes(png(1, 1, padding=size))

    with pytest.raises(UsageError) as refused:
        first_message(["x"], paths, None)

    assert why in refused.value.message
    assert refused.value.hint
    if len(sizes) == 1:
        with pytest.raises(UsageError, match=why):
            attachments("@p0.png", tmp_path)


def test_a_large_picture_on_a_pipe_and_one_without_a_question_are_refused(ask, scripted):
    """Exit 2, and no request."""
    large = ask(scripted(), "what?", stdin=png(1, 1, padding=33_600_000))
    alone = ask(scripted(), stdin=SMALL)
    broken = ask(scripted(), "what?", stdin=SMALL[:9])

    assert [2, 2, 2] == [large.code, alone.code, broken.code]
    assert "standard input holds more than 32 MiB" in large.stderr
    assert "nothing to ask" in alone.stderr
    assert "a PNG picture that is damaged" in broken.stderr


def test_a_log_names_a_picture_and_the_pixels_are_once_beside_it(ask, scripted, home):
    """By its hash, for its owner alone, however often it is handed in; no base64 is in any log."""
    server = scripted(says("one"), says("two"))

    ask(server, *WORDS)
    ask(server, "-c", *WORDS)

    (file,), log = pixels(home)
    assert f"{sha256(SMALL).hexdigest()}.png" == file.name
    assert (SMALL, 0o600, 0o700) == (file.read_bytes(), file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777)
    assert base64.b64encode(SMALL)[:40] not in log
    assert b'"width":12' in log.replace(b" ", b"")


def test_a_resumed_session_sends_it_again_until_it_is_old(ask, scripted):
    """With its own turn and two more; then a line says that it was seen."""
    server = scripted(*[says("ok")] * 5)

    ask(server, *WORDS)
    for _ in range(4):
        ask(server, "-c", "and now?")

    assert [1, 1, 1, 0, 0] == [len(images_of(request)) for request in server.requests]
    folded = [message["content"] for message in server.requests[3]["messages"]]
    assert "what is this?\n\n[image a.png, seen]" in folded
    same = [json.dumps(request["messages"][:2]) for request in server.requests]
    assert same[0] == same[1] == same[2] != same[3] == same[4]


def test_a_fork_has_pixels_of_its_own_and_deleting_takes_them(ask, cococat, scripted, home):
    """The copy sends the picture when the original is gone."""
    server = scripted(says("one"), says("two"), says("three"))
    ask(server, *WORDS)
    ask(server, "-c", "--fork", "and now?")
    (first, second) = sorted(home.glob("sessions/*.jsonl"))

    deleted = cococat("sessions", "delete", first.stem, "--yes")
    ask(server, "-r", second.stem, "still?")

    assert 0 == deleted.code, deleted.stderr
    assert [second.with_suffix(".files")] == list(home.glob("sessions/*.files"))
    assert [SMALL] == [data for _, data in images_of(server.requests[2])]


def test_pruning_by_size_counts_the_pixels_and_takes_them(ask, cococat, scripted, home, tmp_path):
    """A session of few words and a large picture is large, by a flag and by `sessions.keep_bytes`."""
    (tmp_path / "big.png").write_bytes(png(9, 9, padding=2_000_000))
    for _ in range(2):
        ask(scripted(says("ok")), "-f", "big.png", "what is this?")
    *_, kept_log = sorted(home.glob("sessions/*.jsonl"))

    looked = cococat("sessions", "prune", "--max-bytes", "3MB", "--dry-run")
    pruned = cococat("sessions", "prune", "--yes", env={"COCOCAT_SESSIONS_KEEP_BYTES": "3000000"})

    assert (0, True) == (looked.code, "1 session with 2.0 MB would be deleted" in looked.stderr), looked.stderr
    assert "deleted 1 session with 2.0 MB\n" == pruned.stdout
    assert {kept_log, kept_log.with_suffix(".files")} == set(home.glob("sessions/*"))


def test_pixels_that_are_gone_are_said_to_be(ask, scripted, home):
    """A file that holds others counts as gone; the turn goes on without."""
    server = scripted(says("one"), says("two"))
    ask(server, *WORDS)
    pixels(home)[0][0].write_bytes(png(9, 9))

    ran = ask(server, "-c", "and now?")

    assert (0, []) == (ran.code, images_of(server.requests[1]))
    assert "[image a.png, no longer there]" in json.dumps(server.requests[1]["messages"])


def test_exports_and_a_replay_name_it(ask, cococat, scripted, home):
    """No format holds its bytes."""
    ask(scripted(says("a cat")), *WORDS)
    (log,) = home.glob("sessions/*.jsonl")

    shown = {how: cococat("sessions", "export", log.stem, "--format", how).stdout for how in ("md", "html", "json")}
    replayed = cococat("replay", log.stem)

    assert all("[image a.png, 12\u00d78]" in shown[how] for how in ("md", "html"))
    assert (12, 8) == tuple(json.loads(shown["json"])["messages"][0]["pictures"][0][key] for key in ("width", "height"))
    assert base64.b64encode(SMALL).decode()[:40] not in "".join(shown.values())
    assert "[image a.png · 12\u00d78 · 1 kB]" in replayed.stdout + replayed.stderr


LLAMA = {"id": "scripted", "owned_by": "llamacpp"}
OLLAMA = {"id": "scripted", "owned_by": "library"}


@pytest.mark.parametrize(
    "case",
    [
        (LLAMA, {"/props": {"modalities": {"vision": False}}}, "none"),
        (LLAMA, {"/props": {"modalities": {"vision": True}}}, "taken"),
        (OLLAMA, {"/api/show": {"capabilities": ["completion", "tools"]}}, "none"),
        (OLLAMA, {"/api/show": {"capabilities": ["completion", "vision"]}}, "taken"),
        ({"id": "scripted", "architecture": {"input_modalities": ["text"]}}, {}, "none"),
        ({"id": "scripted", "input_modalities": ["text", "image"]}, {}, "taken"),
        ({"id": "scripted", "capabilities": {"vision": False}}, {}, "none"),
    ],
    ids=["llama.cpp", "llama.cpp sees", "Ollama", "Ollama sees", "OpenRouter", "a gateway sees", "Mistral"],
)
def test_a_server_that_tells_is_asked_before_a_picture_is_sent_and_once(ask, scripted, home, case):
    """One that takes none gets no request; what it told holds in later runs."""
    row, told, sees = case
    server = scripted(says("ok"), says("ok"), models=(row,))
    server.told = told

    first, second = ask(server, *WORDS), ask(server, *WORDS)

    blind = sees == "none"
    assert ([2, 2] if blind else [0, 0]) == [first.code, second.code], first.stderr
    assert (0 if blind else 2) == len(server.requests)
    assert sees == kept(home)
    assert 1 == server.looked.count("/v1/models") or not blind
    assert blind == bool(BLIND.search(first.stderr))


REFUSALS = {
    "llama.cpp": None,
    "Ollama": fault(400, "this model does not support image input"),
    "OpenAI": fault(400, "Invalid content type. image_url is only supported by certain models."),
    "DeepSeek": fault(400, "Failed to deserialize the JSON body into the target type: messages[1]: unknown variant "
    "`image_url`, expected `text` at line 1 column 238"),
    "vLLM": fault(400, "At most 0 image(s) may be provided in one prompt."),
    "OpenRouter": fault(404, "No endpoints found that support image input"),
    "Groq": fault(400, "'messages.1' : for 'role:user' the following must be satisfied[('messages.1.content' : value must be a string)]"),
}  # fmt: skip


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_of_pictures_is_told_never_sent_again_and_remembered(ask, scripted, home, refusal):
    """Exit 2 with the model, the host and what to do; the next picture is not sent at all, words are."""
    server = scripted(text_only(says("no"), refusal), says("words"))

    first, second = ask(server, *WORDS), ask(server, *WORDS)
    third = ask(server, "-c", "then in words")

    assert [2, 2, 0] == [first.code, second.code, third.code], first.stderr + third.stderr
    assert BLIND.search(first.stderr)
    assert 'set model.images = "on"' in first.stderr
    assert ([1, 0], "none") == ([len(images_of(request)) for request in server.requests], kept(home))
    assert "[image a.png, not shown]" in json.dumps(server.requests[1]["messages"])


def test_a_refusal_of_this_picture_says_nothing_of_others(ask, scripted, home):
    """A format that a server cannot read is an error of the request, exit 3, and nothing is learned."""
    server = scripted(fault(400, "image/webp images are not supported; formats: png, jpeg"), says("ok"))

    assert [3, 0] == [ask(server, *WORDS).code, ask(server, *WORDS).code]
    assert "taken" == kept(home)


def test_on_is_never_asked_and_off_is_never_sent(ask, scripted):
    """The user knows better than the server."""
    blind = {"id": "scripted", "input_modalities": ["text"]}
    on, off = scripted(says("ok"), models=(blind,)), scripted()

    sent = ask(on, *WORDS, env={"COCOCAT_MODEL_IMAGES": "on"})
    kept_back = ask(off, *WORDS, env={"COCOCAT_MODEL_IMAGES": "off"})

    assert ([0, 2], 1) == ([sent.code, kept_back.code], len(images_of(on.requests[0])))
    assert "model.images is off" in kept_back.stderr


def test_a_picture_of_an_earlier_turn_is_told_in_words_to_a_model_that_takes_none(ask, scripted):
    """A conversation that goes on with another model is not stuck: the refused request goes on without it."""
    seeing, blind = scripted(says("a cat")), scripted(text_only(says("")), says("fine"))

    ask(seeing, *WORDS)
    ran = ask(blind, "-c", "and its colour?")

    assert (0, "fine\n") == (ran.code, ran.stdout), ran.stderr
    assert [1, 0] == [len(images_of(request)) for request in blind.requests]
    assert "[image a.png, not shown]" in json.dumps(blind.requests[1]["messages"])


@pytest.mark.parametrize(
    ("protocol", "answer"), [("json", '{"action": "finish", "final": "a cat"}'), ("native", "a cat")]
)
def test_a_question_that_failed_and_the_next_are_one_message_with_the_picture(ask, scripted, protocol, answer):
    """By both protocols: templates want roles to alternate."""
    server = scripted(fault(400, "not today"), says(answer))

    codes = [ask(server, *words, env={"COCOCAT_MODEL_PROTOCOL": protocol}).code for words in (WORDS, ("-c", "now?"))]

    *_, before, last = server.requests[1]["messages"]
    assert ([3, 0], [SMALL]) == (codes, [data for _, data in images_of(server.requests[1])])
    assert ("user", True) == (last["role"], before["role"] != "user")


def test_a_picture_counts_by_its_tiles(ask, scripted, tmp_path):
    """85 and 170 for each tile of 512 pixels, so that what does not fit is known before it is sent."""
    (tmp_path / "large.png").write_bytes(png(2048, 2048))
    small = {"COCOCAT_MODEL_CONTEXT_WINDOW": "3000", "COCOCAT_MODEL_MAX_OUTPUT_TOKENS": "200"}
    server, silent = scripted(says("ok")), scripted(says("ok", usage=None))

    both = ("-f", "large.png", "-f", "large.png", "x")
    refused = ask(scripted(), "--no-tools", *both, env=small)
    taken = ask(server, "--no-tools", *WORDS, env=small)
    told = ask(silent, "--no-tools", "--output-format", "json", *both)

    assert [5, 0] == [refused.code, taken.code], refused.stderr
    assert int(re.sub(r"\D", "", re.findall(r"about ([\d,]+) tokens", refused.stderr)[0])) > 2 * (85 + 170 * 16)
    assert 85 + 170 == tiles_of(server.requests[0])
    assert 2 * (85 + 170 * 16) < json.loads(told.stdout)["usage"]["prompt_tokens"] < 2 * (85 + 170 * 16) + 1000


def test_a_server_that_counts_fewer_tokens_for_a_picture_cuts_no_prompt(ask, scripted, tmp_path):
    """Every model counts them in its own way: nothing is warned about."""
    (tmp_path / "large.png").write_bytes(png(2048, 2048))

    ran = ask(scripted(says("ok"), usage=(60, 1)), "--no-tools", "-f", "large.png", "x")

    assert (0, False) == (ran.code, "cut the prompt" in ran.stderr)


def test_no_dream_reads_a_picture(ask, scripted, home):
    """Of the exchange there are the words alone; what it showed is known not to be the user's own."""
    server, env = scripted(says("a cat. Is it yours?"), says("fine")), {"COCOCAT_MEMORY_MODE": "auto"}
    ask(server, *WORDS, env=env)
    ask(server, "-c", "yes", env=env)

    (file,) = home.rglob("history.jsonl")
    first, second = map(json.loads, file.read_text().splitlines())
    assert [["what is this?"], ["yes"]] == [[part["text"] for part in row["user"]] for row in (first, second)]
    assert (False, True) == (first.get("foreign", False), second.get("foreign", False))


@terminal_only
def test_a_chat_shows_the_picture_and_gives_a_line_back_that_cannot_be_sent(chat, scripted, tmp_path):
    """One line says why; the input stands in the next prompt, and nothing was sent."""
    (tmp_path / "torn.png").write_bytes(SMALL[:9])
    server = scripted(says("a cat"))
    terminal = chat(server)

    terminal.press("what is @torn.png\r")
    terminal.until(lambda text: "a PNG picture that is damaged" in text and text.count("what is @torn.png") > 1)
    terminal.press(f"\x15what is \x1b[200~{tmp_path / 'a.png'}\x1b[201~\r")
    text = terminal.until(lambda text: "a cat" in text and ready(text))
    terminal.press("/exit\r")

    assert 0 == terminal.leave()
    assert says_somewhere(text, "/a.png · 12\u00d78 · 1 kB]")
    assert [SMALL] == [data for _, data in images_of(server.requests[0])]


@terminal_only
def test_what_is_said_while_a_turn_runs_is_given_back_if_its_picture_cannot_be_sent(chat, scripted, tmp_path):
    """The turn goes on without it; the line stands in the next prompt."""
    (tmp_path / "torn.png").write_bytes(SMALL[:9])
    shown, go = threading.Event(), threading.Event()
    server = scripted(calls(("list_dir", {"path": "."}), text="I look."), says("done"))
    server.items[0] = replace(server.items[0], steps=(reached(shown), go, *server.items[0].steps))
    terminal = chat(server)

    terminal.press("look\r")
    assert shown.wait(60)
    terminal.press("and @torn.png\r")
    terminal.until("and @torn.png")
    go.set()
    terminal.until(
        lambda text: "done" in text and "a PNG picture that is damaged" in text and text.count("and @torn.png") > 1
    )

    assert "tool" == server.requests[1]["messages"][-1]["role"]


@terminal_only
def test_a_compaction_that_is_taken_back_brings_the_picture_back(chat, scripted):
    """With its pixels, from beside the log; the notes were written without."""
    words = " ".join(f"All about tea number {number}." for number in range(120))
    server = scripted(says(words), says(words), says(words), says(NOTES), says("Fine."))
    terminal = chat(server, "--no-tools", env={"COCOCAT_CONTEXT_KEEP_RECENT_MESSAGES": "1"}, rows=60)

    def enter(line, sign):
        terminal.press(f"{line}\r")
        terminal.until(lambda text: sign in text and ready(text))

    for number, line in enumerate(("one", "two @a.png", "three"), 1):
        terminal.press(f"{line}\r")
        server.wait_for(number)
        terminal.until(lambda text, line=line: f"> {line}" in text and ready(text))
    enter("/compact", "messages became notes")
    enter("/compact undo", "messages are back")
    enter("really?", "Fine.")

    assert [0, 1, 1, 0, 1] == [len(images_of(request)) for request in server.requests]
    assert "[image a.png, seen]" in server.requests[3]["messages"][-1]["content"]


@terminal_only
def test_a_chat_that_begins_with_words_has_its_files(chat, scripted, tmp_path):
    """As `ask` has them."""
    server = scripted(says("a cat"))
    terminal = chat(server, "-f", tmp_path / "a.png", "what is this?", wait=False)

    terminal.until(lambda text: "a cat" in text and ready(text))

    assert [SMALL] == [data for _, data in images_of(server.requests[0])]


READS = ("ask", "--no-dream", "--mode", "react", "-m", "scripted", "look at the plot")


@pytest.mark.parametrize("allowed", [True, False], ids=str)
def test_a_picture_that_a_call_reads_is_seen_where_the_user_allowed_that(cococat, scripted, tmp_path, allowed):
    """By `read_file(image)`, behind the result; else its kind and size are told, and the screen says how."""
    (tmp_path / "plot.png").write_bytes(png(12, 8))
    server = scripted(calls(("read_file", {"path": "plot.png"})), says("a line"))

    ran = cococat(*READS, *(("--allow", "read_file(image)") if allowed else ()), "--base-url", server.base_url)

    (result,) = tool_results(server.requests[1])
    assert (0, "a line\n") == (ran.code, ran.stdout), ran.stderr
    assert ("shown below" if allowed else "12 x 8 pixels, not shown, ") in result
    assert [png(12, 8)] * allowed == [data for _, data in images_of(server.requests[1])]
    assert allowed == ("--allow 'read_file(image)'" not in ran.stderr)


def test_a_picture_that_a_call_reads_is_not_sent_to_a_model_that_sees_nothing(cococat, scripted, tmp_path):
    """The line stands for it, and nothing is refused."""
    (tmp_path / "plot.png").write_bytes(png(12, 8))
    server = scripted(calls(("read_file", {"path": "plot.png"})), says("ok"))

    words = ("--allow", "read_file(image)", "--base-url", server.base_url)
    ran = cococat(*READS, *words, env={"COCOCAT_MODEL_IMAGES": "off"})

    assert (0, "ok\n") == (ran.code, ran.stdout), ran.stderr
    assert "not shown, " in tool_results(server.requests[1])[0]
    assert [] == images_of(server.requests[1])
