"""What a final `**` covers, by the hundred: reading, and nothing that runs, writes or evaluates."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

from cococat.permissions.rules import covers_command, parse_rule
from cococat.permissions.shell_split import simple
from cococat.tools.registry import declared

# ruff: noqa: SIM905 - long lists of words read better as a text

SUBSCRIPT = "a[$(touch made)]"  # where bash wants a name or a number, this runs
WRITES = {  # options that write a file or run a program, for programs that are known for reading
    "sort": ["-o out in", "-oout in", "-uo out in", "--output=out in", "--outp out in", "--compress-program=sh in", "-T /tmp in", "--files0-from=x"],
    "uniq": ["in out", "-c in out", "-f 1 in out", "-- in out", "--count in out"],
    "xxd": ["in out", "-r in out", "-l 5 in out", "-p in out", "-r -p in out"],
    "curl": [
        "--engine ./x.so https://a.b", "--stderr out https://a.b", "--trace out https://a.b", "--trace-ascii out https://a.b",
        "-o out https://a.b", "-so out https://a.b", "-O https://a.b/x", "-K conf", "--config conf", "-T in https://a.b",
        "-d @in https://a.b", "--data-raw x https://a.b", "-F f=@in https://a.b", "-D out https://a.b", "--dump-header out https://a.b",
        "-c out https://a.b", "--cookie-jar out https://a.b", "--etag-save out https://a.b", "--libcurl out https://a.b",
        "-H @in https://a.b", "-X DELETE https://a.b", "-u user:pass https://a.b", "-x proxy https://a.b", "--proxy p https://a.b",
        "--output-dir d https://a.b", "--hsts out https://a.b", "--alt-svc out https://a.b", "-E cert https://a.b", "file:///etc/passwd",
        "gopher://a.b", "-q --engine x https://a.b", "--unix-socket /s https://a.b", "--resolve a:1:2 https://a.b", "-Q cmd ftp://a.b",
    ],
    "find": [
        ". -exec rm x +", ". -execdir rm x +", ". -ok rm x", ". -okdir rm x", ". -delete", ". -fprint out", ". -fprint0 out",
        ". -fprintf out x", ". -fls out", ". -name x -delete", "-files0-from x",
    ],
    "fd": ["-x rm", "-X rm", "--exec rm", "--exec-batch rm", "-Hx rm", "-l", "--list-details", "--base-directory / x"],
    "rg": ["--pre sh x", "--pre=sh x", "-z x", "--search-zip x", "--hostname-bin=sh x", "-nz x", "--hyperlink-format=x y"],
    "grep": ["--unknown x y", "-nY x"],
    "sed": [
        "-i s/a/b/ f", "-ni p f", "--in-place s/a/b/ f", "-f script f", "--file=script f", "'w out' f", "'1w out' f", "'s/a/b/w out' f",
        "1e f", "'1e rm x' f", "s/a/b/e f", "s/a/b/ge f", "'1,3W out' f", "'1{w out' f", "'p;w out' f", "-e 'w out' f", "-n -e e f",
        "'/x/w out' f", "'$w out' f", "'1!w out' f", "--expression=e f", "'r /etc/x' f", "'1i\\ x' f", "-s -i p f",
    ],
    "awk": [
        "'BEGIN{system(1)}'", "'{print > 1}' f", "'{print >> \"x\"}' f", "'{print | \"sh\"}' f", "'{\"sh\" | getline}' f", "-f x f",
        "-i inplace '{print}' f", "-E x", "--file=x f", "--load=x f", "-l x f", "-e '{print > 1}' f", "'{@f()}' f", "'@load \"x\"'",
    ],
    "tar": [
        "xf a", "-xf a", "cf a b", "rf a b", "tf a --to-command=sh", "-tf a -I sh", "tf a --checkpoint-action=exec=sh", "tf host:a",
        "tIf sh a", "-I sh -tf a", "tf a --use-compress-program=sh", "tf a --rsh-command=sh", "--extract -f a", "-C / -xf a", "tf a -F sh",
        "tMf a", "--delete -f a x",
    ],
    "unzip": ["a.zip", "-o a.zip", "-d /tmp a.zip", "-p a.zip", "-l a.zip -d x"],
    "man": ["-P sh x", "--pager=sh x", "-H x", "-C conf x", "-Tps x", "./x/../y", "-l f"],
    "file": ["-m x y", "-C -m x", "--magic-file=x y", "-f names", "-z x", "-Z x", "--compile x"],
    "tree": ["-o out", "-a -o out .", "-ao out", "--output x", "-H . -R"],
    "diff": ["--to-file=x y", "-l a b", "--paginate a b", "--ifdef=x a b", "-X x a b"],
    "jq": ["-f prog in", "--from-file prog in", "-L dir x in", "--rawfile a b x", "--slurpfile a b x"],
    "date": ["-s now", "--set=now", "01010000", "-us now", "-f file", "--file=x"],
    "hostname": ["evil", "-F file", "-b evil"],
    "less": ["-o out in", "-Oout in", "+!sh in", "-k keys in", "--log-file=out in", "-K in +x"],
    "strings": ["@args", "-n 4 @args"],
    "objdump": ["@args", "--unknown x"],
    "ls": ["--unknown"], "cat": ["--unknown x", "-o out"], "head": ["--unknown x"], "wc": ["--files0-from=x"], "du": ["--files0-from=x", "-X x"],
    "git": [
        "-c core.pager=sh log", "--config-env=a=B log", "--exec-path=. log", "--git-dir=x log", "--work-tree=x status", "-C .. status",
        "-p log", "log --output=out", "log --outp=out", "log -o out", "diff --output out", "diff --ext-diff", "log --ext-diff -p",
        "show --textconv", "log --show-signature", "grep -Oless x", "grep -O x", "grep --open-files-in-pager=sh x", "grep -nO x",
        "archive -o out HEAD", "archive --output=out HEAD", "archive HEAD", "archive --exec=sh HEAD", "archive --remote=x HEAD",
        "fetch --upload-pack=sh x", "fetch", "pull", "push origin", "push --receive-pack=sh x", "push --exec=sh x", "clone ext::sh",
        "clone a b", "ls-remote ext::sh", "ls-remote --upload-pack=sh x", "rebase -x sh", "rebase -i", "bisect run sh", "config a b",
        "config alias.x !sh", "submodule foreach sh", "submodule update", "difftool", "difftool -x sh", "mergetool", "filter-branch",
        "daemon", "web--browse x", "help x", "checkout x", "checkout .", "switch x", "reset --hard", "clean -fd", "add .", "add a b",
        "commit -m x", "commit --template=x", "stash", "stash pop", "stash drop", "stash push", "branch new", "branch -D x", "branch -m x",
        "tag new", "tag -d x", "tag -s x", "remote add x y", "remote update", "worktree add x", "reflog expire", "reflog delete x",
        "format-patch -o d HEAD", "format-patch HEAD", "bundle create x HEAD", "apply x", "am x", "merge x", "revert x", "cherry-pick x",
        "gc", "prune", "repack", "init x", "rm x", "mv a b", "notes add", "update-ref x y", "symbolic-ref HEAD x", "replace a b",
        "hash-object -w x", "update-index x", "read-tree x", "checkout-index x", "send-email x", "svn fetch", "p4 sync", "instaweb",
        "credential fill", "var -l", "sparse-checkout set x", "maintenance run", "blame --contents x y", "diff --no-index a b",
        "interpret-trailers --in-place x", "mailinfo a b", "x-alias", "cat-file --textconv a:b", "cat-file --batch-command", "rev-parse --parseopt",
    ],
    "npm": [
        "install", "install x", "run test --script-shell=x", "--prefix x run test", "exec x", "x cowsay", "config set a b", "run a b",
        "publish", "ci", "run test --prefix /x", "set a b", "edit x", "explore x", "view x --registry=y",
    ],
    "pip": ["install x", "--python x list", "list --log out", "list --index-url x", "uninstall x", "download x", "config set a b", "wheel x"],
    "docker": ["run x", "exec c sh", "-H x ps", "--config x ps", "build .", "cp a b", "rm x", "compose up", "logs --unknown c", "save -o out x"],
    "kubectl": ["exec p sh", "apply -f x", "--kubeconfig=x get pods", "get pods --kubeconfig=x", "delete pod x", "get -f x", "cp a b", "edit x", "get --raw /x"],
    "systemctl": ["stop x", "edit x", "-H host status", "status -M x", "enable x", "--root=x status", "daemon-reload", "poweroff"],
    "journalctl": ["--vacuum-size=1M", "--rotate", "--flush", "-D dir", "--file=x", "--setup-keys", "--update-catalog", "--cursor-file=x"],
    "pytest": ["-p evil", "-c conf", "-o a=b", "--rootdir=/x", "--junitxml=out", "--basetemp=x", "/tmp/x.py", "../x.py", "--pdbcls=a:b", "--import-mode=x", "--confcutdir=x", "--pastebin=all"],
    "ruff": ["check --fix", "format x", "check --config=x", "check -o out", "check --output-file=out", "check --add-noqa", "clean", "check /etc"],
    "mypy": ["--config-file=x", "--install-types", "--html-report d", "--python-executable=x", "--junit-xml out", "--custom-typeshed-dir=x", "-c x"],
    "go": ["run x.go", "test -exec sh", "test -exec=sh ./x", "vet -vettool=x", "build -toolexec=x", "test -o out", "generate", "install x", "env -w A=b", "get x", "test ../x"],
    "cargo": ["run", "install x", "test --config x", "test --manifest-path x", "build", "test --target-dir x", "fix", "publish", "test -Z x"],
    "[": [f"-v '{SUBSCRIPT}' ]", f"'{SUBSCRIPT}' -eq 1 ]", f"-R '{SUBSCRIPT}' ]", f"-t '{SUBSCRIPT}' ]"],
    "test": [f"-v '{SUBSCRIPT}'", f"-R '{SUBSCRIPT}'", f"'{SUBSCRIPT}' -eq 1", f"1 -lt '{SUBSCRIPT}'", f"-t '{SUBSCRIPT}'", f"x -o -v '{SUBSCRIPT}'"],
    "printf": [f"-v '{SUBSCRIPT}' x", f"%d '{SUBSCRIPT}'", "-v x y", f"-v'{SUBSCRIPT}' x", "-- -v x"],
}  # fmt: skip
SECRET = [
    "cat .env",
    "head .ssh/id_rsa",
    "grep x .git/config",
    "tail a/.env",
    "wc .ENV",
    "diff a .env",
    "sort ./.env",
    "jq . x/.env",
]
BUILTINS = "read let declare typeset local export readonly unset mapfile readarray getopts set shopt enable hash bind complete compgen history fc alias wait trap eval source . exec command builtin return umask".split()
RUNNERS = (
    "env sudo doas xargs parallel timeout nice nohup setsid watch ssh sh bash dash zsh script time flock strace busybox "
    "npx bunx uvx uv pipx poetry bundle rake gradle mvn just tox nox make-x vim vi nvim ed emacs gdb expect socat nc telnet rsync scp sftp "
    "wget at batch crontab open xdg-open systemd-run firejail java dotnet wine m4 dc bc gcc cc ld split sqlite3 psql mysql redis-cli perf valgrind"
).split()
INTERPRETED = ["-c x", "-e x", "x.py", "-m http.server", "-", "-i", "x.py -x", "-Ic x", "--eval x", "-r x"]
INTERPRETERS = "python python3 python3.11 perl ruby node php lua5.4 deno bun".split()
WRITERS = "rm mv cp ln tee touch mkdir dd truncate chmod chown install zip gzip unxz patch shuf iconv indent".split()
UNKNOWN = ["-x", "--out=f", "-o f", "a b", "in out", "a=b", "of=x", "+x", "@file", ".shell\\ id", "'a b'", "'x;y'", "'a[1]'", "'$x'", "'`x`'", "'a>b'", "a::b", "'*'", "'!x'", "'|sh'", "'.shell id'"]  # fmt: skip


def bypasses():
    """Rule and command, each of which runs, writes or evaluates, or may."""
    for name, tails in WRITES.items():
        yield from ((f"{name} **", f"{name} {tail}") for tail in tails)
    for command in SECRET:
        yield f"{command.split()[0]} **", command
    for name in BUILTINS:
        yield from (
            (f"{name} **", f"{name} {tail}") for tail in (f"'{SUBSCRIPT}'", f"-a '{SUBSCRIPT}=1'", f"x '{SUBSCRIPT}'")
        )
    for name in RUNNERS:
        yield from ((f"{name} **", f"{name} {tail}") for tail in ("-c x", "x y", "--opt=x y"))
    for name in INTERPRETERS:
        yield from ((f"{name} **", f"{name} {tail}") for tail in INTERPRETED)
    for name in WRITERS:
        yield from ((f"{name} **", f"{name} {tail}") for tail in ("x", "a b", "-r x"))
    yield from (("frob **", f"frob {tail}") for tail in UNKNOWN)
    yield from (("./frob **", f"./frob {tail}") for tail in UNKNOWN)
    yield from [
        ("frob in.txt **", "frob in.txt out"), ("frob sub in **", "frob sub in out"), ("uniq in **", "uniq in out"),
        ("xxd in **", "xxd in out"), ("sqlite3 x **", "sqlite3 x '.shell id'"), ("sqlite3 x.db **", "sqlite3 x.db '.output f'"),
        ("git archive **", "git archive -o out HEAD"), ("git archive HEAD **", "git archive HEAD -o out"),
        ("git stash **", "git stash pop"), ("git -C x **", "git -C x log"), ("git push **", "git push origin"),
        ("python x.py **", "python x.py -o out"), ("python x.py **", "python x.py a b"), ("python -m json.tool **", "python -m json.tool in out"),
        ("python -m **", "python -m pytest"), ("node x.js **", "node x.js --inspect"), ("make **", "make SHELL=sh x"), ("make **", "make -f x"),
        ("make **", "make a b"), ("curl -s **", "curl -s --stderr out https://a.b"), ("test -f **", f"test -f x -o -v '{SUBSCRIPT}'"),
        ("printf **", f"printf -v '{SUBSCRIPT}' x"), ("./grep **", "./grep -rn x src"), ("./sort **", "./sort -u x"),
        ("sed -n **", "sed -n 'w out' f"), ("tar tf **", "tar tf a --to-command=sh"),
    ]  # fmt: skip


READING = """
cat README.md src/a.py|cat -n a|cat -A a|head -5 a|head -n 20 a b|head -c 100 a|tail -f log|tail -n +5 a|tail -20 a|wc -l a b|wc -lw a
ls|ls -la|ls -lhS src|ls --color=never -1 src tests|tree -L 2 -I node_modules|tree -a src|du -sh .|du -h --max-depth=1 src|df -h|stat a|stat -c %s a
find . -name x -type f|find src -name '*.py' -not -path './x/*'|find . -maxdepth 2 -type d -print0|find . -mtime -1 -size +10k -ls
find . -iname '*.md' -o -name '*.txt'|find . -newer a -printf '%p\\n'|fd -e py test|fd -H -t f x src|fd --type f --hidden x
grep -rn needle src|grep -E 'a|b' f|grep -i --include='*.py' -r x .|grep -c x a b|grep -A 3 -B2 x f|grep -oP '\\d+' f|grep -v '^#' f|egrep -l x a
rg needle|rg -n --type py x src|rg -i -C3 'a b' src|rg --files -g '*.py'|rg -l x|rg -tpy -e a -e b|rg --json x
sort -u a|sort -k2 a|sort -t, -k 1,1 -n a|sort -rn a b|uniq -c a|uniq a|uniq -d a|uniq -f 1 a|cut -d: -f1 a|cut -c1-5 a|tr a-z A-Z|tr -d x
paste -d, a b|join a b|comm -12 a b|column -t a|nl a|fold -w 80 a|rev a|tac a|diff a b|diff -u a b|diff -rq a b|diff -U3 --color=always a b|cmp a b
sed -n 1,5p a|sed -n '$p' a|sed -n '/x/p' a b|sed 's/a/b/' f|sed 's|a|b|g' f|sed -E 's/(a)/\\1/' f|sed 5q f|sed -n '5,+3p' f|sed -n '/a/,/b/p' f
awk '{print $1}' a|awk -F: '{print $1}' a|awk 'NR==5' a|awk -F , '{s+=$2} END{print s}' a|awk '/x/ {print NR": "$0}' a b|awk -v n=3 'NR<=n' a
xxd a|xxd -l 64 a|od -c a|od -A x -t x1z a|hexdump -C a|strings -n 8 a|file a b|file -b --mime-type a|nm -D a|readelf -h a|objdump -d a|base64 a
md5sum a b|sha256sum -c sums|cksum a|basename a/b .c|dirname a/b|realpath a|readlink -f a|which git|type -a ls|pwd|whoami|id -u|uname -a|date
date +%F|date -u +%s|date -d yesterday +%F|hostname|uptime|nproc|seq 1 5|sleep 1|printenv PATH|ps aux|ps -ef|ps -o pid,cmd -p 1|pgrep -fl x|free -h|lsof -i :80
jq . a|jq -r '.a[] | .b' a|jq -c 'select(.x > 1)' a b|tar tf a.tar|tar tzf a.tgz|tar -tvf a.tar src|unzip -l a.zip|man ls|man -k x
echo a b|echo -n x|echo 'a; b' c=d|printf '%s\\n' a b|printf x|test -f a|test -d a -a -f b|test a = b|expr 1 + 2
git status|git status -sb|git status --porcelain|git log|git log --oneline -n 5 HEAD~1|git log -p -3 -- a.py|git log --since=yesterday --author=x
git log --graph --all --decorate|git log -S needle --stat|git log --format='%h %s' main..dev|git diff|git diff --stat|git diff --cached a.py
git diff HEAD~2 -- src tests|git diff -U10 main...dev|git diff --name-only|git show HEAD|git show HEAD:a.py|git show --stat abc|git blame -L 1,5 a.py
git grep -n x|git grep -il 'a b' -- src|git ls-files|git ls-files -o --exclude-standard|git ls-tree -r HEAD|git rev-parse --show-toplevel
git rev-parse --abbrev-ref HEAD|git describe --tags|git branch|git branch -a|git branch -vv|git branch --show-current|git tag|git tag -l|git remote -v
git stash list|git stash show -p|git worktree list|git reflog show|git shortlog -sn|git rev-list --count HEAD|git cat-file -p HEAD|git merge-base a b
git --no-pager log -5|git for-each-ref --sort=-committerdate refs/heads|git count-objects -vH|git check-ignore -v a|git submodule status
python -m pytest -x -q tests|python3 -m pytest tests/a.py::test_b -k 'x and y'|pytest -vv --tb=short tests|pytest --lf --maxfail=1|ruff check src tests
python -m mypy --strict src|mypy src tests|npm run test -- --watch=false|npm run build|npm test|npm ls --depth=0|npm outdated|pip list|pip show x
python -m pip list|docker ps -a|docker logs -f --tail=5 web|docker images|kubectl get pods -A|kubectl describe pod x|kubectl logs -f x
systemctl status nginx|journalctl -u nginx -n 50|go test ./...|go test -run=TestX ./a|go vet ./...|go version|cargo test|cargo check|cargo tree
curl https://a.b/c|curl -s https://a.b|curl -sSL -I https://a.b|curl -fsS --max-time=5 https://a.b|make test|make|terraform-x plan|svn log|frob a
""".replace("\n", "|").split("|")  # fmt: skip


def rule_for(command):
    """`program **` for a command, or with its module where the program is an interpreter."""
    words = shlex.split(command)
    named = words[:3] if words[0].startswith("python") else words[:1]
    return " ".join([*named, "**"])


def covered(rule, command):
    argv = simple(command)
    assert isinstance(argv, tuple), command
    return covers_command(parse_rule(f"run_shell({rule})", declared), argv)


def test_no_bypass_of_a_final_wildcard_is_covered(capsys):
    """Three hundred and more ways to run, to write and to evaluate, and each is asked for."""
    cases = [case for case in dict.fromkeys(bypasses()) if isinstance(simple(case[1]), tuple)]

    found = [case for case in cases if covered(*case)]

    with capsys.disabled():
        sys.stdout.write(f" {len(cases)} bypasses, {len(found)} covered ")
    assert 300 <= len(cases)
    assert [] == found


def commands():
    """The ordinary reading commands, pipes inside of quotes put together again."""
    line = ""
    for piece in READING:
        line = f"{line}|{piece}" if line else piece
        try:
            shlex.split(line)
        except ValueError:
            continue
        if line.strip():
            yield line.strip()
        line = ""


def test_ordinary_reading_stays_covered(capsys):
    """What people let pass day by day needs no second question."""
    cases = list(commands())

    missed = [command for command in cases if not covered(rule_for(command), command)]

    with capsys.disabled():
        sys.stdout.write(f" {len(cases)} reading commands, {len(missed)} asked for ")
    assert 200 <= len(cases)
    assert [] == missed


@pytest.mark.parametrize(
    "command",
    [
        f"test -v '{SUBSCRIPT}'",
        f"printf -v '{SUBSCRIPT}' x",
        f"read '{SUBSCRIPT}'",
        f"let '{SUBSCRIPT}'",
        f"declare '{SUBSCRIPT}=1'",
    ],
)
def test_the_subscripts_really_run(tmp_path, command):
    """The words of the corpus are no invention: bash runs what stands in the brackets."""
    subprocess.run(["/bin/bash", "-c", command], cwd=tmp_path, check=False, capture_output=True, input=b"x\n")

    assert (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("rule", "command", "passes"),
    [
        ("mkdir *", "mkdir a", True),
        ("mkdir *", "mkdir -m", False),
        ("cp * *", "cp a b", True),
        ("git commit -m *", "git commit -m 'fix: a b'", True),
        ("git push * *", "git push origin main", True),
        ("git push *", "git push ext::sh", False),
        ("uniq *", "uniq a", True),
        ("uniq * *", "uniq a b", False),
        ("make *", "make SHELL=x", False),
        ("read *", f"read '{SUBSCRIPT}'", False),
        ("rm *", "rm .env", False),
        ("frob * *", "frob a b", True),
        ("frob **", "frob", True),
        ("frob a -b **", "frob a -b", True),
        ("/usr/bin/grep **", "/usr/bin/grep -rn x src", True),
    ],
)
def test_one_star_is_a_word_that_the_user_has_placed(rule, command, passes):
    """It may be written by a program that writes; options, assignments and secrets stay the user's."""
    assert passes == covered(rule, command)
