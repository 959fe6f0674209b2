"""The embedded model: a small one that runs in this process, behind the same seam as any other.

llama.cpp runs on a daemon thread: loaded there, asked there, freed there. Requests go straight into the engine. It
insists on a listener all the same: it gets a socket file in a private folder, so no port is open, and the folder is
deleted as soon as it has served once.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import queue
import secrets
import shutil
import socket
import tempfile
import threading
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from cococat.core.limits import Problem
from cococat.core.messages import Assistant, Message, User
from cococat.core.model import FinishPiece, Piece, ProviderError, Request
from cococat.errors import UsageError
from cococat.model.weights import Progress, check_gguf, find_weights, missing
from cococat.model.wire import body_of, pieces_of
from cococat.system.private import private_dir

POLL_S = 0.02
INSTALL = "pip install 'cococat[local]'"
WINDOW = 8192  # tokens
CACHE_MIB = 256  # of prompts that were read before, so that a dream does not cost a chat its prefix
BATCH = 128  # prompt tokens between two looks at whether to stop, under a second
MAX_SOCKET = 100  # bytes of a socket file's path; with a longer one the engine takes a port on loopback
LEAVE_S = 3.0  # seconds that exit waits for the thread
SUFFIX = ".prompt"
OK = 200
PATIENCE_S = 10.0  # for the engine to write or read 20 MB


def available() -> str:
    """Return why there is no embedded model; empty when there is one. Imports nothing."""
    if find_spec("xllamacpp") is None:
        return "the package xllamacpp is not installed"
    lost = missing()
    return f"the package {lost} is not installed" if lost else ""


async def start(
    path: Path | None,
    cache: Path,
    *,
    notice: Callable[[str], None],
    tell: Progress = lambda *_: None,
    max_output_tokens: int = 1024,
    temperature: float = 0.2,
) -> Embedded:
    """
    Begin to load the model; returns before it is loaded.

    Args:
        path: any GGUF file; None takes the model that the extra `local` brings.
        cache: folder in which that model is kept once it was unpacked.
        notice: told in one line what takes long.
        tell: gets how many bytes were unpacked, and of how many; from another thread.
    Raises: UsageError, StorageError: it cannot be loaded; says which command fixes it.
    """
    if find_spec("xllamacpp") is None:
        raise UsageError("the embedded model is not installed", INSTALL)
    import_engine()
    file = check_gguf(path) if path else await _unpacked(cache, notice, tell)
    prompts = cache / "models" / "prompts"
    return Embedded(file, prompts, notice, max_output_tokens=max_output_tokens, temperature=temperature)


class Embedded:
    """A `core.model.Model` that runs here; requests are answered one at a time, in order."""

    def __init__(
        self,
        file: Path,
        prompts: Path,
        notice: Callable[[str], None],
        *,
        max_output_tokens: int = 1024,
        temperature: float = 0.2,
    ) -> None:
        self.name = file.stem
        self.window = WINDOW
        self._notice = notice
        self._defaults = {"max_tokens": max_output_tokens, "temperature": temperature}
        self._engine = Engine(file, prompts)
        atexit.register(self.close)

    async def stream(self, request: Request) -> AsyncGenerator[Piece, None]:
        """Answer *request*; closing the stream stops the engine within a second."""
        if not self._engine.loaded.is_set():
            self._notice(f"loading the embedded model {self.name} …")
        if request.pictures:
            from cococat.model.sight import in_words, takes_none

            request = in_words(
                request, takes_none(f"{self.name} on this machine", hint="choose another model with -m NAME")
            )
        job = Job({**self._defaults, **_body(request, self.name)}, prefix_of(request.messages))
        self._engine.submit(job)
        finished = False
        try:
            while (item := await job.items.get()) is not None:
                if isinstance(item, ProviderError):
                    raise item
                for piece in pieces_of(item):
                    finished = finished or isinstance(piece, FinishPiece)
                    yield piece
        finally:
            job.stopped = True
        if not finished:
            raise ProviderError(Problem("cut", "the embedded model stopped in the middle of its reply", "try again"))

    async def loaded(self) -> None:
        """Wait until the model can answer, or cannot be loaded, which its first reply says."""
        while not self._engine.loaded.is_set():  # noqa: ASYNC110 - a thread sets it
            await asyncio.sleep(POLL_S)

    async def aclose(self) -> None:
        """Stop the engine without blocking the event loop."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Stop the engine; a thread of it that outlived the interpreter would crash the process."""
        atexit.unregister(self.close)
        self._engine.close()


class _LeftError(Exception):
    """Nobody waits for the weights any more."""


