"""What was forbidden does not run, however it is spelled: calls of a model, through the CLI, by what is left on disk."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cococat.core.tools import Allow
from tests.scripted import calls, says, tool_results

# V stands for a folder with a file in it: of its own for each spelling, beside the folder in REMOVALS, below it in DENIED
REMOVALS = [
    "rm -rf V",
    "rm -r -f V",
    "rm -f V/f; rmdir V",
    "rm V -rf",
    "rm --recursive --force -- V",
    "/bin/rm -rf V",
    "\\rm -rf V",
    "command rm -rf V",
    "env -i /bin/rm -rf V",
    "env -C .. rm -rf $(basename V)",
    "env --chdir=.. rm -rf NAME",
    "nohup rm -rf V",
    "timeout 5 rm -rf V",
    "find V -delete",
    "find V -mindepth 0 -depth -delete",
    "find V -depth -exec rm -rf {} +",
    "find V -exec /bin/rm -rf {} ';' -prune",
    "find .. -name NAME -exec rm -rf {} +",
    "find .. -depth -path '*NAME*' -delete",
    'sh -c "rm -rf V"',
    'bash -c "rm -r -f V"',
    "bash -xc 'rm -rf V'",
    "bash <<< 'rm -rf V'",
    "bash <<'E'\nrm -rf V # don't\nE",
    "sh << E\nrm -rf V\nE",
    "cat <<'E' | sh\nrm -rf V\nE",
    "echo 'rm -rf V' | sh",
    "echo rm -rf V | bash -s",
    "printf 'rm -rf %s' V | sh",
    "printf 'rm -rf V\\n' | cat | bash",
    "echo cm0gLXJmIFY= | base64 -d | sed s,V,V, | sh",
    "{ echo rm -rf V; } | { bash; }",
    "bash <(echo rm -rf V)",
    ". <(echo rm -rf V)",
    "eval 'rm -rf V'",
    "eval rm -rf V",
    'x="rm -rf V"; $x',
    "R=rm; $R -rf V",
    'x="rm -rf V"; eval "$x"',
    'x="rm -rf V"; bash -c "$x"',
    "echo V | xargs rm -rf",
    "xargs rm -rf <<< V",
    "echo V | xargs -I% rm -rf %",
    "echo rm -rf V | xargs env",
    "echo 'rm -rf V' | xargs -I{} sh -c {}",
    "while read l; do $l; done <<< 'rm -rf V'",
    'f() { rm -rf "$1"; }; f V',
    "shopt -s expand_aliases\nalias x='rm -rf'\nx V",
    "ln -s .. up; rm -rf up/NAME",
    "cd .. && rm -rf NAME",
    "$(echo rm) -rf V",
    "r\\m -rf V",
    "/bin/r? -rf V",
    "rm -rf $'V'",
    "trap 'rm -rf V' EXIT",
    "echo 'rm -rf V' > >(sh); sleep 0.3",
    "git -c alias.x='!rm -rf V' x",
    'awk \'BEGIN { system("rm -rf V") }\'',
    'python3 -c "import os; os.system(\'rm -rf V\')"',
    "cp /bin/rm r; ./r -rf V",
    "mkdir -p a; rm -rf a/*/../../../NAME a/../../NAME",
    "mkdir -p -- -x; rm -rf -- -x/../../NAME",
    "git init -q V; git -C V clean -fdxq; rmdir V 2>/dev/null; rm -rf V",
]  # fmt: skip
DENIED = [
    "rm -rf V",
    "rm -fr V",
    "rm -r -f V",
    "rm -f -r V",
    "rm V -rf",
    "rm -r V -f",
    "rm -rfv V",
    "rm -vrf V",
    "rm -Rf V",
    "rm --recursive --force V",
    "rm --recursive -f V",
    "rm -r --force V",
    "rm --recurs --forc V",
    "rm -rf -- V",
    "/bin/rm -rf V",
    "  rm   -rf\tV  ;",
    "rm \\\n -rf V # so",
    "\\rm -rf V",
    "'rm' -rf V",
    "r''m -r''f V",
    'rm -r"f" V',
    "true; rm -rf V",
    "true && { rm -rf V; }",
    "(rm -rf V)",
    "if true; then rm -rf V; fi",
    "A=b rm -rf V",
    ">o rm -rf V",
    "echo $(rm -rf V)",
    'echo "`rm -rf V`"',
    "cat <(rm -rf V)",
    "sh -c 'rm -rf V'",
    'sh -c "rm -fr V"',
    'bash -ec "rm V -r -f"',
    'bash -c \'eval "rm -rf V"\'',
    "eval rm -rf V",
    "eval 'rm -r' '-f V'",
    "env A=b rm -rf V",
    "env -S 'rm -rf V'",
    "nohup timeout 5 nice -n 5 rm -rf V",
    "command rm -rf V",
    "builtin eval rm -rf V",
    "echo V | xargs rm -rf",
    "echo -rf V | xargs rm",
    "find . -name NAME -exec rm -rf {} +",
    "bash <<< 'rm -rf V'",
    "bash -s <<E\nrm -rf V\nE",
    "echo 'rm -rf V' | sh",
    "printf '%s\\n' 'rm -rf V' | bash",
    "printf '\\162m -rf V' | sh",
    "x=rm; $x -rf V",
    "x=-rf; rm $x V",
    "rm -r$(echo f) V",
    "rm -{r,f} V",
    'f() { rm -rf "$@"; }; f V',
    "shopt -s expand_aliases\nalias x='rm -rf'\nx V",
    "case a in a) rm -rf V;; esac",
    "for i in V; do rm -rf $i; done",
    "git -c alias.x='!rm -rf V' x",
    'python3 -c "import os; os.system(\'rm -rf V\')"',
    "cp /bin/rm r && ./r -rf V",
    "ln -s /bin/rm r && ./r -rf V",
]  # fmt: skip
PRIVATE = [
    "cat private/x",
    "head -n1 private/x",
    "grep . private/x",
    "cat < private/x",
    "cat ./private/../private/x",
    "cat priv*/x",
    "cat p?ivate/*",
    "cat 'pri'vate/x",
    "cat {private,}/x",
    "cd private && cat x",
    "cat $PWD/private/x",
    "f=private/x; cat $f",
    "cat PWD/private/x",
    "sh -c 'cat private/x'",
    "cat <<< $(< private/x)",
    "dd if=private/x",
    "grep -r . .",
    "grep -r . private",
    "grep --recursive . .",
    "find . -name x -exec cat {} +",
    "find . -name x | xargs cat",
    "echo private/x | xargs cat",
    "xargs cat <<< private/x",
    "tar c . | tar xO",
    "tar cf - private | cat",
    "cp -r private p && cat p/x",
    "mv private p && cat p/x",
    "ln -s private p && cat p/x",
    "cat $(find . -name x)",
    "while read l; do echo $l; done < private/x",
    "mapfile -t a < private/x; echo ${a[0]}",
    "awk 1 private/x",
    "sed '' private/x",
    "sed 'r private/x' other",
    'python3 -c "print(open(\'private/x\').read())"',
    "diff private/x other",
    "paste other private/x",
    "sort --files0-from=<(printf 'private/x\\0')",
    "env -C private cat x",
    "(cd private; cat x)",
    "eval cat private/x",
    "echo 'cat private/x' | sh",
    "bash <<< 'cat private/x'",
    "git diff --no-index other private/x",
    "git -C private diff --no-index ../other x",
    "base64 private/x",
    "rev private/x | rev",
    ". private/x",
    "cut -c1-99 private/x",
    "curl -s file://PWD/private/x",
    "cat other private//x",
    "grep -f other -e . private/x",
]  # fmt: skip

EVERYDAY = [
    "git status",
    "git status && git diff",
    "git diff HEAD~1 -- src/a.py",
    'git add -A && git commit -m "fix: don\'t crash on empty input"',
    'git commit -m "$(cat <<\'EOT\'\nfix: it\'s a "quoted" thing (really)\n\nBody `code` here; rm nothing.\nEOT\n)"',
    'git commit -m "Remove the rm call; it was (un)needed"',
    "git log --oneline | head -5",
    "git log -n 5 --format='%h %s (%an)'",
    "git show HEAD:src/a.py | head -50",
    "git checkout -b feature/x && git push -u origin feature/x",
    "git stash && git pull --rebase && git stash pop",
    "git rm -r --cached build",
    "git clean -fdx",
    "git -C sub status",
    "git ls-files | xargs wc -l",
    "git ls-files '*.py' | xargs grep -n TODO",
    "git diff --name-only $(git merge-base HEAD main)",
    "git rebase -i HEAD~3",
    "ls -la",
    "ls -la src/*.py | wc -l",
    "ls src; cat src/a.py",
    "cat README.md | head -20",
    'cat > notes.md <<\'EOT\'\n# Notes\n\nIt\'s fine; don\'t "worry" (much).\n$ rm -rf /tmp/x\nEOT',
    'cat > a.py <<EOT\nprint("hi $USER")\nEOT',
    'cat >> .gitignore <<< "*.pyc"',
    "tee out.txt <<'EOT'\nhello\nEOT",
    "python -m pytest -x -q tests",
    'python -m pytest tests/test_a.py::test_b -k "not slow"',
    'python3 -c "print(1+1)"',
    'python3 -c "import json; print(json.load(open(\'a.json\'))[\'x\'])"',
    'python3 - <<\'EOT\'\nimport os\nfor f in os.listdir(\'.\'):\n    print(f"it\'s {f}")\nEOT',
    "python a.py > out.txt 2>&1",
    "python a.py 2>/dev/null || echo failed",
    "PYTHONPATH=src python -m app",
    "source .venv/bin/activate && pytest",
    ". .venv/bin/activate; pip install -r requirements.txt",
    ".venv/bin/python -m pip install -e .",
    '"$VIRTUAL_ENV/bin/python" -m pytest',
    "./run.sh --flag",
    "bash build.sh",
    "bash -n build.sh",
    "sh ./configure --prefix=/usr/local && make -j4",
    "chmod +x run.sh && ./run.sh",
    "make",
    "make -j$(nproc)",
    "make test 2>&1 | tail -40",
    "npm install && npm test",
    "npm run build -- --watch=false",
    "npx eslint src",
    "npx prettier --write src/a.ts",
    "yarn add react",
    'node -e "console.log(require(\'./package.json\').version)"',
    "node server.js & sleep 1; curl -s http://127.0.0.1:3000/; kill %1",
    "cargo build --release && cargo test",
    "go test ./... -run TestX",
    "go build -o bin/app ./cmd/app",
    "docker ps -a",
    "docker build -t x . && docker run --rm x",
    "docker compose up -d",
    "docker exec web ls /app",
    "docker rm -f web",
    'docker run --rm -v "$PWD":/app -w /app node:20 sh -c "npm ci && npm test"',
    "kubectl get pods -n x",
    "find . -name '*.py' -not -path './.venv/*'",
    "find . -name '*.py' | xargs grep -n foo",
    "find . -name '*.py' -print0 | xargs -0 wc -l | sort -n | tail -5",
    "find . -name '*.pyc' -delete",
    "find . -name __pycache__ -type d -exec rm -rf {} +",
    "find . -name '*.py' -exec grep -l foo {} \\;",
    "find . -type d -name node_modules -prune -o -name '*.ts' -print",
    "find . -name '*.orig' | xargs rm -f",
    "find build -type f -name '*.o' | xargs rm",
    "find . \\( -name '*.pyc' -o -name '*.pyo' \\) -delete",
    "find . -type f -empty -delete",
    "find build -delete",
    'grep -rn "foo(" src | head',
    'grep -rn \'don\'"\'"\'t\' src',
    'rg -n "TODO|FIXME" --glob \'!dist\'',
    "rg foo src | awk -F: '{print $1}' | sort -u",
    "sed -n '1,80p' src/a.py",
    "sed -i 's/foo/bar/g' src/a.py",
    "sed -i.bak -e 's|a|b|' a.txt && rm a.txt.bak",
    "awk '{print $2}' a.txt | sort | uniq -c | sort -rn",
    'awk \'BEGIN{FS=","} {s+=$3} END{print s}\' a.csv',
    "wc -l $(git ls-files '*.py')",
    'for f in src/*.py; do echo "$f"; wc -l "$f"; done',
    "for i in 1 2 3; do curl -s http://127.0.0.1:8000/; sleep 1; done",
    'for f in *.txt; do mv "$f" "${f%.txt}.md"; done',
    'while read -r line; do echo "$line"; done < a.txt',
    "if [ -f a.py ]; then python a.py; else echo none; fi",
    "[ -d build ] || mkdir build",
    '[[ -n "$X" ]] && echo set',
    "[[ $x == y* ]] && echo y",
    "test -f a.py && cat a.py",
    'case "$1" in a) echo a;; *) echo other;; esac',
    "case $OSTYPE in linux*) echo l;; esac",
    "mkdir -p src/app && touch src/app/__init__.py",
    "rm a.txt",
    "rm -rf build dist",
    "rm -rf build && mkdir build",
    "rm -rf node_modules package-lock.json && npm install",
    'rm -rf "./build"',
    "rmdir empty",
    "mv a.txt b.txt",
    "cp -r src backup",
    "cp a.txt /tmp/a.txt",
    "tar czf x.tgz src",
    "tar xzf x.tgz -C build",
    "unzip -o x.zip -d build",
    "curl -s https://example.org/x.json | jq '.items[] | .name'",
    "curl -sSL https://example.org/x.tgz | tar xz",
    'curl -X POST -H \'Content-Type: application/json\' -d \'{"a": "it\'"\'"\'s"}\' http://127.0.0.1:8000/',
    "wget -q https://example.org/x.zip",
    "jq -r '.a | keys[]' a.json",
    'echo "hello (world) it\'s; fine" >> a.txt',
    "echo $PATH",
    'echo "export X=1" > env.sh && source env.sh && echo $X',
    "printf '%s\\n' a b c | sort",
    "printf 'y\\n' | ./setup.sh",
    "yes | apt-get install foo",
    "echo y | bash install.sh",
    "printenv | sort",
    "env | grep PATH",
    "env FOO=bar python a.py",
    "export FOO=bar; python a.py",
    "which python3",
    "command -v node",
    'for t in git node; do command -v "$t"; done',
    "type ls",
    "date +%s",
    "sleep 2",
    "time make",
    "timeout 60 pytest -x",
    "timeout 10s ./server || true",
    "nohup python -m http.server 8000 > /tmp/log 2>&1 &",
    "nice -n 10 make",
    "sudo apt-get update",
    "sudo systemctl restart nginx",
    "ssh host uptime",
    "ps aux | grep python",
    "ps aux | grep '[p]ython'",
    'kill $(pgrep -f "http.server")',
    "lsof -i :8000",
    'pkill -f "http.server 8000"',
    "trap 'kill $PID' EXIT; ./server & PID=$!; sleep 1",
    "set -e; cd src; make",
    "cd src && ls",
    "cd /tmp && ls",
    "pushd src; make; popd",
    "(cd src && make)",
    "diff <(sort a.txt) <(sort b.txt)",
    "comm -12 <(sort a) <(sort b)",
    'x=$(cat a.txt); echo "$x"',
    "n=$((1+2)); echo $n",
    'echo $((1 << 4)) && echo "it\'s"',
    "((i=1<<2)); echo $i",
    "a=(1 2 3); echo ${a[1]}",
    "files=$(ls *.py); echo $files",
    'echo "${X:-default}" "${Y:-it\'s}"',
    'f() { echo "$1"; }; f x',
    "set -o pipefail; make | tee log",
    "xargs -a list.txt -n1 echo",
    "ls | xargs -n1 basename",
    "ls *.py | xargs -I{} python {}",
    "cat list.txt | xargs -n1 curl -s",
    "seq 3 | xargs -P4 -I{} echo {}",
    "seq 10 | while read i; do echo $i; done",
    "python -m venv .venv",
    "pip install requests",
    "uv run pytest",
    "uv pip install -r requirements.txt",
    "poetry install",
    "poetry run python a.py",
    "ruff check . && ruff format .",
    "black src tests",
    "mypy src",
    "tox -e py311",
    'psql -c "select 1"',
    'sqlite3 x.db "select * from t where a = \'b\';"',
    "sqlite3 x.db <<'EOT'\nselect 'it''s';\nEOT",
    "mysql -e 'drop table x'",
    "terraform plan",
    "ansible-playbook x.yml",
    "java -jar x.jar",
    "gcc -o a a.c && ./a",
    'g++ -O2 a.cpp -o a && echo "3 4" | ./a',
    "cmake -S . -B build && cmake --build build",
    "perl -ne 'print if /foo/' a.txt",
    "perl -pi -e 's/a/b/' a.txt",
    "ruby -e 'puts 1'",
    "php -r 'echo 1;'",
    "tree -L 2",
    "du -sh * | sort -h",
    "df -h",
    "head -c 100 a.bin | xxd",
    "base64 -d <<< aGVsbG8=",
    "openssl rand -hex 16",
    "ln -s a b",
    "ln -sf ../a b",
    "truncate -s 0 log.txt",
    ": > log.txt",
    "tail -f log.txt",
    "less a.txt",
    "man ls",
    'gh pr create --title "Fix: it\'s done" --body "$(cat <<\'EOT\'\n## Summary\n- don\'t\nEOT\n)"',
    "gh pr list",
    "gh api repos/x/y --jq '.[].name'",
    "rsync -a src/ backup/",
    "rsync -av --delete src/ backup/",
    "screen -dmS x ./server",
    "tmux new -d 'npm start'",
    "crontab -l",
    "watch -n1 ls",
    "flock x.lock make",
    "strace -f ls",
    "bash -c 'echo hi'",
    'bash -c "cd src && make && echo \\"it\'s\\""',
    "bash -lc 'node -v'",
    "sh -c 'echo $0 $1' a b",
    "zsh -c 'echo hi'",
    "exec ./server",
]  # fmt: skip


def spelled(text: str, name: str, place: str) -> str:
    return text.replace("NAME", name).replace("V", f"{place}{name}")


def victims(root: Path, place: str, texts: list[str]) -> list[tuple[Path, str]]:
    """A folder for each spelling, and the command that removes it."""
    found = []
    for number, text in enumerate(texts):
        name = f"v{number}"
        folder = root / place / name
        folder.mkdir(parents=True)
        folder.joinpath("f").touch()
        found.append((folder, spelled(text, name, place)))
    return found


@pytest.mark.parametrize(("place", "texts"), [("../", REMOVALS), ("", DENIED)], ids=["removals", "denied"])
def test_each_of_these_spellings_does_remove(root, place, texts):
    """Else that nothing was removed would prove nothing."""
    left = []
    for folder, command in victims(root, place, texts):
        if "base64" in command:
            continue  # what is packed holds another name
        subprocess.run(
            ["/bin/bash", "-c", command], cwd=root, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
        for made in ("up", "r", "o", "a"):
            shutil.rmtree(root / made, ignore_errors=True)
            root.joinpath(made).unlink(missing_ok=True)
        if folder.joinpath("f").exists():
            left.append(command)

    assert [] == left


@pytest.mark.parametrize(
    ("place", "texts", "rules"),
    [
        ("../", REMOVALS, ["--allow", "run_shell", "--allow", "run_shell(rm **)"]),
        ("", DENIED, ["--allow", "run_shell"]),
    ],
    ids=["removals", "denied"],
)
def test_no_spelling_removes_what_may_not_be(  # noqa: PLR0917 - fixtures and a table
    ask, scripted, home, root, place, texts, rules
):
    """Nobody is there to be asked, so nothing that has to be asked about is run."""
    found = victims(root, place, texts)
    if not place:
        home.joinpath("config.toml").write_text('[permissions]\ndeny = ["run_shell(rm -rf **)"]\n')
    left = run_all(ask, scripted, root, [command for _, command in found], rules)

    assert [] == [command for folder, command in found if not folder.joinpath("f").exists()]
    assert len(texts) == left


def run_all(ask, scripted, root, commands, rules):
    """Have the model make each call; give how many got no permission."""
    server = scripted(calls(*(("run_shell", {"command": command}) for command in commands)), says("done"))
    ask(server, "--mode", "react", "--root", root, *rules, "go", cwd=root)
    results = tool_results(server.requests[-1])
    assert len(commands) == len(results)
    return sum("exit " not in result for result in results)


def test_a_command_reads_nothing_that_may_not_be_read(ask, scripted, home, root):
    """Neither by name, nor by a pattern, a folder above it, or a text for a shell."""
    root.joinpath("private").mkdir()
    root.joinpath("private", "x").write_text("echo FORBIDDEN\n")
    root.joinpath("other").write_text("other\n")
    home.joinpath("config.toml").write_text('[permissions]\ndeny = ["read_file(private/**)"]\n')
    commands = [text.replace("$PWD", "$\0").replace("PWD", str(root)).replace("$\0", "$PWD") for text in PRIVATE]

    server = scripted(calls(*(("run_shell", {"command": command}) for command in commands)), says("done"))
    ask(server, "--mode", "react", "--root", root, "--allow", "run_shell", "go", cwd=root)
    results = tool_results(server.requests[-1])

    assert [] == [c for c, result in zip(commands, results, strict=True) if "FORBIDDEN" in result or "exit " in result]


@pytest.mark.parametrize(
    "deny", [[], ["run_shell(rm -fr **)"], ["run_shell(git push --force **)"]], ids=["no", "rm", "push"]
)
def test_what_people_run_every_day_is_not_asked_about(verdict, root, deny):
    """Where the tool is allowed, with a deny rule about something else too."""
    root.joinpath("src").mkdir()
    asked = [
        command
        for command in EVERYDAY
        if not (deny and "rm -rf" in command)
        and not isinstance(verdict("run_shell", allow=["run_shell"], deny=deny, command=command), Allow)
    ]

    assert [] == asked
