"""Settings from file, environment and flags."""

from __future__ import annotations

import pytest

from cococat.config import Settings, key_for, resolve
from cococat.config.settings import rules
from cococat.config.show import value_of
from cococat.core.limits import Limits
from cococat.core.settings import DreamSettings, RetryPolicy, Timeouts
from cococat.errors import ConfigError


def test_nothing_given_means_the_defaults_and_says_so():
    """Without file, variables and flags every value is the documented default."""
    settings = resolve({}, {}, {})

    assert (None, "gpt-4.1-mini", 15, "ask-first") == (
        settings.mode,
        settings.model.name,
        settings.agent.max_steps,
        settings.permissions.mode,
    )
    assert {"default"} == {origin.kind for origin in settings.origins.values()}
    assert set(rules()) == set(settings.origins)


@pytest.mark.parametrize(
    ("file", "env", "flags", "name", "origin"),
    [
        pytest.param({}, {}, {}, "gpt-4.1-mini", "default", id="default"),
        pytest.param({"model": {"name": "a"}}, {}, {}, "a", "config file", id="file"),
        pytest.param(
            {"model": {"name": "a"}, "profile": "p", "profiles": {"p": {"name": "b"}}},
            {},
            {},
            "b",
            "config file",
            id="profile-over-file",
        ),
        pytest.param({"model": {"name": "a"}}, {"COCOCAT_MODEL": "c"}, {}, "c", "COCOCAT_MODEL", id="env-over-file"),
        pytest.param({}, {"COCOCAT_MODEL_NAME": "c"}, {}, "c", "COCOCAT_MODEL_NAME", id="long-variable"),
        pytest.param(
            {}, {"COCOCAT_MODEL_NAME": "c", "COCOCAT_MODEL": "d"}, {}, "d", "COCOCAT_MODEL", id="short-variable-wins"
        ),
        pytest.param({}, {"COCOCAT_MODEL": ""}, {}, "gpt-4.1-mini", "default", id="empty-is-unset"),
        pytest.param({}, {"COCOCAT_MODEL": "c"}, {"model.name": "d"}, "d", "--model", id="flag-over-env"),
        pytest.param({}, {"COCOCAT_MODEL": "c"}, {"model.name": None}, "c", "COCOCAT_MODEL", id="flag-not-given"),
    ],
)
def test_the_nearest_layer_wins_and_is_named(file, env, flags, name, origin):
    """Flags beat variables, variables beat the file, the file beats the defaults."""
    settings = resolve(file, env, flags, names={"model.name": "--model"})

    assert (name, origin) == (settings.model.name, str(settings.origins["model.name"]))


@pytest.mark.parametrize(
    ("file", "env", "url", "origin"),
    [
        ({}, {"OPENAI_BASE_URL": "https://a/v1"}, "https://a/v1", "OPENAI_BASE_URL"),
        ({}, {"OPENAI_API_BASE": "https://b/v1"}, "https://b/v1", "OPENAI_API_BASE"),
        ({}, {"OPENAI_API_BASE": "https://b", "OPENAI_BASE_URL": "https://a"}, "https://a", "OPENAI_BASE_URL"),
        ({"model": {"base_url": "https://c"}}, {"OPENAI_BASE_URL": "https://a"}, "https://c", "config file"),
        ({"model": {"base_url": "https://c"}}, {"OPENAI_BASE_URL": "not a url"}, "https://c", "config file"),
        ({}, {"COCOCAT_BASE_URL": "https://d", "OPENAI_BASE_URL": "https://a"}, "https://d", "COCOCAT_BASE_URL"),
    ],
)
def test_the_variables_of_openai_count_when_nothing_of_ours_names_an_endpoint(file, env, url, origin):
    """OPENAI_BASE_URL stands between the config file and the defaults."""
    settings = resolve(file, env, {})

    assert (url, origin) == (settings.model.base_url, str(settings.origins["model.base_url"]))


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("COCOCAT_AGENT_MAX_STEPS", "20", "agent.max_steps", 20),
        ("COCOCAT_AGENT_MAX_ITERATIONS", "21", "agent.max_steps", 21),
        ("COCOCAT_MEMORY_WAIT", "true", "memory.wait", True),
        ("COCOCAT_MEMORY_WAIT", "0", "memory.wait", False),
        ("COCOCAT_TIMEOUTS_IDLE", "0.5", "timeouts.idle", 0.5),
        ("COCOCAT_GGUF", "/m.gguf", "model.gguf", "/m.gguf"),
        ("COCOCAT_MODE", "single", "mode", "single"),
        ("COCOCAT_PERMISSIONS_ALLOW", "run_shell(git status)", "permissions.allow", ("run_shell(git status)",)),
        ("COCOCAT_PERMISSIONS_DENY", '["a", "b(c)"]', "permissions.deny", ("a", "b(c)")),
    ],
)
def test_every_setting_has_a_variable(variable, text, key, value):
    """COCOCAT_<SECTION>_<KEY> sets any setting, in the type it has."""
    settings = resolve({}, {variable: text}, {})

    assert (value, variable) == (value_of(settings, key), str(settings.origins[key]))


