"""`cococat chat` whose waiting lasts as long as the words say, in seconds: at the prompt, and at the end of a turn's steps."""

import os
import sys
from pathlib import Path

from cococat.app.chat import repl
from cococat.config import Options, load

if __name__ == "__main__":
    idle_s, base_url, root, *go_on_s = sys.argv[1:]
    more = {"go_on_s": float(*go_on_s)} if go_on_s else {}
    flags = {"model.base_url": base_url, "model.name": "scripted", "memory.dream_min_records": 1}
    code = repl.chat(load(None, os.environ, flags), Options(root=Path(root)), (), idle_s=float(idle_s), **more)
    sys.stdout.flush()
    os._exit(code)
