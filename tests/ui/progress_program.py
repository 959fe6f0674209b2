"""Work whose progress tests look at, on a terminal or off it; `later` is over when a test says so."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from cococat.app.sessions import browse
from cococat.app.sessions.prune import Keep, prune
from cococat.config import find_folders, load
from cococat.ui.screen.progress import progress, stages


def main() -> None:
    at_once = partial(progress, after_s=0)
    match sys.argv[1]:
        case "later":
            with progress("quick") as tell:
                tell(1, 2)
            with progress("counting") as tell:
                tell(1, 4)
                Path(sys.argv[2]).read_text()  # a named pipe: the test says when it is over
        case "first":
            with stages("dreaming") as bar:
                bar.show("reading record 1 of 2", 0, 2)
                Path(sys.argv[2]).read_text()
                bar.show("reading record 2 of 2", 1, 2)
                Path(sys.argv[2]).read_text()
                bar.show("compacting", 0, 4)
                Path(sys.argv[2]).read_text()
        case "search":
            browse.search(find_folders(os.environ), "parser", limit=0, bars=at_once)
        case "prune":
            prune(load(None, dict(os.environ), {}), Keep(count=1), dry_run=False, yes=True, bars=at_once)
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main()
