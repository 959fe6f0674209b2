"""What of git only reads."""

from __future__ import annotations

from cococat.permissions.reads import Reads, reads

__all__ = ["GIT"]

_DIFF_LONG = (
    "stat numstat shortstat summary name-only name-status patch no-patch unified raw color no-color color-words word-diff "
    "word-diff-regex cached staged diff-filter find-renames find-copies ignore-space-change ignore-all-space ignore-blank-lines "
    "ignore-space-at-eol function-context exit-code quiet check minimal patience histogram diff-algorithm no-ext-diff no-textconv "
    "no-prefix relative abbrev full-index binary text merge-base no-renames dirstat compact-summary submodule ignore-submodules "
    "inter-hunk-context pickaxe-all pickaxe-regex no-pager"
)
_LOG_LONG = (
    f"{_DIFF_LONG} oneline graph all branches tags remotes decorate no-decorate decorate-refs first-parent merges no-merges reverse "
    "since until after before author committer grep all-match invert-grep format pretty date follow max-count skip "
    "abbrev-commit no-abbrev-commit topo-order date-order author-date-order left-right cherry cherry-pick cherry-mark "
    "simplify-by-decoration full-history ancestry-path source walk-reflogs relative-date parents children "
    "boundary count not fixed-strings extended-regexp perl-regexp regexp-ignore-case notes no-notes stdin no-walk cc min-parents "
    "max-parents remove-empty log-size"
)
_GIT_DIFF = reads("pusRabwWzMCBDrtc", _DIFF_LONG, "SGU", numbers=True)
_GIT_LOG = reads("pusRabwWzMCBDrtcgmiEFP", _LOG_LONG, "SGUnL", numbers=True)
GIT = Reads(
    long=frozenset({"no-pager", "version"}),
    commands={
        "status": reads("sbuvz", "short branch porcelain long verbose untracked-files ignored show-stash ahead-behind renames no-renames column", numbers=True),
        "log": _GIT_LOG,
        "show": _GIT_LOG,
        "whatchanged": _GIT_LOG,
        "rev-list": _GIT_LOG,
        "shortlog": reads("nsec", f"{_LOG_LONG} numbered summary email group", numbers=True),
        "diff": _GIT_DIFF,
        "diff-tree": _GIT_DIFF,
        "diff-index": _GIT_DIFF,
        "diff-files": _GIT_DIFF,
        "range-diff": _GIT_DIFF,
        "blame": reads("bcefhlnpstw", "porcelain line-porcelain incremental root show-stats show-name show-number show-email date score-debug color-lines color-by-age since ignore-rev", "LMC", numbers=True),
        "grep": reads("aciEFGhHIlLnopPqrvwW", "cached untracked no-index exclude-standard no-exclude-standard text ignore-case word-regexp invert-match extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches files-without-match only-matching count color no-color break heading show-function and or not all-match quiet max-depth recursive null after-context before-context context", "ABCemf", numbers=True),
        "ls-files": reads("cdmosuktvz", "cached deleted modified others ignored stage unmerged killed exclude-standard error-unmatch full-name abbrev deduplicate eol directory no-empty-directory exclude", "x"),
        "ls-tree": reads("rtdlz", "name-only name-status object-only full-name full-tree abbrev long format"),
        "cat-file": reads("tsep", "", "", operands=2),
        "rev-parse": reads("q", "show-toplevel show-prefix show-cdup git-dir abbrev-ref short verify quiet is-inside-work-tree is-bare-repository symbolic symbolic-full-name all branches tags remotes absolute-git-dir git-common-dir show-superproject-working-tree revs-only no-revs since until not"),
        "describe": reads("", "all tags contains abbrev candidates exact-match debug long match exclude always first-parent dirty broken"),
        "merge-base": reads("a", "all octopus independent is-ancestor fork-point"),
        "name-rev": reads("", "tags refs exclude all name-only no-undefined always"),
        "for-each-ref": reads("", "count sort format color points-at merged no-merged contains no-contains ignore-case"),
        "show-ref": reads("dqs", "head heads tags branches dereference hash verify quiet abbrev exists"),
        "count-objects": reads("vH", "verbose human-readable"),
        "check-ignore": reads("qvnz", "quiet verbose non-matching no-index"),
        "check-attr": reads("az", "all cached"),
        "branch": reads("arv", "all remotes list verbose show-current contains no-contains merged no-merged points-at sort format column color no-color abbrev no-abbrev ignore-case", operands=0),
        "tag": reads("nl", "list contains no-contains merged no-merged points-at sort format column", numbers=True, operands=0),
        "remote": reads("v", "verbose", operands=0),
        "stash": Reads(commands={"list": _GIT_LOG, "show": _GIT_DIFF}),
        "worktree": Reads(commands={"list": reads("vz", "porcelain verbose", operands=0)}),
        "reflog": Reads(commands={"show": _GIT_LOG}),
        "submodule": Reads(commands={"status": reads("", "recursive cached")}),
        "version": reads("", "build-options", operands=0),
    },
)  # fmt: skip
