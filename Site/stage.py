#!/usr/bin/env python3
"""Writes the sources of the documentation site: the Markdown pages of the repository, and a page for each file and folder that they link to.

    Site/stage.py FOLDER [ARCHIVE…]      ARCHIVE: a .doccarchive of a Swift library, which gets a list of its symbols

The pages keep their paths, but a README becomes the index of its folder. The tables of docs/README.md determine the navigation. The exit status is 1 if
a page of docs/ is in no table, or if a link has no target.
"""

import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from markdown_it import MarkdownIt

from symbols import library_page, overview_page

ROOT = Path(__file__).resolve().parent.parent
FIRST = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
PARTS = ("Tutorials", "Guides", "Reference", "Internals")
IMAGES = {".png", ".svg", ".jpg"}
LARGEST = 100_000  # bytes of a file that a page shows; a larger one can only be downloaded
LANGUAGES = {".swift": "swift", ".py": "python", ".sh": "bash", ".json": "json", ".hasaccessory": "json", ".hashome": "json", ".yml": "yaml", ".yaml": "yaml"}
# Contents that readers of the site have at the side of the page, and marks for the project's own tests.
CONTENTS = re.compile(r"<!-- contents -->.*?<!-- /contents -->\n*", re.S)
COMMENT = re.compile(r"^<!--.*-->\s*$")
FENCE = re.compile(r"\s*(`{3,}|~{3,})")
# Pages outside the navigation, which the search leaves out.
UNLISTED = "---\norphan: true\nnosearch: true\n---\n\n"

parser = MarkdownIt("commonmark").enable("table")


def hrefs(text):
    """The targets of the links and images of a page, as they are written, in order."""
    found = {}
    for token in parser.parse(text):
        for child in token.children or []:
            if child.type in ("link_open", "image"):
                found[unquote(child.attrGet("href" if child.type == "link_open" else "src"))] = None
    return list(found)


def is_elsewhere(href):
    return re.match(r"[a-z]+:", href) is not None or href.startswith("#")


def heading(text):
    """The title of a page, without Markdown."""
    title = re.search(r"^# (.+)$", text, re.M)
    return re.sub(r"[`*]", "", title[1]).strip() if title else None


def place_of(path):
    """The path in the staged sources of a path of the repository."""
    if path.suffix == ".md":
        return path.parent / "index.md" if path.name == "README.md" else path
    if path.suffix in IMAGES:
        return path
    if (ROOT / path).is_dir():
        return PurePosixPath("files") / path / "index.md"
    return PurePosixPath("files") / f"{path}.md"


def listed(folder):
    """The names of the files and folders that the page of a folder lists."""
    return sorted(entry.name for entry in (ROOT / folder).iterdir() if not entry.name.startswith((".", "__")))


