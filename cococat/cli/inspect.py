"""`models`, `tools` and `doctor`: what there is to work with."""

from __future__ import annotations

from functools import partial

from cococat.cli.flags import Command, Flag, Invocation, Job, folders_of, options_of, session_id, settings_of, shared

GROUP = "Checks"  # of the help


def _models(given: Invocation) -> Job:
    from cococat.app import about

    return partial(about.models, settings_of(given))


def _tools(given: Invocation) -> Job:
    from cococat.app import about

    return partial(about.tools, settings_of(given), options_of(given))


def _doctor(given: Invocation) -> Job:
    from cococat.app import doctor as checks

    as_json = given.has("--json")
    if (session := given.text("--session")) is not None:
        wanted = session_id(session, "--session")
        return partial(checks.doctor_session, folders_of(given), wanted, as_json=as_json)
    settings = settings_of(given)
    if given.has("--probe"):
        from cococat.app.endpoint.probe import doctor_probe

        return partial(doctor_probe, settings, as_json=as_json, yes=given.has("--yes"))
    return partial(checks.doctor, settings, options_of(given), as_json=as_json)


MODELS = Command(
    "List what the endpoint offers.",
    _models,
    shared("profile", "base-url", "config"),
    examples=("cococat models", "cococat models --base-url http://127.0.0.1:11434/v1", "cococat models | grep mini"),
)
TOOLS = Command(
    "List every tool with its permission.",
    _tools,
    shared("permission", "allow", "root", "config"),
    examples=("cococat tools", "cococat tools --permission edits", "cococat tools --allow 'run_shell(git status)'"),
)
DOCTOR = Command(
    "Check configuration, endpoint, model, terminal, folders and versions.",
    _doctor,
    [
        Flag("--json", "", "For machines.", GROUP),
        Flag("--session", "ID", "Check that log alone.", GROUP),
        Flag("--probe", "", "Ask the endpoint what it can really do.", GROUP),
        Flag("--yes", "", "Do not ask before the requests of --probe.", GROUP, "-y"),
        *shared("model", "base-url", "profile", "root", "config"),
    ],
    examples=("cococat doctor", "cococat doctor --probe", "cococat doctor --session 01K"),
)
