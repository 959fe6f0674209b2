"""What a user typed in sessions that were dreamed of long ago: controls for a judge are made of it.

Public: EARLIER, said_earlier.
"""

from dataclasses import replace
from datetime import UTC, datetime

from cococat.memory.file import history
from cococat.memory.file.history import Exchange, Said
from cococat.memory.file.journal import update

EARLIER = (
    "the boiler in the basement takes about 14 minutes to warm up",
    "my neighbour Ottilie repairs old violins on weekends",
    "we painted the garden fence dark green together",
    "our cat sleeps under the piano most afternoons",
)
LONG_AGO = datetime(2025, 1, 2, 12, 0, tzinfo=UTC)


def said_earlier(folder):
    """Put it into the history of *folder*, read by a dream already."""
    for number, text in enumerate(EARLIER):
        history.append(folder, Exchange(f"S0{number}", (Said("typed", text),), "Noted."), now=LONG_AGO, redact=str)
    update(folder, lambda state: replace(state, cursor=len(EARLIER)))
