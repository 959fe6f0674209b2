"""The tier of macOS: a profile for `sandbox-exec`, made of the same bounds."""

from __future__ import annotations

from cococat.sandbox.bounds import Bounds


def profile(bounds: Bounds) -> str:
    """Return the profile, in the language of Seatbelt; the later of two rules that fit decides."""
    read = "".join(f" (subpath {_text(path)})" for path in (*bounds.read, bounds.root, bounds.private, *bounds.write))
    write = "".join(f" (subpath {_text(path)})" for path in (bounds.root, bounds.private, *bounds.write))
    network = "(allow network*)" if bounds.network else '(allow network* (local ip "localhost:*"))'
    rules = [
        "(version 1)",
        "(deny default)",
        "(allow process-fork) (allow process-exec) (allow signal (target same-sandbox)) (allow sysctl-read)",
        "(allow mach-lookup) (allow file-read-metadata) (allow pseudo-tty)",
        f'(allow file-read* (literal "/") (subpath "/dev") (subpath "/private/etc"){read})',
        f'(allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/ttys"){write})',
        network,
    ]
    rules += [f"(deny file-write* (subpath {_text(path)}))" for path in bounds.fixed if not path.endswith("/.git")]
    rules += [f"(deny file-write-unlink (literal {_text(path)}))" for path in bounds.fixed]
    rules += [f"(deny file-read* file-write* (subpath {_text(path)}))" for path in bounds.hidden]
    return "\n".join(rules)


def _text(path: str) -> str:
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"') + '"'
