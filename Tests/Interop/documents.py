"""Reads the fenced blocks of Markdown pages. examples.py runs their commands.

Comments before the fence of a block state what the block needs. They are invisible in the rendered page:

    <!-- test: beside COMMAND -->    COMMAND serves an accessory while the block runs
    <!-- test: before COMMAND -->    COMMAND runs before the block
    <!-- test: elsewhere SYSTEM -->  the commands are for another system; nothing runs them
    <!-- test: status N COMMAND -->  the line that begins with COMMAND ends with status N
    <!-- test: stage FOLDER -->      the block is a part of FOLDER/transcript, which HomeStageTests compares with a run. A line "…" stands for any lines
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^( *)```(.*)$")
MARK = re.compile(r"<!-- test: (beside|before|status|stage|elsewhere) (.+?) -->")
LABELS = {"console", "diff", "groovy", "json", "sh", "swift", "text", "yaml"}


@dataclass
class Block:
    page: str
    line: int  # of the fence
    label: str
    lines: list
    marks: list = field(default_factory=list)

    @property
    def text(self):
        return "\n".join(self.lines) + "\n"

    def at(self, index):
        return f"{self.page}:{self.line + 1 + index}"

    def marked(self, kind):
        return [text for which, text in self.marks if which == kind]


def pages(root):
    """Returns the pages whose commands a reader may type, as paths relative to the repository."""
    found = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md")), *sorted((root / "Examples").rglob("*.md"))]
    return [str(path.relative_to(root)) for path in found if ".build" not in path.parts]


def blocks(page, text):
    """Returns the fenced blocks of a page. Raises ValueError if a fence is not closed."""
    found, marks, block = [], [], None
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        if block is None:
            marks += [match.groups() for match in MARK.finditer(line)]
            if fence:
                indent = len(fence[1])
                block = Block(page, number, fence[2].strip(), [], marks)
                marks = []
            elif line.strip() and not MARK.search(line):
                marks = []
        elif fence and not fence[2].strip():
            found.append(block)
            block = None
        else:
            block.lines.append(line[indent:] if not line[:indent].strip() else line)
    if block is not None:
        raise ValueError(f"{page}:{block.line}: the block is not closed")
    return found


@dataclass
class Command:
    index: int  # of its first line in the block
    text: str
    given: list  # lines for its standard input
    output: list  # the lines that a transcript shows


def commands(block):
    """Returns the commands of a block of `sh` or of a transcript with prompts (`console`)."""
    found, whole = [], True
    for index, line in enumerate(block.lines):
        prompt = line.startswith("$ ")
        if not whole:
            found[-1].text += "\n" + line
        elif block.label == "console" and not prompt:
            if not found:
                raise ValueError(f"{block.at(index)}: a transcript begins with a prompt")
            found[-1].output.append(line)
            continue
        elif line.startswith("{") and found:
            found[-1].given.append(line)
            continue
        elif not line.strip() or line.startswith("#"):
            continue
        else:
            found.append(Command(index, line.removeprefix("$ "), [], []))
        whole = not line.endswith("\\")
    return found


def transcript_commands(text):
    """Returns the commands of a transcript of Examples/Home, each with its output. A program in the background has the lines with its number."""
    found, jobs = [], 0
    for line in text.split("\n"):
        if line.startswith("$ "):
            jobs += line.endswith(" &")
            number = f"[{jobs}] " if line.endswith(" &") else ""
            found.append((line[2:].removesuffix(" &"), number, []))
        elif line.startswith(("# ", "until ", "wait ", "kill ", "clock ")) or not found:
            found.append(("", None, []))
        elif number := re.match(r"\[\d+\] ", line):
            # A program prints while other commands run.
            for _, own, output in found:
                if own == number[0]:
                    output.append(line.removeprefix(own))
        elif found[-1][1] == "":
            found[-1][2].append(line)
    for _, _, output in found:
        while output and not output[-1]:
            output.pop()  # the blank line before a comment
    return [(command, output) for command, _, output in found if command]


def agrees(shown, output):
    """Whether lines of a page are the output of a command. A line "…" stands for any lines."""
    if not shown:
        return not output
    if shown[0] == "…":
        return any(agrees(shown[1:], output[index:]) for index in range(len(output) + 1))
    return bool(output) and shown[0] == output[0] and agrees(shown[1:], output[1:])


def json_documents(text):
    """Returns the values of a JSON block: one document, one value in each line, or members of an object. Raises ValueError."""
    ways = ([text], text.strip().split("\n"), ["{" + text + "}"], ["{" + line + "}" for line in text.strip().split("\n")])
    first = None
    for way in ways:
        try:
            return [json.loads(part) for part in way]
        except ValueError as error:
            first = first or error
    raise first


def as_profile(value):
    """Returns a profile that contains this part of a profile, or None if the value is no part of a profile."""
    whole = {"format": "hasaccessory/1", "name": "Example", "services": [{"type": "Switch"}]}
    if not isinstance(value, dict) or "command" in value:
        return None
    if str(value.get("format", "")).startswith("hasaccessory/"):
        return value
    if set(value) == {"services"} or set(value) == {"quirks"} or "serialNumber" in value:
        return whole | value
    if "type" in value and "perms" in value:
        return whole | {"services": [{"type": "LightBulb", "characteristics": [value]}]}
    if "type" in value and set(value) & {"behaviour", "characteristics"}:
        return whole | {"services": [value]}
    return None


def page_blocks(root, page):
    return blocks(page, (Path(root) / page).read_text(encoding="utf-8"))
