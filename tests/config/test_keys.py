"""A key belongs to one origin."""

from __future__ import annotations

import copy
import pickle

import pytest

from cococat.config import Secret, key_for, resolve
from cococat.errors import ConfigError

FILE = {
    "model": {"base_url": "https://main.test/v1", "api_key_env": "MAIN_KEY"},
    "profiles": {
        "other": {"base_url": "https://other.test/v1", "api_key_env": "OTHER_KEY"},
        "keyless": {"base_url": "https://lan.test/v1", "api_key_env": ""},
        "bare": {"base_url": "https://bare.test/v1"},
        "same": {"base_url": "https://MAIN.test:443/v2", "name": "x"},
    },
}
ALL = {"COCOCAT_API_KEY": "coco", "OPENAI_API_KEY": "open", "MAIN_KEY": "main", "OTHER_KEY": "other"}


def sent(file, env, flags):
    """The key that would travel; `refused` when the command would stop instead."""
    try:
        key = key_for(resolve(file, env, flags), env)
    except ConfigError:
        return "refused"
    return key.reveal() if key else None


@pytest.mark.parametrize(
    ("file", "env", "flags", "key"),
    [
        pytest.param({}, {}, {}, None, id="no-key-at-all"),
        pytest.param({}, {"OPENAI_API_KEY": "open"}, {}, "open", id="openai"),
        pytest.param({}, {"OPENAI_API_KEY": "open", "OPENAI_BASE_URL": "https://a.test"}, {}, "open", id="openai-pair"),
        pytest.param({}, {"OPENAI_API_KEY": "open", "OPENAI_API_BASE": "https://a.test"}, {}, "open", id="openai-old"),
        pytest.param({}, {"OPENAI_API_KEY": "open"}, {"model.base_url": "https://a.test"}, "refused", id="flag"),
        pytest.param(
            {}, {"OPENAI_API_KEY": "open", "COCOCAT_BASE_URL": "https://a.test"}, {}, "refused", id="env-alone"
        ),
        pytest.param({}, {"COCOCAT_API_KEY": "coco", "COCOCAT_BASE_URL": "https://a.test"}, {}, "coco", id="env-pair"),
        pytest.param({}, {"COCOCAT_API_KEY": "coco"}, {}, "coco", id="ours-for-the-default"),
        pytest.param({}, {"COCOCAT_API_KEY": "coco", "OPENAI_API_KEY": "open"}, {}, "coco", id="ours-first"),
        pytest.param({}, {"COCOCAT_API_KEY": "coco"}, {"model.base_url": "https://a.test"}, "refused", id="ours-flag"),
        pytest.param(
            {},
            {"OPENAI_API_KEY": "o", "OPENAI_BASE_URL": "https://a.test"},
            {"model.base_url": "https://api.openai.com/v1"},
            "refused",
            id="moved-home",
        ),
        pytest.param({}, ALL, {"model.base_url": "http://127.0.0.1:1/v1"}, None, id="loopback-needs-none"),
        pytest.param({}, {**ALL, "COCOCAT_BASE_URL": "http://127.0.0.1:1/v1"}, {}, "coco", id="loopback-pair"),
        pytest.param(
            {},
            {**ALL, "COCOCAT_BASE_URL": "http://127.0.0.1:1/v1"},
            {"model.base_url": "http://127.0.0.1:2/v1"},
            None,
            id="another-port",
        ),
        pytest.param(FILE, {"MAIN_KEY": "main", "OPENAI_API_KEY": "open"}, {}, "main", id="file-pair"),
        pytest.param(FILE, {"OPENAI_API_KEY": "open"}, {}, "refused", id="file-url-openai-key"),
        pytest.param(FILE, ALL, {}, "coco", id="ours-for-the-file"),
        pytest.param(FILE, ALL, {"profile": "other"}, "other", id="profile-pair"),
        pytest.param(FILE, ALL, {"profile": "keyless"}, None, id="profile-without-key"),
        pytest.param(FILE, ALL, {"profile": "bare"}, "refused", id="profile-url-alone"),
        pytest.param(FILE, {"MAIN_KEY": "main"}, {"profile": "same"}, "main", id="profile-same-origin"),
        pytest.param(FILE, ALL, {"model.base_url": "https://evil.test/v1"}, "refused", id="flag-elsewhere"),
        pytest.param(
            FILE, {"MAIN_KEY": "main"}, {"model.base_url": "https://main.test/v9"}, "main", id="flag-same-origin"
        ),
        pytest.param(
            FILE, {"MAIN_KEY": "main"}, {"model.base_url": "https://main.test:444/v1"}, "refused", id="flag-other-port"
        ),
        pytest.param(
            {"model": {"base_url": "https://a.test"}},
            {"COCOCAT_MODEL_API_KEY_ENV": "X", "X": "x"},
            {},
            "x",
            id="named-by-variable",
        ),
    ],
)
def test_a_key_is_sent_to_its_own_origin_alone(file, env, flags, key):
    """Each key goes where the URL named beside it says, and to no other scheme, host or port."""
    assert key == sent(file, env, flags)


def test_the_refusal_says_whose_key_it_is_and_shows_none():
    """The error names variable and origins, the fix, and no key."""
    env = {"OPENAI_API_KEY": "sk-verysecret"}
    with pytest.raises(ConfigError) as caught:
        key_for(resolve({}, env, {"model.base_url": "https://a.test/v1"}), env)

    assert (
        "no key for https://a.test: the one in OPENAI_API_KEY belongs to https://api.openai.com" == caught.value.message
    )
    assert "COCOCAT_API_KEY" in caught.value.hint
    assert "verysecret" not in caught.value.hint


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("sk-1\n", "a line break"),
        ('"sk-1"', "a quotation mark"),
        ("sk 1", "a space"),
        ("sk-é", "a character"),
        ("a\x00b", "a character"),
    ],
)
def test_a_key_that_cannot_be_sent_is_refused_by_its_fault(key, what):
    """The error says what is wrong with the key, names its variable, and does not show it."""
    env = {"OPENAI_API_KEY": key}
    with pytest.raises(ConfigError) as caught:
        key_for(resolve({}, env, {}), env)

    assert f"the key in OPENAI_API_KEY contains {what}" in caught.value.message
    assert key not in caught.value.message + caught.value.hint


def test_a_secret_shows_itself_to_nobody_who_does_not_ask():
    """No way of printing, formatting, copying to disk or inspecting gives the key away."""
    secret = Secret("sk-verysecret", "OPENAI_API_KEY")

    shown = [
        repr(secret),
        str(secret),
        f"{secret}",
        f"{secret:>80}",
        repr([secret]),
        repr(pickle.dumps(secret)),
    ]

    assert [] == [text for text in shown if "verysecret" in text]
    assert "verysecret" not in pickle.loads(pickle.dumps(secret)).reveal()
    assert "sk-verysecret" == copy.deepcopy(secret).reveal() == secret.reveal()
