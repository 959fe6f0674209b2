"""The long description that an index shows: README.md without what works in a checkout only."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LOCAL = r"(?![a-z][a-z0-9+.-]*:|#)[^)\s]+"  # a path: neither an address nor a place on the page
_PICTURE = re.compile(rf"^!\[[^\]]*\]\({_LOCAL}\)\n+", re.MULTILINE)
_PICTURES = re.compile(r"^<picture>.*?^</picture>\n+", re.MULTILINE | re.DOTALL)  # of one for dark and one for light
_LINK = re.compile(rf"(?<!!)\[([^\]]+)\]\({_LOCAL}\)")


class LongDescription(MetadataHookInterface):
    """Makes `readme` of README.md when a wheel or an sdist is built."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Leave out pictures that lie in the repository; of a link to a file in it keep the words."""
        text = (Path(self.root) / "README.md").read_text("utf-8")
        text = _LINK.sub(r"\1", _PICTURE.sub("", _PICTURES.sub("", text)))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
