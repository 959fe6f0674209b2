"""Mutants that no test can notice, each with the reason.

Public: EQUIVALENT.
"""

_PATIENCE = "how long a wait lasts changes nothing but the wait"
_OTHER_SYSTEM = "runs only where the system lacks what it asks for"
_SAME_FILE = "by its path it is the same file, unless the folder is swapped in that very moment"
_COUNTED = "`Pending.waiting` counts also the records that were not asked for"
_RETRACTED = "`Pending.retracted` does not depend on how many records are asked for"
_ONE = "of one the last is the first"
_NUMBER = "any number stands for a record that there is not"
_TWICE = "a record that comes twice is dropped a few lines further down"
_NO_TAIL = "only a number above zero is a tail"
_SLOWER = "the line is read whole then, and says the same"
_INDENT = "JSON says the same, however far it is indented"
_MORE = "how many bytes are looked at next changes nothing that is found in them"
_ONCE_MORE = "where the tail is the whole file it is read once more, and says the same"
_NO_FILE = "what is read first is longer than any number that stands for no file"
_NEW_ROUND = "each request begins with no call"
_SWAPPED = "a file that was swapped so often is as good as swapped once more"
_NONE_HELD = "where nothing was typed there is nothing that could be best"
_NO_TURNS = "a range of fewer than none has no turns either"
_NOT_ITSELF = "a part is not set against itself, so that no two have one number"
_NOT_THERE = "what was not typed begins nowhere where something typed does"
_NOT_ALONE = 'an "and" and one word tell of nobody, with the "and" and without'
_OPENED = 'an "I" right behind the "and" has opened a clause already'
_ANY_DAY = "any day does where each that follows from it is left open"
_NO_GROUP = "a group behind the last one has no words"
EQUIVALENT: dict[str, str] = {
    "audit.py module: 0 -> -1 (12)": _ONE,
    "audit.py module: 0 -> 1 (13)": _OTHER_SYSTEM,
    "audit.py module: 0 -> -1 (13)": _OTHER_SYSTEM,
    "audit.py folder_of: 1024 -> 1025": _OTHER_SYSTEM,
    "audit.py folder_of: 1024 -> 1023": _OTHER_SYSTEM,
    "cjk.py clauses: 0 -> 1": _NUMBER,
    "cjk.py clauses: 0 -> -1": _NUMBER,
    "claims.py claims: 1 -> 2 (4)": _NOT_ALONE,
    "claims.py _clauses: 1 -> 2 (4)": _OPENED,
    "claims.py _subject: 0 -> -1": _ONE,
    "slots.py _before: at < words.index(own) -> at <= words.index(own)": _NOT_ITSELF,
    "slots.py _prepositions: 0 -> -1": "any word of a group names it",
    "cjk_words.py Words.chunks: start < first -> start <= first": _NOT_THERE,
    "cjk_words.py Words._pieces: at < end -> at <= end": "nothing stands at the end of a text",
    "doubt.py _passes: 0 -> -1": "no word stands before the first",
    "roles.py Comparison._of_another: 1 -> 2": _NO_GROUP,
    "slots.py _filled: there.at > part.at -> there.at >= part.at": _NOT_ITSELF,
    "own_lines.py own_lines: 0 -> -1": _NO_TURNS,
    "own_lines.py _of_somebody: 1 -> 2": "any number below zero stands for no word",
    "own_lines.py _spans: 1 -> 0": "a span without a character is too short",
    "own_lines.py own_lines: 0 -> 1": "of sentences that there are not none holds enough",
    "cjk_words.py Words.near: 0 -> 1 (2)": _NONE_HELD,
    "cjk_words.py Words.near: 0 -> -1 (2)": _NONE_HELD,
    "roles.py Comparison._nearest: 0 -> 1": _NONE_HELD,
    "roles.py Comparison._nearest: 0 -> -1": _NONE_HELD,
    "versions.py keep: 1 -> 2": _INDENT,
    "versions.py keep: 1 -> 0": _INDENT,
    "state.py write_state: 1 -> 2": _INDENT,
    "state.py write_state: 1 -> 0": _INDENT,
    "exchanges.py module: 18 -> 19": _MORE,
    "exchanges.py module: 18 -> 17": _MORE,
    "exchanges.py module: 1 -> 2": _MORE,
    "exchanges.py pending: 4 -> 5": _MORE,
    "exchanges.py pending: 4 -> 3": _MORE,
    "exchanges.py _last_seq: 4 -> 5": _MORE,
    "exchanges.py _last_seq: 4 -> 3": _MORE,
    "exchanges.py pending: tail >= _size(folder) -> tail > _size(folder)": _ONCE_MORE,
    "exchanges.py _last_seq: tail >= size -> tail > size": _ONCE_MORE,
    "exchanges.py pending: 0 -> -1": "as a number of records -1 is all of them, like 0",
    "place.py _after_torn_line: 1 -> 2 (2)": "behind the last byte there is none to read",
    "exchanges.py _after: seq > max(kept) -> seq >= max(kept)": _TWICE,
    "exchanges.py _after: seq > cursor -> seq >= cursor": _SLOWER,
    "exchanges.py retraction: if not line.startswith(_RETRACTS): -> if False:": _SLOWER,
    "exchanges.py _size: 0 -> 1": _NO_FILE,
    "exchanges.py _size: 0 -> -1": _NO_FILE,
    "exchanges.py _seq: _HEAD.match(line) if line.endswith(b'}\\n') else None -> "
    "_HEAD.match(line) if not line.endswith(b'}\\n') else None": _SLOWER,
    "json_lines.py each_line: 0 -> -1": _NO_TAIL,
    "json_lines.py each_row: 0 -> -1": _NO_TAIL,
    "place.py _folder: raise -> pass": "what was no folder has been refused in the line above",
    "edits.py unasked: tokens(line) <= tokens(other) -> tokens(line) < tokens(other)": "equal words are similar already",
    "place.py module: 20 -> 21": _SWAPPED,
    "place.py module: 20 -> 19": _SWAPPED,
    "place.py module: 10.0 -> 12.0": _PATIENCE,
    "place.py module: 10.0 -> 8.0": _PATIENCE,
    "place.py _open: 0 -> 1": _OTHER_SYSTEM,
    "place.py _open: 0 -> -1": _OTHER_SYSTEM,
    "place.py read_bytes: 0 -> -1": "as a limit -1 is none, like 0",
    "place.py remove: sync_folder(folder if descriptor is None else descriptor) -> pass": "only a power cut shows it",
    "place.py remove: descriptor is None -> descriptor is not None (2)": _SAME_FILE,
    "place.py locked: 0.01 -> 0.012": _PATIENCE,
    "place.py locked: 0.01 -> 0.008": _PATIENCE,
    "place.py locked: lock.release() -> pass": "the lock goes with its object, at the same moment",
    "place.py _folder: os.open not in os.supports_dir_fd -> os.open in os.supports_dir_fd": _SAME_FILE,
    "place.py _folder: _check_folder(folder, folder.lstat()) -> pass": _OTHER_SYSTEM,
    "quotes.py _quote: 0 -> -1": _ONE,
    "undo.py _meant: 0 -> -1": _ONE,
    "watch.py Watch.__init__: 0 -> 1 (3)": _NEW_ROUND,
    "watch.py Watch.__init__: 0 -> -1 (3)": _NEW_ROUND,
    "why.py _moments: 0 -> -1": "the numbers of records begin at 1",
    "words.py _split: 1 -> 2": "behind its last character a run has none, and an empty part is dropped",
    "words.py similarity: not first or not second -> not first and (not second)": "with one side empty it is 0 either way",
    "cjk_people.py unnamed: if not re.search('[他她彼]', text): -> if False:": "who is spoken of is looked for then, and nobody found",
    "dates.py calendar: 0 -> -1": "only 1 to 12 is a month",
    "compact.py _parts: 2 -> 3": "what is less than half a part is one, counted as a whole or line by line",
    "confirmations.py confirmed: 0 -> -1 (3)": _ONE,
    "commit.py commit: still_the_same() -> pass": "the file is looked at once more right before it is replaced",
    "commit.py _check_said: 1 -> 2 (2)": _RETRACTED,
    "commit.py _check_said: 1 -> 0 (2)": _RETRACTED,
    "file.py encoded: 1 -> 2": "only the first of them is looked at",
    "file.py encoded: 0 -> -1": _ONE,
    "file.py encoded: 0 -> -1 (3)": _ONE,
    "facts.py _heading_words: 0 -> 1": _NUMBER,
    "facts.py _heading_words: 0 -> -1": _NUMBER,
    "look.py free_look: 0 -> 1": _PATIENCE,
    "outcome.py _failed: 0 -> -1 (2)": _ONE,
    "outcome.py _park: 0 -> -1": _ONE,
    "plan.py due_now: 1 -> 2": _COUNTED,
    "plan.py due_now: 1 -> 0": _COUNTED,
    "review.py decide: 0 -> 1": _PATIENCE,
    "runs.py runs: 0 -> -1": "a tail that is longer than the file is the whole of it",
    "runs.py runs: 0 -> -1 (2)": "as a tail -1 is the whole file, like 0",
    "ja_doubt.py module: 57344 -> 57345": "any character of private use does",
    "ja_doubt.py module: 2000 -> 2001": _ANY_DAY,
    "ja_doubt.py module: 2000 -> 1999": _ANY_DAY,
    "ja_doubt.py module: 1 -> 2": _ANY_DAY,
    "ja_doubt.py module: 1 -> 2 (2)": _ANY_DAY,
}
