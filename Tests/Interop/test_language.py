"""`make lint` checks prose, links and names of commands.

Without sockets: the scripts read files.
"""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLAIN = "The accessory sends each event once. A controller reads the value. " * 20


def check(script, folder, *words):
    done = subprocess.run(
        [ROOT / "Scripts" / script, *words], cwd=folder, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "name, text",
    [
        ("README.md", "Nobody is told of the event.\n"),
        ("Sources/A.swift", "/// The value is made anew.\nlet a = 1\n"),
        ("Sources/B.swift", 'let b = "the value is passed over"\n'),
        ("Sources/C.js", "element.textContent = \"there is nobody here\"\n"),
        ("Defects/d.yaml", "what: The answer stands in the place of another answer.\n"),
        ("Scripts/e.py", "x = 1  # as a rule\n"),  # prose: literal
        ("Suites/f.yaml", "x: 1 # a deed\n"),  # prose: literal
    ],
)
def test_an_idiom_is_reported_with_its_place(tmp_path, name, text):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    status, output = check("check-prose", tmp_path)
    assert status == 1 and f"{name}:1: " in output, output
    path.write_text(text.replace("\n", " # prose: literal\n", 1))
    status, output = check("check-prose", tmp_path)
    assert status == 0, output


def test_one_idiom_in_many_words_is_within_the_bound(tmp_path):
    (tmp_path / "README.md").write_text(PLAIN * 11 + "It begins anew.\n")
    status, output = check("check-prose", tmp_path)
    assert status == 0 and "README: 1 idioms" in output


def test_code_is_not_read(tmp_path):
    (tmp_path / "README.md").write_text("Use `nobody anew`.\n```sh\necho anew\n```\n")
    assert check("check-prose", tmp_path)[0] == 0


def docs(tmp_path, text):
    (tmp_path / "Makefile").write_text("run: ## run\n\tx\n")
    for program in ("Hapsim", "Hapctl", "Haptest"):
        folder = tmp_path / "Tests" / f"{program}Tests" / "Help"
        folder.mkdir(parents=True)
        (folder / f"{program.lower()}.txt").write_text("Usage\n")
    (tmp_path / "Tests/HapsimTests/Help/run.txt").write_text("  --port N   the port\n")
    (tmp_path / "other.md").write_text("# A heading: with `code`\n# Twice\n# Twice\n")
    (tmp_path / "page.md").write_text(text)
    return check("check-docs", tmp_path)


@pytest.mark.parametrize(
    "text, error",
    [
        ("[x](gone.md)", "gone.md: there is no such file"),
        ("[x](other.md#nothing)", "no heading of this anchor"),
        ("[x](#nothing)", "no heading of this anchor"),
        ("[x](other.md#twice-2)", "no heading of this anchor"),
        ("`hapsim walk lamp`", "hapsim has no such command"),
        ("```sh\nhapsim walk lamp\n```", "hapsim has no such command"),
        ("`hapsim run lamp --harbour 1`", "hapsim run has no such option"),
        ("```sh\nx=1 hapsim run lamp --harbour 1\n```", "hapsim run has no such option"),
        ("`--harbour`", "no command has such an option"),
        ("`make walk`", "no such target"),
    ],
)
def test_what_does_not_exist_is_reported(tmp_path, text, error):
    status, output = docs(tmp_path, f"# Page\n{text}\n")
    assert status == 1 and error in output, output


def test_what_exists_passes(tmp_path):
    text = (
        "# Page\n[a](other.md) [b](other.md#a-heading-with-code) [c](other.md#twice-1) [d](#page) "
        "[e](https://example.org/x)\n`hapsim run lamp --port 1 | grep --colour x` `make run` `hapsim run --help`\n"
    )
    status, output = docs(tmp_path, text)
    assert status == 0, output


def test_a_line_that_names_an_old_command_on_purpose_has_a_mark(tmp_path):
    status, output = docs(tmp_path, "`hapsim walk lamp` is now `hapsim run`. <!-- docs: unknown -->\n")
    assert status == 0, output