class Staging:
    def __init__(self, folder):
        self.folder = folder
        self.texts = {}  # of staged pages, by path of the repository
        self.errors = []

    def stage(self, paths):
        waiting = list(paths)
        while waiting:
            path = waiting.pop()
            if path in self.texts:
                continue
            if path.suffix in IMAGES:
                self.copy(path, path)
                self.texts[path] = None
                continue
            if path.suffix != ".md":
                is_folder = (ROOT / path).is_dir()
                waiting += [path / name for name in listed(path)] if is_folder else []
                self.texts[path] = self.listing(path) if is_folder else self.source(path)
                continue
            text = self.page(path)
            targets = {href: self.target(path, href) for href in hrefs(text) if not is_elsewhere(href)}
            self.texts[path] = self.linked(path, text, targets)
            waiting += [target for target in targets.values() if target]

    def target(self, page, href):
        """The path of the repository to which a link points. A folder with a README is represented by it."""
        path = PurePosixPath(os.path.normpath(page.parent / href.partition("#")[0]))
        if path.parts[:1] == ("..",) or not (ROOT / path).exists():
            self.errors.append(f"{page}: {href}: there is no such file in the repository; correct the link")
            return None
        readme = path / "README.md"
        return readme if (ROOT / readme).exists() else path

    def page(self, path):
        text = CONTENTS.sub("", (ROOT / path).read_text())
        lines, fence = [], None
        for line in text.splitlines():
            if mark := FENCE.match(line):
                fence = None if fence else mark[1]
            if fence or not COMMENT.match(line):
                lines.append(line)
        return "\n".join(lines) + "\n"

    def linked(self, page, text, targets):
        """The text of a page with links to staged pages."""
        lines, fenced = [], False
        for line in text.splitlines():
            fenced ^= FENCE.match(line) is not None
            if not fenced:
                for href, target in targets.items():
                    if target:
                        anchor = href.partition("#")[1:]
                        line = line.replace(f"]({href})", f"]({relative(place_of(page), place_of(target))}{''.join(anchor)})")
            lines.append(line)
        return "\n".join(lines) + "\n"

    def source(self, path):
        """The page of a file, with its text and a download."""
        copy = PurePosixPath("files") / path
        self.copy(path, copy)
        text = f"{UNLISTED}# `{path}`\n\n[Download]({quote(copy.name)})\n"
        if (ROOT / path).stat().st_size > LARGEST:
            return text
        content = (ROOT / path).read_text().rstrip("\n")
        language = LANGUAGES.get(path.suffix, "bash" if content.startswith("#!") else "text")
        fence = "`" * (max(map(len, re.findall("`+", content)), default=0) + 3)
        return f"{text}\n{fence}{language}\n{content}\n{fence}\n"

    def listing(self, path):
        """The page of a folder without a README."""
        names = [f"- [`{name}`]({relative(place_of(path), place_of(path / name))})" for name in listed(path)]
        return f"{UNLISTED}# `{path}/`\n\n" + "\n".join(names) + "\n"

    def copy(self, path, place):
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)

    def write(self, place, text):
        target = self.folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def relative(page, target):
    return quote(os.path.relpath(target, page.parent))


def toctree(caption, entries):
    """A part of the navigation. Entries: titles with paths of staged pages."""
    lines = [f"{title} <{PurePosixPath(place).with_suffix('')}>" for title, place in entries]
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {caption}", "", *lines, "```", ""])


def parts_of(text):
    """The parts of docs/README.md: titles and paths of the pages in their tables."""
    for part in PARTS:
        section = re.search(rf"^## {part}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
        rows = re.findall(r"^\| \[([^\]]+)\]\(([^)#]+)\)", section[1], re.M) if section else []
        yield part, [(title, PurePosixPath(os.path.normpath(f"docs/{path}"))) for title, path in rows]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder, archives = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    shutil.rmtree(folder, ignore_errors=True)
    staging = Staging(folder)
    documents = sorted(PurePosixPath(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
    staging.stage([*map(PurePosixPath, FIRST), *documents])

    parts = list(parts_of((ROOT / "docs/README.md").read_text()))
    named = {path for _, entries in parts for _, path in entries} | {PurePosixPath("docs/README.md")}
    staging.errors += [f"{path}: no table of docs/README.md has a link to this page; add one" for path in documents if path not in named]

    navigation = "".join(toctree(part, [(title, place_of(path)) for title, path in entries]) for part, entries in parts)
    if archives:
        pages = [library_page(archive) for archive in archives]
        staging.write("api/index.md", overview_page(pages))
        for page in pages:
            staging.write(f"api/{page.name}.md", page.text)
        navigation += toctree("Swift libraries", [("Overview", "api/index.md"), *((page.name, f"api/{page.name}.md") for page in pages)])
    examples = sorted(path for path in staging.texts if path.suffix == ".md" and path not in named and str(path) not in FIRST)
    navigation += toctree("Examples and data", [(heading(staging.texts[path]) or path.stem, place_of(path)) for path in examples])
    navigation += toctree("Project", [("All pages and glossary", "docs/index.md"), ("Changes", "CHANGELOG.md"), ("Contributing", "CONTRIBUTING.md")])
    for path, text in staging.texts.items():
        if text is not None:
            staging.write(place_of(path), text + navigation if str(path) == "README.md" else text)
    for error in staging.errors:
        print(f"error: {error}", file=sys.stderr)
    sys.exit(1 if staging.errors else 0)


main()
