"""Completions and manual pages of the built programs, in bash, zsh, fish, man and mandoc.

Without sockets: shells complete lines, and the programs print texts.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from process import hapsim

PROGRAMS = ("hapsim", "hapctl", "haptest")
SHELLS = ("bash", "zsh", "fish")
PATIENCE = 600  # seconds; reached only if a process hangs

BASH = r"""
for program in hapsim hapctl haptest; do source <($program --completions bash); done
for line; do
  COMP_WORDS=()
  while [[ $line == *$'\t'* ]]; do COMP_WORDS+=("${line%%$'\t'*}"); line=${line#*$'\t'}; done
  COMP_WORDS+=("$line")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  "_${COMP_WORDS[0]}" "${COMP_WORDS[0]}"
  ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
  echo END
done
"""
FISH = """
for program in hapsim hapctl haptest; $program --completions fish | source; end
for line in $argv; complete -C $line; echo END; end
"""


def need(program):
    if shutil.which(program) is None:
        pytest.skip(f"NOT RUN: {program} is not installed; run 'Scripts/install-dependencies test'")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a file and a folder, as the working directory. The programs are in PATH, and their state is empty."""
    folder = tmp_path / "place"
    (folder / "sub").mkdir(parents=True)
    (folder / "one.hasaccessory").write_text("{}")
    for variable in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    monkeypatch.setenv("PATH", str(Path(hapsim()).resolve().parent) + os.pathsep + os.environ["PATH"])
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.chdir(folder)
    return folder


def output(*words, **options):
    run = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **options)
    assert (run.returncode, run.stderr) == (0, ""), (words[:3], run.stderr)
    return run.stdout


def zsh_candidates(folder, lines, show=""):
    """The output of candidates.zsh."""
    functions = folder.parent / "functions"
    functions.mkdir()
    for program in PROGRAMS:
        (functions / f"_{program}").write_text(output(program, "--completions", "zsh"))
    environment = {**os.environ, "SHOW_LINES": show}
    return output("zsh", "-f", str(Path(__file__).with_name("candidates.zsh")), str(functions), *lines, env=environment)


def candidates(shell, folder, lines):
    """The candidates of a shell for each line: without descriptions, the slash of folders, and the option before an =."""
    need(shell)
    if shell == "bash":
        # bash separates words also at = and :
        split = ["\t".join(re.findall(r"[^\s=:]+|[=:]", line) + ([""] if line.endswith(" ") else [])) for line in lines]
        text = output("bash", "--norc", "-c", BASH, "bash", *split)
    elif shell == "fish":
        text = output("fish", "--no-config", "-c", FISH, *lines)
    else:
        text = zsh_candidates(folder, lines)
    parts = text.split("END\n")
    assert len(parts) == len(lines) + 1, text[-1000:]
    return [{re.sub(r"^--[a-z-]+=", "", word.split("\t")[0]).rstrip("/") for word in part.splitlines()} for part in parts[:-1]]


def commands_and_options():
    """For each program, group and command: its words, and the commands and options that its help lists."""
    waiting = [[program] for program in PROGRAMS]
    found = []
    while waiting:
        words = waiting.pop()
        text = output(*words, "--help")
        sections = {part.split("\n", 1)[0]: part for part in re.split(r"\n\n", text)}
        commands = re.findall(r"^  (\S+)", sections.get("commands:", ""), re.MULTILINE)
        labels = re.findall(r"^  (-.*)$", sections["options:"], re.MULTILINE)
        options = {name for label in labels for name in re.match(r"(-\w, )?(--[a-z-]+)", label).group(0).split(", ")}
        waiting += [[*words, command] for command in commands]
        found.append((words, set(commands), options))
    return found


@pytest.mark.parametrize("shell", SHELLS)
def test_the_commands_and_options_of_help_are_completed(shell, place):
    listed = commands_and_options()
    assert len(listed) > 100
    groups = [(words, commands) for words, commands, _ in listed if commands]
    if shell == "fish":
        listed = listed[::3]  # fish evaluates the condition of each option, which takes 0.2 s for a line
    lines = [" ".join(words) + " " for words, _ in groups] + [" ".join(words) + " -" for words, _, _ in listed]
    found = candidates(shell, place, lines)
    # help is a word of each program.
    expected = [commands | ({"help"} if len(words) == 1 else set()) for words, commands in groups] + [options for _, _, options in listed]
    for line, got, wanted in zip(lines, found, expected, strict=True):
        assert got == wanted, line


HERE = {"one.hasaccessory", "sub"}
LINES = [
    ("hapsim ru", {"run"}),
    ("hapctl home room re", {"remove", "rename"}),
    ("hapsim run --bonjour ", {"auto", "daemon", "embedded", "off"}),
    ("hapsim run --bonjour=d", {"daemon"}),
    ("haptest list --level ", {"must", "should", "all"}),
    ("hapsim --completions ", {"bash", "zsh", "fish"}),
    ("hapctl keys ", {"import", "export"}),
    # files and folders
    ("hapsim replay ", HERE),
    ("hapctl keys import ", HERE),
    ("hapsim new -o ", HERE),
    ("hapsim run --scenario ", HERE),
    ("hapsim run --state ", {"sub"}),
    # the profiles that come with hapsim, and files
    ("hapsim run loc", {"lock", "lock-nfc"}),
    ("hapsim validate lock loc", {"lock", "lock-nfc"}),
    ("hapsim run one", {"one.hasaccessory"}),
    # the words of a command
    ("hapsim ctl adv", {"advance"}),
    ("hapsim edit one.hasaccessory add-", {"add-service", "add-characteristic"}),
    # an option that was given is not offered again, unless it may be repeated
    ("hapsim types --json --j", set()),
    ("hapsim new -o x --outp", set()),
    ("hapsim run --interface lo --interf", {"--interface"}),
    # The value of an option is no command and no operand, and an option may be anywhere.
    ("hapsim import --output x --device ", set()),
    ("hapsim edit --name x one.hasaccessory se", {"set"}),
    # After -- there is no option; a name or a number has no candidates.
    ("hapsim types -- --j", set()),
    ("hapsim run --port ", set()),
    ("hapsim types ", set()),
    ("hapsim nothing ", set()),
    # help has the names of the commands
    ("hapsim help ru", {"run"}),
    ("hapctl help home ", set()),
    # A word with = is one operand, or one value.
    ("haptest rerun --txt a=b on", {"one.hasaccessory"}),
    ("haptest rerun --txt=a=b on", {"one.hasaccessory"}),
    ("haptest rerun --txt a=on", set()),
    ("hapsim edit --label a=b on", {"one.hasaccessory"}),
]