async def _unpacked(cache: Path, notice: Callable[[str], None], tell: Progress) -> Path:
    """Find or join the weights on a thread, so that Ctrl-C works meanwhile; it ends soon after this."""
    loop = asyncio.get_running_loop()
    left, told = threading.Event(), threading.Event()

    def progress(done: int, total: int) -> None:
        if left.is_set():
            raise _LeftError
        if not told.is_set():
            told.set()
            loop.call_soon_threadsafe(notice, f"unpacking the embedded model ({total / 1e6:.0f} MB, only once) …")
        tell(done, total)

    try:
        return await asyncio.to_thread(find_weights, cache, progress)
    finally:
        left.set()


def _body(request: Request, name: str) -> dict[str, Any]:
    body = body_of(request, name)
    body |= {"stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
    if request.max_output_tokens:
        body["max_tokens"] = request.max_output_tokens
    if request.schema is not None:
        body["temperature"] = 0  # a decision is a choice, and a small model chooses best at its first guess
    return body


class Job:
    """One request on its way to the engine's thread, and the chunks on their way back."""

    __slots__ = ("_loop", "body", "items", "prefix", "stopped")

    def __init__(self, body: Mapping[str, Any], prefix: int = 0) -> None:
        self.body = body
        self.prefix = prefix  # messages at the beginning that are the same in every session
        self.items: asyncio.Queue[Mapping[str, Any] | ProviderError | None] = asyncio.Queue()
        self.stopped = False
        self._loop = asyncio.get_running_loop()

    def put(self, item: Mapping[str, Any] | ProviderError | None) -> None:
        """Hand *item* to the reader; the engine's thread calls this."""
        try:
            self._loop.call_soon_threadsafe(self.items.put_nowait, item)
        except RuntimeError:  # the loop is closed: nobody reads any more
            self.stopped = True

    def take(self, chunk: Any) -> bool:
        """Take a chunk from the engine, which goes on until this is true; it must not raise."""
        for part in chunk if isinstance(chunk, list) else [chunk]:
            if "error" in part:
                self.put(_provider_error(part["error"]))
                return True
            if not self.stopped and "prompt_progress" not in part:
                self.put(part)
        return self.stopped


class Engine:
    """The thread that loads llama.cpp, feeds it jobs, and frees it."""

    def __init__(self, file: Path, prompts: Path) -> None:
        self.loaded = threading.Event()
        self._file = file
        self._prompts = prompts
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._current: Job | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="embedded model", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Queue *job*."""
        self._jobs.put(job)

    def close(self) -> None:
        """Stop what is running and wait for the thread, but never long."""
        self._closed = True
        if job := self._current:
            job.stopped = True
        self._jobs.put(None)
        self._thread.join(LEAVE_S)

    def _work(self) -> None:
        private = tempfile.mkdtemp(prefix="cococat-")
        try:
            self._serve(PromptCache(self._prompts, f"{private}/engine.sock", secrets.token_hex(32)))
        finally:
            shutil.rmtree(private, ignore_errors=True)

    def _serve(self, kept: PromptCache) -> None:
        server: Any = None
        broken: ProviderError | None = None
        try:
            engine = import_engine()
            private_dir(kept.folder)
            server = engine.Server(_parameters(engine, self._file, kept))
        except Exception as error:  # noqa: BLE001 - whoever waits for a reply must hear of it
            hint = f"check the file; `rm '{self._file}'` if cococat unpacked it"
            broken = ProviderError(Problem("model_load", f"the model {self._file} cannot be loaded: {error}", hint))
        self.loaded.set()
        fresh = hasattr(socket, "AF_UNIX")
        while (job := self._jobs.get()) is not None:
            self._current = job
            if fresh and job.prefix and server:
                fresh = False
                _prepare(server, job, kept, self._file)
                shutil.rmtree(Path(kept.listen).parent, ignore_errors=True)
            if broken:
                job.put(broken)
            elif not (job.stopped or self._closed):
                _answer(server, job)
            job.put(None)


def _prepare(server: Any, job: Job, kept: PromptCache, file: Path) -> None:
    """Take what was read of the prompt's beginning from disk, or read it now and keep it there."""
    beginning = job.body["messages"][: job.prefix]
    with suppress(Exception):  # the job itself will say what is wrong
        name = kept.name_for(file, beginning)
        if kept.load(name):
            return
        body = {"messages": beginning, "max_tokens": 1, "stream": True, "return_progress": True}
        server.handle_chat_completions(body, lambda _: job.stopped)
        if not job.stopped:
            kept.save(name)


def _answer(server: Any, job: Job) -> None:
    try:
        server.handle_chat_completions(dict(job.body), job.take)
    except Exception as error:  # noqa: BLE001 - whoever waits for a reply must hear of it
        problem = Problem("embedded", f"the embedded model refused the request: {error}", "use another --model")
        job.put(ProviderError(problem))


def _parameters(engine: Any, file: Path, kept: PromptCache) -> Any:
    parameters = engine.CommonParams()
    parameters.model.path = str(file)
    parameters.n_ctx, parameters.n_parallel, parameters.n_batch = WINDOW, 1, BATCH
    threads = min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2)
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.use_jinja, parameters.warmup, parameters.verbosity = True, False, -1
    parameters.ui = parameters.endpoint_slots = False
    parameters.cache_ram_mib, parameters.n_threads_http = CACHE_MIB, 1
    parameters.api_keys = [kept.key]
    if hasattr(socket, "AF_UNIX") and len(os.fsencode(kept.listen)) < MAX_SOCKET:
        parameters.hostnames, parameters.slot_save_path = [kept.listen], f"{kept.folder}{os.sep}"
    return parameters


