"""Mutants that no test can notice, each with the reason.

Public: EQUIVALENT.
"""

_PATIENCE = "how long a wait lasts changes nothing but the wait"
_OTHER_SYSTEM = "runs only where the system lacks what it asks for"
_SAME_FILE = "by its path it is the same file, unless the folder is swapped in that very moment"
_COUNTED = "`Pending.waiting` counts also the records that were not asked for"
_RETRACTED = "`Pending.retracted` does not depend on how many records are asked for"
_ONE = "of one the last is the first"
_TWICE = "a record that comes twice is dropped a few lines further down"
_NO_TAIL = "only a number above zero is a tail"
_SLOWER = "the line is read whole then, and says the same"
_INDENT = "JSON says the same, however far it is indented"
_MORE = "how many bytes are looked at next changes nothing that is found in them"
_ONCE_MORE = "where the tail is the whole file it is read once more, and says the same"
_NO_FILE = "what is read first is longer than any number that stands for no file"
_NEW_ROUND = "each request begins with no call"
_SWAPPED = "a file that was swapped so often is as good as swapped once more"
EQUIVALENT: dict[str, str] = {
    "file/versions.py keep: 1 -> 2": _INDENT,
    "file/versions.py keep: 1 -> 0": _INDENT,
    "file/state.py write_state: 1 -> 2": _INDENT,
    "file/state.py write_state: 1 -> 0": _INDENT,
    "file/history.py module: 18 -> 19": _MORE,
    "file/history.py module: 18 -> 17": _MORE,
    "file/history.py module: 1 -> 2": _MORE,
    "file/history.py pending: 4 -> 5": _MORE,
    "file/history.py pending: 4 -> 3": _MORE,
    "file/history.py _last_seq: 4 -> 5": _MORE,
    "file/history.py _last_seq: 4 -> 3": _MORE,
    "file/history.py pending: tail >= _size(folder) -> tail > _size(folder)": _ONCE_MORE,
    "file/history.py _last_seq: tail >= size -> tail > size": _ONCE_MORE,
    "file/history.py pending: 0 -> -1": "as a number of records -1 is all of them, like 0",
    "file/place.py _after_torn_line: 1 -> 2 (2)": "behind the last byte there is none to read",
    "file/history.py _after: seq > max(kept) -> seq >= max(kept)": _TWICE,
    "file/history.py _after: seq > cursor -> seq >= cursor": _SLOWER,
    "file/history.py retraction: if not line.startswith(_RETRACTS): -> if False:": _SLOWER,
    "file/history.py _size: 0 -> 1": _NO_FILE,
    "file/history.py _size: 0 -> -1": _NO_FILE,
    "file/history.py _seq: _HEAD.match(line) if line.endswith(b'}\\n') else None -> "
    "_HEAD.match(line) if not line.endswith(b'}\\n') else None": _SLOWER,
    "file/place.py each_line: 0 -> -1": _NO_TAIL,
    "file/place.py each_row: 0 -> -1": _NO_TAIL,
    "file/place.py _folder: raise -> pass": "what was no folder has been refused in the line above",
    "file/place.py module: 20 -> 21": _SWAPPED,
    "file/place.py module: 20 -> 19": _SWAPPED,
    "file/place.py module: 10.0 -> 12.0": _PATIENCE,
    "file/place.py module: 10.0 -> 8.0": _PATIENCE,
    "file/place.py _open: 0 -> 1": _OTHER_SYSTEM,
    "file/place.py _open: 0 -> -1": _OTHER_SYSTEM,
    "file/place.py read_bytes: 0 -> -1": "as a limit -1 is none, like 0",
    "file/place.py remove: sync_folder(folder if descriptor is None else descriptor) -> pass": "only a power cut shows it",
    "file/place.py remove: descriptor is None -> descriptor is not None (2)": _SAME_FILE,
    "file/place.py locked: 0.01 -> 0.012": _PATIENCE,
    "file/place.py locked: 0.01 -> 0.008": _PATIENCE,
    "file/place.py locked: lock.release() -> pass": "the lock goes with its object, at the same moment",
    "file/place.py _folder: os.open not in os.supports_dir_fd -> os.open in os.supports_dir_fd": _SAME_FILE,
    "file/place.py _folder: _check_folder(folder, folder.lstat()) -> pass": _OTHER_SYSTEM,
    "file/journal.py _meant: 0 -> -1": _ONE,
    "dream/watch.py Watch.__init__: 0 -> 1 (3)": _NEW_ROUND,
    "dream/watch.py Watch.__init__: 0 -> -1 (3)": _NEW_ROUND,
    "words.py _split: 1 -> 2": "behind its last character a run has none, and an empty part is dropped",
    "words.py similarity: not first or not second -> not first and (not second)": "with one side empty it is 0 either way",
    "dream/compact.py _parts: 2 -> 3": "what is less than half a part is one, counted as a whole or line by line",
    "file/journal.py commit: still_the_same() -> pass": "the file is looked at once more right before it is replaced",
    "file/journal.py _check_said: 1 -> 2 (2)": _RETRACTED,
    "file/journal.py _check_said: 1 -> 0 (2)": _RETRACTED,
    "file/document.py encoded: 1 -> 2": "only the first of them is looked at",
    "file/document.py encoded: 0 -> -1": _ONE,
    "file/document.py encoded: 0 -> -1 (3)": _ONE,
    "dream/plan.py free_look: 0 -> 1": _PATIENCE,
    "dream/settle.py _failed: 0 -> -1 (2)": _ONE,
    "dream/settle.py _park: 0 -> -1": _ONE,
    "dream/plan.py due_now: 1 -> 2": _COUNTED,
    "dream/plan.py due_now: 1 -> 0": _COUNTED,
    "dream/review.py decide: 0 -> 1": _PATIENCE,
    "file/versions.py runs: 0 -> -1": "a tail that is longer than the file is the whole of it",
    "file/versions.py runs: 0 -> -1 (2)": "as a tail -1 is the whole file, like 0",
    "judge/floor.py _follows: 1 -> 2 (3)": "without a day the date is looked at only for whether it is one",
}
