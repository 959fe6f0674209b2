"""Tables of programs: which words after them prove that they only read, and which programs never only read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ANY = 1_000_000


@dataclass(frozen=True, slots=True)
class Reads:
    """
    What of one program, or of one command of it, only reads; whatever is not named here is asked for.

    Args:
        flags: letters of short options without a value.
        valued: letters of short options whose value is the rest of the word, or the next one.
        long: names of long options, whole; a value stands behind `=`.
        numbers: digits may stand among short options, as in `-5` or `-U3`.
        dashed: an expression for whole words that begin with a dash, as `find` has them.
        operands: how many other words there may be; the one after the last could be a file to write.
        operand: an expression for each of them.
        first: the same for the first one, where that is a script.
        tail: what stands behind `--` goes to a script that the words before have named.
        commands: what each first word means, where a program has commands; no other is read.
    """

    flags: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    numbers: bool = False
    dashed: str = ""
    operands: int = ANY
    operand: str = ""
    first: str = ""
    tail: bool = False
    commands: Mapping[str, Reads] = field(default_factory=dict)


def reads(flags: str = "", long: str = "", valued: str = "", **more: object) -> Reads:
    """Write a table shortly: *long* names are parted by blanks."""
    return Reads(flags, valued, frozenset(long.split()), **more)  # type: ignore[arg-type]  # named in the class


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


# ruff: noqa: SIM905 - long lists of words read better as a text

_INSIDE = r"(?![/~])(?!(?:.*/)?\.\.(?:/|$)).+"  # a path that does not leave the folder
_ADDRESS = r"(?:\d+|\$|/[^/\\;{}\n]*/)"
_SED = rf"(?:{_ADDRESS}(?:,(?:{_ADDRESS}|\+\d+))?)?!?(?:[pdqQ=l]|s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpI\d]*)"
_AWK = reads("", "", "Fv", first=r"(?!.*(?:system|getline|[|>@`]|/inet)).*", operand=r"(?!.*[|>@`]).*")
_GREP = reads(
    "acEFGhHiIlLnoPqrRsvwxyzZ",
    "color colour count extended-regexp fixed-strings perl-regexp ignore-case no-ignore-case invert-match word-regexp line-regexp "
    "files-with-matches files-without-match line-number with-filename no-filename only-matching quiet silent no-messages "
    "recursive dereference-recursive include exclude exclude-dir after-context before-context context max-count text null "
    "regexp binary-files",
    "ABCem",
    numbers=True,
)
_SUM = reads("bctwz", "check binary text quiet status strict warn tag zero ignore-missing")
_PYTEST = reads(
    "xqvslh",
    "lf last-failed ff failed-first nf sw stepwise tb maxfail collect-only co durations durations-min exitfirst verbose quiet "
    "no-header no-summary strict-markers strict-config showlocals color capture markers fixtures version setup-show runxfail "
    "timeout dist numprocesses disable-warnings",
    "kmnrW",
    operand=_INSIDE,
)
_RUFF = Reads(
    commands={
        "check": reads("qvs", "select ignore extend-select extend-ignore quiet verbose silent statistics no-fix no-cache diff show-files show-settings output-format exit-zero preview line-length target-version", operand=_INSIDE),
        "rule": reads("", "all output-format", operands=1),
    }
)  # fmt: skip
_MYPY = reads("v", "strict verbose pretty show-error-codes show-error-context no-error-summary ignore-missing-imports explicit-package-bases namespace-packages version", "pm", operand=_INSIDE)  # fmt: skip
_NPM_LIST = reads("agl", "all depth json long global omit production parseable")

PROGRAMS: Mapping[str, Reads] = {
    "git": GIT,
    **dict.fromkeys(("grep", "egrep", "fgrep"), _GREP),
    **dict.fromkeys(("awk", "gawk", "mawk"), _AWK),
    **dict.fromkeys(("md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum"), _SUM),
    **dict.fromkeys(("basename", "dirname"), reads("az", "multiple zero suffix", "s")),
    **dict.fromkeys(("true", "false", "pwd", "whoami", "arch", "nproc", "tty", "groups", "uptime"), reads("LPapsl", "all")),
    **dict.fromkeys(("zcat", "bzcat", "xzcat", "zstdcat"), reads("fqv")),
    **dict.fromkeys(("ruff",), _RUFF),
    **dict.fromkeys(("pytest", "py.test"), _PYTEST),
    "mypy": _MYPY,
    "rg": reads(
        "acFHiIlLnNopPsSuUvwx",
        "after-context before-context context case-sensitive color colors column count count-matches crlf debug files "
        "files-with-matches files-without-match fixed-strings follow glob iglob heading hidden ignore-case invert-match json "
        "line-number line-regexp max-columns max-count max-depth max-filesize multiline no-config no-filename no-heading "
        "no-hidden no-ignore no-ignore-vcs no-line-number no-messages null only-matching passthru pcre2 pretty quiet regexp "
        "replace smart-case sort sortr stats text trim type type-not type-list unrestricted vimgrep with-filename word-regexp",
        "ABCegmtTrdjM",
        numbers=True,
    ),
    "find": reads(
        "HLP",
        dashed=r"-(name|iname|path|ipath|wholename|iwholename|regex|iregex|regextype|type|xtype|size|empty|maxdepth|mindepth|depth|"
        r"mtime|atime|ctime|mmin|amin|cmin|newer|newer[aBcm][aBcmt]|anewer|cnewer|perm|user|group|uid|gid|nouser|nogroup|links|inum|"
        r"samefile|lname|ilname|readable|writable|executable|follow|mount|xdev|daystart|noleaf|prune|quit|print|print0|printf|ls|"
        r"true|false|o|or|a|and|not|\d+)",
    ),
    **dict.fromkeys(
        ("fd", "fdfind"),
        reads(
            "HIsiagFLp0q1u",
            "hidden no-ignore case-sensitive ignore-case glob regex fixed-strings absolute-path follow full-path print0 max-depth "
            "min-depth exact-depth extension type exclude size changed-within changed-before max-results color quiet unrestricted "
            "no-ignore-vcs prune one-file-system",
            "detESo",
            numbers=True,
        ),
    ),
    "tree": reads("adflpsuhDFqNQirtUxXJCnA", "dirsfirst noreport gitignore prune filelimit charset du si inodes device", "LIP"),
    "ls": reads(
        "aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1",
        "all almost-all author block-size classify color directory dereference file-type format full-time group-directories-first "
        "human-readable hide ignore indicator-style inode kibibytes literal no-group numeric-uid-gid quoting-style quote-name "
        "recursive reverse show-control-chars si size sort time time-style width zero context",
        "ITw",
    ),
    "cat": reads("AbeEnstTuv", "show-all number number-nonblank show-ends show-tabs squeeze-blank show-nonprinting"),
    "tac": reads("br", "before regex separator", "s"),
    "rev": reads(),
    "head": reads("qvz", "lines bytes quiet silent verbose zero-terminated", "nc", numbers=True),
    "tail": reads("fFqvz", "lines bytes follow quiet silent verbose retry pid sleep-interval zero-terminated", "ncs", numbers=True),
    "wc": reads("cmlLw", "bytes chars lines max-line-length words total"),
    "nl": reads("p", "body-numbering number-format number-width", "bdfhilnsvw"),
    "cut": reads("snz", "bytes characters delimiter fields complement only-delimited output-delimiter zero-terminated", "bcdf"),
    "tr": reads("cCdst", "complement delete squeeze-repeats truncate-set1"),
    "sort": reads(
        "bcCdfghiMmnRrsuVz",
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort month-sort numeric-sort "
        "random-sort reverse sort version-sort check merge key field-separator stable unique zero-terminated parallel debug",
        "ktS",
    ),
    "uniq": reads("cdDiuz", "count repeated all-repeated unique ignore-case skip-fields skip-chars check-chars group zero-terminated", "fsw", operands=1),
    "comm": reads("123iz", "check-order nocheck-order output-delimiter total zero-terminated", numbers=True),
    "join": reads("iz", "ignore-case check-order nocheck-order header", "aevjt12o"),
    "paste": reads("sz", "serial delimiters zero-terminated", "d"),
    "column": reads("txnJe", "table separator output-separator table-columns json", "scoN"),
    "fold": reads("bs", "bytes spaces width", "w", numbers=True),
    "fmt": reads("cstu", "crown-margin split-only tagged-paragraph uniform-spacing width goal", "wgp", numbers=True),
    "expand": reads("i", "initial tabs", "t", numbers=True),
    "unexpand": reads("a", "all first-only tabs", "t", numbers=True),
    "diff": reads(
        "abBcdeEiNnpqrstTuwyZ",
        "brief report-identical-files context unified ed normal rcs side-by-side width left-column suppress-common-lines "
        "show-c-function show-function-line expand-tabs initial-tab recursive no-dereference new-file unidirectional-new-file "
        "ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines "
        "ignore-matching-lines text strip-trailing-cr minimal speed-large-files color exclude label",
        "CUFIWxL",
        numbers=True,
    ),
    "cmp": reads("bls", "print-bytes verbose quiet silent bytes ignore-initial", "in"),
    "stat": reads("Lft", "dereference file-system format printf terse", "c"),
    "file": reads("bhiLkNnprsE0", "brief mime mime-type mime-encoding dereference no-dereference extension keep-going raw"),
    "du": reads("abchHklLmsSxD0", "all apparent-size bytes total human-readable summarize max-depth exclude threshold time one-file-system", "dBt"),
    "df": reads("ahHiklPTm", "all human-readable inodes local portability print-type total output type", "tBx"),
    "xxd": reads("abeEiupdC", "", "cglnos", operands=1),
    "od": reads("abcdfiloshxv", "address-radix read-bytes skip-bytes strings format width output-duplicates", "AjNStw"),
    "hexdump": reads("bcCdovx", "", "ns"),
    "strings": reads("afo", "all print-file-name bytes radix encoding", "ntes", numbers=True, operand="[^@].*"),
    **dict.fromkeys(
        ("nm", "objdump", "readelf", "size"),
        reads("aAghnprstuwCDSThlVWd", "demangle dynamic extern-only numeric-sort undefined-only all header symbols wide sections", operand="[^@].*"),
    ),
    "readlink": reads("efmnqsvz", "canonicalize canonicalize-existing canonicalize-missing no-newline quiet verbose zero"),
    "realpath": reads("emLPqsz", "canonicalize-existing canonicalize-missing logical physical quiet relative-to relative-base strip no-symlinks zero"),
    "which": reads("a", "all"),
    "type": reads("atpPf"),
    "seq": reads("w", "format separator equal-width", "fs", numbers=True),
    "sleep": reads(),
    "id": reads("GgnruZz", "groups group name real user"),
    "uname": reads("amnrspvio", "all kernel-name nodename kernel-release machine operating-system"),
    "hostname": reads("fsidIA", "fqdn short ip-address", operands=0),
    "date": reads("uRI", "utc universal iso-8601 rfc-3339 rfc-email date reference", "dr", operand=r"\+.*"),
    "cal": reads("1376jmysw", "monday sunday year three", "ABn", numbers=True),
    "printenv": reads("0", "null"),
    "locale": reads("am", "all-locales charmaps"),
    "ps": reads("aAcdefFHjlLmMNrsTuvwxyZ", "pid ppid user forest sort format headers no-headers", "ptCouUgG", numbers=True),
    "pgrep": reads("aclfnovxiwA", "list-full list-name full newest oldest count exact", "uUgPtd"),
    "free": reads("bkmghltw", "human mega giga total wide"),
    "lscpu": reads("aeJp", "json all"),
    "lsblk": reads("abdfilmnprtJ", "json all fs paths output", "o"),
    "lsof": reads("nPlatUR", "", "ipucd"),
    "echo": reads(dashed=r".*"),
    "printf": reads(first="[^-].*", operand=r"(?!.*\[.*[$`]).*", dashed=r"-?\d.*"),
    "test": reads(dashed=r"-([abcdefghkLnNOprsSuwxz]|nt|ot|ef|eq|ne|lt|le|gt|ge|o|a)", operand=r"[^\[]*"),
    "[": reads(dashed=r"-([abcdefghkLnNOprsSuwxz]|nt|ot|ef|eq|ne|lt|le|gt|ge|o|a)", operand=r"[^\[]*"),
    "expr": reads(operand=r"[^-].*"),
    "sed": reads("nErsuz", "quiet silent regexp-extended separate unbuffered null-data posix sandbox", first=_SED),
    "jq": reads(
        "rcensSMCjaR", "raw-output compact-output exit-status null-input slurp sort-keys monochrome-output color-output join-output "
        "ascii-output raw-input tab indent arg argjson args jsonargs stream seq raw-output0", numbers=True,
    ),
    "tar": Reads(commands={f"{dash}t{v}{z}f": reads(operand="[^:]*") for dash in ("", "-") for v in ("", "v") for z in ("", *"zjJa")}),
    "unzip": Reads(commands=dict.fromkeys(("-l", "-v", "-Z", "-Z1"), reads())),
    "base64": reads("di", "decode ignore-garbage wrap", "w"),
    "cksum": reads(),
    "zipinfo": reads("12smlvhtTz"),
    "man": reads("kfwa", "apropos whatis where path all", numbers=True, operand=r"[\w.+:-]+"),
    "less": reads("NSRFXEeimrs", "", operand=r"[^+].*"),
    "more": reads("dfpcsu", operand=r"[^+].*"),
    "curl": reads(
        "sSfiILvg46", "silent show-error fail fail-with-body head include location verbose compressed globoff http1.1 http2 ipv4 ipv6 "
        "max-time connect-timeout retry retry-delay no-progress-meter tlsv1.2 tlsv1.3", "m", operand=r"https?://.+",
    ),
    "npm": Reads(
        long=frozenset({"version"}),
        commands={
            **dict.fromkeys(("run", "run-script"), reads("s", "silent if-present", operands=1, operand=r"[\w:.-]+", tail=True)),
            **dict.fromkeys(("ls", "list", "outdated"), _NPM_LIST),
            **dict.fromkeys(("view", "info"), reads("", "json")),
            "test": reads("s", "silent", operands=0, tail=True),
        },
    ),
    **dict.fromkeys(
        ("pip", "pip3"),
        Reads(
            commands={
                "list": reads("o", "outdated uptodate editable local user format not-required include-editable exclude"),
                "show": reads("f", "files"),
                "freeze": reads("l", "all local user exclude"),
                "check": reads(operands=0),
            }
        ),
    ),
    **dict.fromkeys(
        ("docker", "podman"),
        Reads(
            commands={
                "ps": reads("aqnls", "all quiet no-trunc size latest last filter format"),
                "images": reads("aq", "all quiet digests no-trunc filter format"),
                "logs": reads("ft", "follow timestamps tail since until details", "n"),
                "inspect": reads("s", "format size type", "f"),
                "version": reads(operands=0),
                "info": reads(operands=0),
                "top": reads(),
                "port": reads(),
                "diff": reads(),
            }
        ),
    ),
    "kubectl": Reads(
        commands={
            **dict.fromkeys(
                ("get", "describe"),
                reads("Aw", "all-namespaces namespace selector field-selector show-labels sort-by watch no-headers", "nl", operand=r"[\w/.,*-]+"),
            ),
            "logs": reads("fp", "follow previous tail since timestamps all-containers container namespace prefix", "cnl"),
            "version": reads("", "client short", operands=0),
        }
    ),
    "systemctl": Reads(
        commands={
            name: reads("alq", "all no-pager full lines type state quiet failed", "nt")
            for name in ("status", "show", "is-active", "is-enabled", "is-failed", "list-units", "list-unit-files", "list-timers", "cat")
        }
    ),
    "journalctl": reads("aefkmqrx", "no-pager since until unit boot lines output reverse grep priority follow", "bgnoptuSU"),
    "go": Reads(
        commands={
            "version": reads(),
            "env": reads(operand=r"[A-Z0-9]+"),
            "doc": reads(dashed="-(all|short|src|u|c)"),
            "vet": reads(operand=_INSIDE),
            "test": reads(dashed=r"-(v|short|race|failfast|run(=.*)?|count(=\d+)?|bench(=.*)?|timeout(=.*)?|cover|json)", operand=_INSIDE),
        }
    ),
    "cargo": Reads(
        commands={
            name: reads("qv", "all all-features all-targets lib bins tests release quiet verbose workspace locked offline no-run", "p", operand=r"[\w:]+")
            for name in ("test", "check", "tree")
        }
    ),
}  # fmt: skip
MODULES: Mapping[str, Reads] = {
    "unittest": reads("vqfbc", "verbose quiet failfast buffer catch locals", "kspt", operand=r"[\w.:/-]+"),
    "pytest": _PYTEST,
    "mypy": _MYPY,
    "ruff": _RUFF,
    "pip": PROGRAMS["pip"],
}
# read the files that they are told to and nothing else; `unasked` says of some which of their options do
READERS = frozenset(
    "ls cat tac rev head tail wc nl cut sort uniq comm join paste column fold fmt expand unexpand cmp stat file find tree du "
    "basename dirname pwd true false date grep egrep fgrep md5sum sha1sum sha256sum sha512sum od hexdump git rg sed jq diff which echo".split()
)
INTERPRETERS = frozenset(
    "python python3 perl ruby node nodejs php lua luajit deno bun Rscript julia tclsh guile groovy".split()
)
# programs whose operands are commands, code or names that a shell evaluates
EVALUATORS = frozenset(
    "read let declare typeset local export readonly unset mapfile readarray getopts set shopt enable hash bind complete compgen "
    "compopt history fc alias unalias wait jobs disown ulimit umask select return exit vi vim nvim view vimdiff ex ed emacs "
    "emacsclient nano sqlite3 sqlite psql mysql mariadb mysqldump mongo mongosh redis-cli duckdb dc bc m4 gdb lldb valgrind perf "
    "rlwrap unbuffer expect wish osascript pwsh powershell cmd screen tmux socat nc ncat netcat telnet ftp lftp sftp scp rsync wget "
    "aria2c gnuplot octave R ghci ghc scala erl elixir iex jshell swift java javaw dotnet mono wine npx bunx pnpx uvx pipx uv "
    "poetry pipenv hatch bundle rake gradle gradlew mvn ant tox nox just invoke fab ansible ansible-playbook vagrant terraform "
    "crontab at batch xdg-open open systemd-run firejail bwrap proot fakeroot unshare gpg openssl gcc g++ cc c++ clang ld as "
    "split csplit yq ip iptables mount umount kill killall pkill shutdown reboot systemd-nspawn machinectl loginctl ld.so "
    "run-parts run-mailcap sensible-editor sensible-pager editor pager logsave dbus-run-session sg newgrp pkexec gosu chpst "
    "catchsegv cpulimit prlimit numactl hyperfine fzf parallel pee sponge ts vidir vipe zsh tcsh csh rc es nu elvish xonsh".split()
)
# programs whose business it is to write: each word has to be the user's own
WRITERS = frozenset(
    "rm rmdir unlink shred mv cp ln install dd truncate tee touch mkdir mkfifo mknod mktemp chmod chown chgrp chattr setfacl zip "
    "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd 7z 7za rar unrar ar cpio patch sdiff ctags etags shuf iconv dos2unix unix2dos "
    "pandoc convert ffmpeg sips indent clang-format black isort prettier eslint rustfmt gofmt autopep8 yapf".split()
)
