"""llama.cpp's own HTTP server on loopback, with the embedded weights: `python llama_cpp.py CACHE WINDOW [KEY]`."""

from __future__ import annotations

import sys
from pathlib import Path

from cococat.model.embedded import import_engine
from cococat.model.weights import find_weights


def main(cache: str, window: str, key: str = "") -> None:
    """Serve until stdin ends; print the address."""
    engine = import_engine()
    parameters = engine.CommonParams()
    parameters.model.path = str(find_weights(Path(cache), lambda done, total: None))
    parameters.model_alias = {"qwen-small"}
    parameters.n_ctx, parameters.n_parallel, parameters.n_batch = int(window), 1, 512
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    parameters.use_jinja, parameters.warmup, parameters.verbosity = True, False, -1
    parameters.ui, parameters.n_threads_http = False, 4
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.api_keys = [key] if key else []
    server = engine.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