@pytest.mark.parametrize(
    ("file", "message", "hint"),
    [
        pytest.param({"modle": {}}, "modle: unknown key", "did you mean model?", id="section"),
        pytest.param(
            {"agent": {"max_step": 1}}, "agent.max_step: unknown key", "did you mean agent.max_steps?", id="key"
        ),
        pytest.param({"max_steps": 3}, "max_steps: unknown key", "did you mean agent.max_steps?", id="no-section"),
        pytest.param(
            {"model": {"api_key": "sk-1"}}, "model.api_key: unknown key", "never goes into the file", id="key-in-file"
        ),
        pytest.param({"agent": {"max_steps": "x"}}, "wanted a whole number from 1 to 200, got 'x'", "15", id="type"),
        pytest.param({"agent": {"max_steps": True}}, "whole number from 1 to 200, got true", "15", id="bool-no-number"),
        pytest.param({"agent": {"max_steps": 0}}, "from 1 to 200, got 0", "15", id="low"),
        pytest.param({"agent": {"max_steps": 201}}, "from 1 to 200, got 201", "15", id="high"),
        pytest.param({"agent": {"max_steps": 1.5}}, "from 1 to 200, got 1.5", "15", id="fraction"),
        pytest.param({"agent": {"max_seconds": float("nan")}}, "got nan", "0", id="nan"),
        pytest.param({"agent": {"max_seconds": float("inf")}}, "got inf", "0", id="inf"),
        pytest.param({"timeouts": {"idle": -1}}, "got -1", "60", id="negative"),
        pytest.param({"timeouts": {"idle": 10**400}}, "got 1000", "60", id="huge"),
        pytest.param({"mode": "reakt"}, "mode: wanted one of single, react, got 'reakt'", "react?", id="choice"),
        pytest.param({"model": 3}, "model: wanted a table, got 3", "[model]", id="no-table"),
        pytest.param({"profiles": {"a": 3}}, "profiles.a: wanted a table", "[profiles.a]", id="profile-no-table"),
        pytest.param({"profiles": {"a": {"nme": "x"}}}, "profiles.a.nme: unknown key", "model.name?", id="profile-key"),
        pytest.param({"permissions": {"allow": "x"}}, "permissions.allow: wanted a list", "[]", id="no-list"),
        pytest.param({"permissions": {"allow": ["x("]}}, "permissions.allow: wanted a list", "[]", id="bad-rule"),
        pytest.param({"model": {"base_url": "ftp://x"}}, "does not begin with https://", "write it like", id="scheme"),
        pytest.param({"model": {"base_url": "https://"}}, "names no host", "write it like", id="no-host"),
        pytest.param({"model": {"base_url": "https://k@x"}}, "holds a user name or a key", "write it like", id="user"),
        pytest.param({"model": {"base_url": "https://x:99999"}}, "is no URL", "write it like", id="port"),
        pytest.param(
            {"profile": "b", "profiles": {"a": {}}}, "there is no profile 'b'", "the config has a", id="profile"
        ),
        pytest.param(
            {"agent": {"max_steps": 1, "max_iterations": 2}}, "given twice", "keep agent.max_steps", id="alias-twice"
        ),
    ],
)
def test_what_is_wrong_in_the_file_is_named_with_its_fix(file, message, hint):
    """Unknown keys, wrong types and bounds are refused with the place, what was wanted, and a way out."""
    with pytest.raises(ConfigError) as caught:
        resolve(file, {}, {})

    assert message in caught.value.message
    assert hint in caught.value.hint
    assert 2 == caught.value.exit_code


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"COCOCAT_AGENT_MAX_STEP": "3"}, "COCOCAT_AGENT_MAX_STEP: unknown variable"),
        ({"COCOCAT_AGENT_MAX_STEPS": "1e9"}, "COCOCAT_AGENT_MAX_STEPS: wanted a whole number from 1 to 200, got '1e9'"),
        ({"COCOCAT_MEMORY_WAIT": "maybe"}, "COCOCAT_MEMORY_WAIT: wanted true or false"),
        ({"COCOCAT_PROFILE": "x"}, "COCOCAT_PROFILE: there is no profile 'x'"),
        ({"OPENAI_BASE_URL": "nonsense"}, "OPENAI_BASE_URL: it does not begin with"),
    ],
)
def test_a_wrong_variable_is_named(env, message):
    """A variable that is misspelt or holds nonsense stops the command and is named."""
    with pytest.raises(ConfigError) as caught:
        resolve({}, env, {})

    assert message in caught.value.message


