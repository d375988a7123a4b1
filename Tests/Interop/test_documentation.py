"""Every command of the documentation is run, and every example is read by its program.

Blocks marked `text` are not run: they need the network, another machine or root. documents.py describes the comments for this test.

On real sockets because it runs the commands of the documentation as a reader does: the built programs in a shell.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

import pytest
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from documents import LABELS, agrees, as_profile, blocks, commands, json_documents, page_blocks, pages, transcript_commands
from process import ROOT, hapsim

PATIENCE = 280  # seconds for one page
PAGES = pages(ROOT)
BLOCKS = {page: page_blocks(ROOT, page) for page in PAGES}


def labelled(*labels):
    """Returns the pages that have blocks with one of these labels."""
    return [page for page in PAGES if any(block.label in labels for block in BLOCKS[page])]


def program(name, *words):
    path = os.path.join(os.path.dirname(hapsim()), name)
    return subprocess.run([path, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE)


def served(file, value, folder):
    """Serves a fleet or a scenario for 100 ms. Its profiles are two folders up, as in Examples."""
    place = folder / "examples" / "of-a-page" / file.name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(file.read_text())
    if not (folder / "Profiles").exists():
        (folder / "Profiles").symlink_to(ROOT / "Profiles")
    words = ["fleet", place] if "fleet" in value else ["run", "--scenario", place]
    return program("hapsim", *words, "--ephemeral", "--bonjour", "off", "--control", "off", "--duration", "100ms")


@pytest.mark.parametrize("page", labelled("sh", "console"))
def test_the_commands_of_a_page_succeed(page):
    run = run_page(page)
    assert run.returncode == 0, run.stdout + run.stderr


def run_page(page):
    # Paths of sockets are limited to about a hundred bytes, so this folder has a short path.
    with tempfile.TemporaryDirectory(prefix="page-") as folder:
        return subprocess.run(
            [ROOT / "Scripts/in-loopback-namespace", sys.executable, ROOT / "Tests/Interop/examples.py", page, f"{folder}/page"],
            cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip


STAGED = [page for page in PAGES if any(block.marked("stage") for block in BLOCKS[page])]


@pytest.mark.parametrize("page", STAGED)
def test_the_transcripts_of_a_page_are_those_of_a_demonstration(page):
    """HomeStageTests runs the demonstration and compares its transcript. The commands of a page are in the order of the transcript."""
    left = {}
    for block in BLOCKS[page]:
        for folder in block.marked("stage"):
            if folder not in left:
                left[folder] = transcript_commands((ROOT / folder / "transcript").read_text(encoding="utf-8"))
            for command in commands(block):
                where = f"{block.at(command.index)}: '{command.text}'"
                place = next((index for index, (text, _) in enumerate(left[folder]) if text == joined(command.text)), None)
                assert place is not None, f"{where} is not in {folder}/transcript, or not in this order"
                output = left[folder][place][1]
                assert agrees(command.output, output), f"{where} printed:\n" + "\n".join(output)
                left[folder] = left[folder][place + 1 :]


def joined(text):
    """Returns a command of several lines in one line."""
    return re.sub(r"\s*\\\n\s*", " ", text)


def test_a_wrong_transcript_is_found():
    text = "# A\n$ one &\n[1] a\n$ two\nb\n[1] c\n"
    assert transcript_commands(text) == [("one", ["a", "c"]), ("two", ["b"])]
    assert agrees(["a", "…"], ["a", "c"]) and agrees(["…", "c"], ["a", "c"]) and agrees([], []) and agrees(["…"], [])
    assert not agrees(["a"], ["a", "c"]) and not agrees([], ["a"]) and not agrees(["…", "a"], ["a", "c"])


BROKEN = """# A page
```sh
hapsim validate Profiles/lock.hasaccessory
hapsim run Profiles/no-such-profile.hasaccessory
hapsim types NoSuchType
hapsim run Profiles/lock.hasaccessory --ephemeral --commands
{"command": "no-such-command"}
```
<!-- test: status 1 hapsim types -->
```sh
hapsim types NoSuchType
hapsim behaviours | false
```
```sh
hapctl watch nothing
hapctl proxy 51900 nothing
curl -N http://127.0.0.1:1/v1/events
hapsim run Profiles/no-such-profile.hasaccessory --json | jq .
hapsim run Profiles/lock.hasaccessory --ephemeral | sed '/Ctrl-C to stop/q3'
```
```console
$ echo one
two
```
"""


def test_each_command_that_fails_is_reported_with_page_and_line(tmp_path):
    page = tmp_path / "broken.md"
    page.write_text(BROKEN)
    run = run_page(str(page))
    assert run.returncode == 1, run.stderr
    named = [int(line) for line in re.findall(rf"^{re.escape(str(page))}:(\d+): ", run.stdout, re.MULTILINE)]
    assert sorted(named) == [4, 5, 6, 12, 15, 16, 17, 18, 19, 22], run.stdout


def test_an_accessory_of_a_page_is_served_for_the_commands_after_it(tmp_path):
    page = tmp_path / "right.md"
    page.write_text(
        "```sh\nhapsim run Profiles/garage-kilgo.hasaccessory --setup-code 031-45-154 --name Garage --ephemeral\n```\n"
        "```sh\nhapctl pair garage --code 031-45-154\nhapctl watch garage\nhapctl unpair garage\n```\n"
    )
    run = run_page(str(page))
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_command_of_this_repository_is_hidden_in_a_block_of_text():
    ours = re.compile(r"(\$ )?(sudo )?(\S*/)?(make|hapsim|hapctl|haptest|curl) ")
    hidden = [
        f"{block.at(index)}: {line}"
        for page in PAGES for block in BLOCKS[page] if block.label == "text" and not block.marked("elsewhere")
        for index, line in enumerate(block.lines) if ours.match(line)
    ]  # fmt: skip
    assert not hidden, "no test runs these commands; label their blocks `sh`:\n" + "\n".join(hidden)


def test_every_block_has_a_known_label():
    wrong = [f"{page}:{block.line}: '{block.label}'" for page in PAGES for block in BLOCKS[page] if block.label not in LABELS]
    assert not wrong, f"these blocks have none of the labels {', '.join(sorted(LABELS))}:\n" + "\n".join(wrong)


@pytest.mark.parametrize("page", labelled("json"))
def test_hapsim_accepts_the_json_of_a_page(page, tmp_path):
    failures = []
    for block in (block for block in BLOCKS[page] if block.label == "json"):
        try:
            values = json_documents(block.text)
        except ValueError as error:
            failures.append(f"{page}:{block.line}: {error}")
            continue
        for profile in filter(None, map(as_profile, values)):
            file = tmp_path / "example.hasaccessory"
            (tmp_path / "kitchen.csv").write_text("0,19.5\n10min,21\n")
            file.write_text(json.dumps(profile))
            run = program("hapsim", "validate", file)
            if run.returncode:
                failures.append(f"{page}:{block.line}: {run.stdout}{run.stderr}")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("page", labelled("yaml"))
def test_the_programs_accept_the_yaml_of_a_page(page, tmp_path):
    failures = []
    for block in (block for block in BLOCKS[page] if block.label == "yaml"):
        try:
            value = YAML(typ="safe", pure=True).load(block.text)
        except YAMLError as error:
            failures.append(f"{page}:{block.line}: {error}")
            continue
        file = tmp_path / "example.yaml"
        file.write_text(block.text)
        if isinstance(value, dict) and {"area", "cases"} <= set(value):
            run = program("haptest", "validate", file)
        elif isinstance(value, dict) and {"area", "defects"} <= set(value):
            # Changes the id, because the example may have the id of a built-in defect.
            file.write_text(block.text.replace("- id: ", "- id: example-"))
            run = program("hapsim", "defects", "--defects", file)
        elif isinstance(value, dict) and ("fleet" in value or "scenario" in value):
            run = served(file, value, tmp_path)
        else:
            continue
        if run.returncode:
            failures.append(f"{page}:{block.line}: {run.stdout}{run.stderr}")
    assert not failures, "\n".join(failures)


def test_a_block_has_its_lines_its_label_and_its_marks():
    text = "Before\n\n<!-- test: beside hapsim run a -->\n<!-- test: status 1 b -->\n```sh\nb   # why\n\nc \\\n  d\n{\"id\": 1}\n```\n```\nplain\n```\n"
    first, second = blocks("p.md", text)
    assert (first.line, first.label, first.at(0)) == (5, "sh", "p.md:6")
    assert (first.marked("beside"), first.marked("status")) == (["hapsim run a"], ["1 b"])
    assert [(c.index, c.text, c.given) for c in commands(first)] == [(0, "b   # why", []), (2, "c \\\n  d", ['{"id": 1}'])]
    assert (second.label, second.text, second.marks) == ("", "plain\n", [])
    with pytest.raises(ValueError, match="p.md:1: the block is not closed"):
        blocks("p.md", "```sh\nx\n")


def test_a_transcript_has_commands_and_their_output():
    (block,) = blocks("p.md", "```console\n$ a\nx\n$ b\n```\n")
    assert [(c.text, c.output) for c in commands(block)] == [("a", ["x"]), ("b", [])]