def import_engine() -> Any:
    """Import llama.cpp, with threads that sleep while they wait: spinning ones are 50 times slower on busy cores."""
    waiting = os.environ.get("OMP_WAIT_POLICY")
    os.environ["OMP_WAIT_POLICY"] = waiting or "passive"  # read once, when the library is loaded
    try:
        import xllamacpp
    except ImportError as error:
        if "libgomp" in str(error):
            raise UsageError("the embedded model needs libgomp, which is missing", "apt-get install libgomp1") from None
        raise UsageError(
            f"the embedded model's engine cannot be imported: {error}", "pip install 'cococat[local]'"
        ) from error
    finally:
        if waiting is None:
            del os.environ["OMP_WAIT_POLICY"]  # not for the programs that tools start
    return xllamacpp


def _provider_error(error: Any) -> ProviderError:
    """Put an error of the engine into words."""
    if error.get("type") == "exceed_context_size_error":
        asked, window = error.get("n_prompt_tokens", 0), error.get("n_ctx", WINDOW)
        message = f"the conversation holds {asked:,} tokens, more than the {window:,} of the embedded model"
        return ProviderError(Problem("context_overflow", message, "/compact, /new, or a model with a larger window"))
    message = f"the embedded model failed: {error.get('message', 'no reason given')}"
    return ProviderError(Problem("embedded", message, "try again, or use another --model"))


def prefix_of(messages: Sequence[Message]) -> int:
    """Count the messages that are the same in every session: up to the last example's answer."""
    own = next((i for i, m in enumerate(messages) if isinstance(m, User) and not m.synthetic), len(messages))
    return max((i + 1 for i, m in enumerate(messages[:own]) if isinstance(m, Assistant)), default=0)


@dataclass(frozen=True, slots=True)
class PromptCache:
    """
    What the engine has read of a prompt, kept on disk: reading 1500 tokens again takes 10 seconds, this 10 ms.

    Only what comes before the user's own words is kept: instructions, tools, examples. One file at a time, readable by
    its owner alone; it is a cache, and a run without it is slower, no worse. It is reached through the engine's own
    socket file, as it has no other door to it.

    Args:
        folder: where the state is kept.
        listen: path of the socket file.
        key: the engine's key, made for this process.
    """

    folder: Path
    listen: str
    key: str

    def name_for(self, model: Path, prefix: object) -> str:
        """Name the state that *model* has after *prefix*, a JSON value."""
        status = model.stat()
        said = ([str(model), status.st_size, status.st_mtime_ns], prefix)
        return "-".join(sha256(json.dumps(part).encode()).hexdigest()[:16] for part in said) + SUFFIX

    def load(self, name: str) -> bool:
        """Load the state *name*, or another of its model: what that shares with the prompt is not read again."""
        found = [path.name for path in self.folder.glob(f"{name.partition('-')[0]}-*{SUFFIX}")]
        chosen = name if name in found else next(iter(found), "")
        return bool(chosen) and self._ask("restore", chosen) and chosen == name

    def save(self, name: str) -> None:
        """Keep the state as it is now, in the place of any other."""
        part = self.folder / f"{name}.{os.getpid()}"
        with suppress(OSError):
            if not self._ask("save", part.name):
                part.unlink(missing_ok=True)
                return
            part.chmod(0o600)
            for old in self.folder.iterdir():
                if old != part:
                    old.unlink(missing_ok=True)
            part.replace(self.folder / name)

    def _ask(self, action: str, name: str) -> bool:
        import http.client

        connection = http.client.HTTPConnection("localhost", timeout=PATIENCE_S)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"}
        try:
            with closing(connection):
                connection.sock = socket.socket(socket.AF_UNIX)
                connection.sock.settimeout(PATIENCE_S)
                connection.sock.connect(self.listen)
                connection.request("POST", f"/slots/0?action={action}", json.dumps({"filename": name}), headers)
                return connection.getresponse().status == OK
        except (OSError, http.client.HTTPException):
            return False