def test_a_value_that_looks_like_a_key_is_never_repeated():
    """A key pasted into the wrong place does not reach the screen."""
    with pytest.raises(ConfigError) as caught:
        resolve({"mode": "sk-secret123", "model": {}}, {}, {})
    with pytest.raises(ConfigError) as other:
        resolve({"model": {"api_key_env": "sk-secret123"}}, {}, {})

    assert "secret" not in caught.value.message + caught.value.hint + other.value.message + other.value.hint
    assert "never the key itself" in other.value.message


def test_other_programs_variables_are_left_alone():
    """Only COCOCAT_<SECTION>_... is ours to judge."""
    env = {"COCOCAT_TEST_RUN": "1", "COCOCAT_HOME": "/x", "COCOCAT_API_KEY": "k", "PATH": "/bin"}

    assert "gpt-4.1-mini" == resolve({}, env, {}).model.name


def test_max_iterations_is_another_name_for_max_steps():
    """The name other tools use is understood."""
    assert 7 == resolve({"agent": {"max_iterations": 7}}, {}, {}).agent.max_steps


def test_allow_adds_to_what_is_configured():
    """--allow widens the config for one run; it does not replace it."""
    settings = resolve(
        {"permissions": {"allow": ["read_file"]}},
        {},
        {"permissions.allow": ("web_search", "read_file")},
        names={"permissions.allow": "--allow"},
    )

    assert ("read_file", "web_search") == settings.permissions.allow
    assert "config file and --allow" == str(settings.origins["permissions.allow"])


@pytest.mark.parametrize(
    "url",
    [
        "http://8.8.8.8/v1",
        "http://localhost.evil.com",
        "http://127.0.0.1.evil.com",
        "http://0.0.0.0",
        "http://box.local.evil.com",
    ],
)
def test_plain_http_to_another_machine_is_refused(url):
    """Keys and prompts do not travel in the clear unless that is said."""
    with pytest.raises(ConfigError) as caught:
        resolve({}, {}, {"model.base_url": url}, names={"model.base_url": "--base-url"})

    assert "--base-url" in caught.value.message
    assert "https://" in caught.value.hint
    assert url == resolve({"model": {"insecure_http": True}}, {}, {"model.base_url": url}).model.base_url