@pytest.mark.parametrize("shell", SHELLS)
def test_values_and_operands_are_completed(shell, place):
    found = candidates(shell, place, [line for line, _ in LINES])
    for (line, expected), got in zip(LINES, found, strict=True):
        assert got == expected, line


@pytest.mark.parametrize("shell", SHELLS)
def test_names_of_a_home_are_completed(shell, place):
    for words in (["new", "My Home", "--zone", "Europe/Berlin"], ["room", "add", "Kitchen", "Living Room"]):
        subprocess.run(["hapctl", "home", *words], check=True, capture_output=True, timeout=PATIENCE)
    subprocess.run(["hapctl", "home", "new", "Second", "--zone", "UTC"], check=True, capture_output=True, timeout=PATIENCE)
    subprocess.run(["hapctl", "home", "room", "add", "Cellar", "--home", "Second"], check=True, capture_output=True, timeout=PATIENCE)
    space = "Living\\ Room" if shell == "bash" else "Living Room"
    expected = {
        "hapctl home room remove Ki": {"Kitchen"},
        "hapctl home room rename Liv": {space},
        "hapctl home add --room Ki": {"Kitchen"},
        "hapctl home add --room=Ki": {"Kitchen"},
        "hapctl home room remove --home=Second C": {"Cellar"},
        "hapctl home room remove --home Second C": {"Cellar"},
        "hapctl home set Kit": {"Kitchen"},
    }
    if shell != "bash":  # the harness for bash separates words at each space
        expected |= {"hapctl home room remove \"Living R": {"Living Room"}, "hapctl home room remove 'Liv": {"Living Room"}, "hapctl home add --room=\"Ki": {"Kitchen"}}
    assert dict(zip(expected, candidates(shell, place, list(expected)), strict=True)) == expected


@pytest.mark.parametrize("shell", SHELLS)
def test_a_completion_makes_no_hub(shell, place):
    assert candidates(shell, place, ["hapctl home room remove Ki", "hapctl home room re"]) == [set(), {"remove", "rename"}]
    assert not (place.parent / "xdg_state_home").exists()


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_path_of_a_home_ends_without_a_blank(shell, place):
    for words in (["new", "My Home", "--zone", "UTC"], ["room", "add", "Kitchen"]):
        subprocess.run(["hapctl", "home", *words], check=True, capture_output=True, timeout=PATIENCE)
    need(shell)
    lines = ["hapctl home room remove Kit", "hapctl home set Kit"]
    if shell == "bash":
        text = output("bash", "--norc", "-c", 'compopt() { [[ $* != "-o nospace" ]] || echo NOSPACE; }\n' + BASH, "bash", *(line.replace(" ", "\t") for line in lines))
        assert text == "Kitchen\nEND\nNOSPACE\nKitchen/\nEND\n"
    else:
        text = zsh_candidates(place, lines, "show")
        assert [line for line in text.splitlines() if line.startswith("LINE ")] == ["LINE hapctl home room remove Kitchen |", "LINE hapctl home set Kitchen/|"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_a_shell_reads_the_completions(program, shell, place):
    need(shell)
    script = output(program, "--completions", shell)
    assert script == output(program, "--completions", shell)
    output(shell, "-n", input=script)
    # As a command of a running shell.
    load = {
        "bash": f"source <({program} --completions bash); complete -p {program} >/dev/null",
        "zsh": f"autoload -Uz compinit; compinit -u -D; source <({program} --completions zsh); [[ $_comps[{program}] = _{program} ]]",
        "fish": f"{program} --completions fish | source; functions -q __{program}_at",
    }
    output(shell, "-c", load[shell])


@pytest.mark.parametrize("program", PROGRAMS)
def test_man_and_mandoc_accept_the_manual_page(program, place, monkeypatch):
    need("mandoc")
    need("man")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    page = place / f"{program}.1"
    page.write_text(output(program, "--man"))
    assert page.read_text() == output(program, "--man")
    assert output("mandoc", "-Tlint", "-W", "warning", page) == ""
    assert "2026-01-01" in output("man", "--warnings", "-l", page, env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "80"})
    # Without the letters that mandoc prints twice for a terminal.
    shown = re.sub(".\b", "", output("mandoc", "-Tutf8", "-O", "width=200", page))
    for words, _, options in commands_and_options():
        if words[0] == program:
            assert len(words) == 1 or re.search(rf"^   {' '.join(words)} .*\[options\]$", shown, re.MULTILINE), words
            assert options <= set(re.findall(r"-\w\b|--[a-z-]+", shown)), words
