"""`cococat chat` whose half hour of waiting lasts as long as the first word says, in seconds."""

import os
import sys
from pathlib import Path

from cococat.app.chat import repl
from cococat.config import Options, load

if __name__ == "__main__":
    idle_s, base_url, root = sys.argv[1:]
    flags = {"model.base_url": base_url, "model.name": "scripted", "memory.dream_min_records": 1}
    code = repl.chat(load(None, os.environ, flags), Options(root=Path(root)), (), idle_s=float(idle_s))
    sys.stdout.flush()
    os._exit(code)
