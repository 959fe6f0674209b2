"""
The reference servers that people run, really installed: Node ones by npm, Python ones in an environment of their own.

Public: SERVERS, installed, missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from filelock import FileLock

# the program, what it is given, the package, how many tools it has
SERVERS = {
    "everything": (["mcp-server-everything"], "@modelcontextprotocol/server-everything", 15),
    "filesystem": (["mcp-server-filesystem", "."], "@modelcontextprotocol/server-filesystem", 14),
    "memory": (["mcp-server-memory"], "@modelcontextprotocol/server-memory", 9),
    "thinking": (["mcp-server-sequential-thinking"], "@modelcontextprotocol/server-sequential-thinking", 1),
    "git": (["mcp-server-git", "--repository", "."], "mcp-server-git", 12),
    "time": (["mcp-server-time"], "mcp-server-time", 2),
    "fetch": (["mcp-server-fetch"], "mcp-server-fetch", 1),
}
CACHE = Path(tempfile.gettempdir()) / f"cococat-mcp-{os.getuid() if hasattr(os, 'getuid') else 0}"


def missing(name: str) -> str:
    """Why a server cannot be installed here; empty when it can."""
    return "there is no npm" if SERVERS[name][1].startswith("@") and not shutil.which("npm") else ""


def installed(name: str) -> Path:
    """Install a server, once for all runs; give the folder with its program."""
    _, package, _ = SERVERS[name]
    node = package.startswith("@")
    home = CACHE / ("node" if node else "python")
    programs = home / ("node_modules/.bin" if node else "bin")
    home.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{home}.lock"):
        if not (programs / SERVERS[name][0][0]).exists():
            words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", home, package]
            if not node:
                subprocess.run([sys.executable, "-m", "venv", home], check=True, timeout=120)
                words = [programs / "python", "-m", "pip", "-q", "--disable-pip-version-check", "install", package]
            subprocess.run(words, check=True, timeout=300, cwd=home)
    return programs