@pytest.mark.parametrize(
    "url",
    [
        *(
            "http://192.168.1.5:11434/v1",
            "http://10.0.0.1",
            "http://172.20.1.1",
            "http://100.64.0.1",
            "http://169.254.1.1",
        ),
        *("http://[fd00::1]:8000/v1", "http://[fe80::1]:1", "http://gpu.local:8000/v1"),
    ],
)
def test_a_server_of_the_own_network_is_reached_without_a_key_by_itself(url):
    """No setting is needed, and no key goes there only because one is set."""
    env = {"OPENAI_API_KEY": "open", "COCOCAT_API_KEY": "ours", "COCOCAT_BASE_URL": url}

    settings = resolve({}, env, {})

    assert (url, None) == (settings.model.base_url, key_for(settings, env))
    assert None is key_for(resolve({}, {"OPENAI_API_KEY": "open"}, {"model.base_url": url}), env)


def test_a_key_crosses_the_own_network_only_where_the_file_pairs_and_allows_it():
    """Pair and insecure_http together send it; the pair alone is an error that names both ways out."""
    pair = {"base_url": "http://192.168.1.5/v1", "api_key_env": "LAN_KEY"}
    env = {"LAN_KEY": "lan"}

    sent = key_for(resolve({"model": {**pair, "insecure_http": True}}, env, {}), env)
    with pytest.raises(ConfigError) as refused:
        key_for(resolve({"model": pair}, env, {}), env)

    assert sent is not None
    assert "lan" == sent.reveal()
    assert "LAN_KEY" in refused.value.message
    assert "insecure_http" in refused.value.hint


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/v1", "http://localhost:1", "http://[::1]:1/v1", "http://127.9.9.9", "https://x.y"]
)
def test_loopback_and_https_are_fine(url):
    """A server on this machine needs no encryption."""
    assert url == resolve({}, {"COCOCAT_BASE_URL": url}, {}).model.base_url


def test_a_profile_sets_anything_of_the_model_and_nothing_else_changes():
    """-P picks a profile; its values lie over [model]."""
    file = {
        "model": {"name": "big", "temperature": 1},
        "profiles": {"local": {"base_url": "http://127.0.0.1:1/v1", "name": "small"}, "my.lan": {}},
    }

    settings = resolve(file, {"COCOCAT_PROFILE": "my.lan"}, {"profile": "local"})

    assert ("local", "small", 1.0) == (settings.profile, settings.model.name, settings.model.temperature)
    assert ("local", "my.lan") == settings.profiles
    assert isinstance(settings, Settings)


def test_what_is_set_is_what_the_core_works_with():
    """One home for each value: nothing is copied from field to field, so that no default is written twice."""
    settings = resolve({"agent": {"max_steps": 7}, "retry": {"attempts": 2}}, {}, {})

    assert Limits(max_steps=7) == settings.agent
    assert RetryPolicy(attempts=2) == settings.retry
    assert (Timeouts(), DreamSettings()) == (settings.timeouts, settings.memory)


@pytest.mark.parametrize(
    ("variable", "text", "words"),
    [
        ("COCOCAT_MODEL_FALLBACK", "[1]", "wanted a list of strings in quotes"),
        ("COCOCAT_SANDBOX_WRITE", '["build"]', "wanted a list of absolute paths"),
    ],
)
def test_a_list_of_the_wrong_things_is_told_in_words(variable, text, words):
    """What is wanted is named for lists, too, and a model's name may hold a slash."""
    with pytest.raises(ConfigError, match=words):
        resolve({}, {variable: text}, {})

    assert ("openai/o3",) == resolve({}, {"COCOCAT_MODEL_FALLBACK": '["openai/o3"]'}, {}).model.fallback
