"""Pages of the site about Swift libraries, made from DocC archives. The site's search finds symbols by these pages; each one links to its page of DocC."""

import json
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

# A type's conformances to protocols of the standard library, as DocC names the pages of their members.
IMPLEMENTATIONS = " Implementations"


@dataclass(frozen=True)
class LibraryPage:
    name: str
    abstract: str  # HTML
    text: str  # Markdown


class Archive:
    """A .doccarchive of one library."""

    def __init__(self, folder):
        self.folder = folder
        (self.root,) = json.loads((folder / "index/index.json").read_text())["interfaceLanguages"]["swift"]

    def abstract(self, path):
        """The first sentences about a symbol, as HTML."""
        file = self.folder / f"data{path}.json"
        if not file.exists():
            return ""
        page = json.loads(file.read_text())
        return "".join(self._inline(part, page["references"]) for part in page.get("abstract", []))

    def _inline(self, part, references):
        if part["type"] == "text":
            return escape(part["text"])
        if part["type"] == "codeVoice":
            return f"<code>{escape(part['code'])}</code>"
        if part["type"] == "reference":
            return f"<code>{escape(references[part['identifier']]['title'])}</code>"
        return "".join(self._inline(inner, references) for inner in part.get("inlineContent", []))


def is_listed(entry):
    return "path" in entry and not entry["title"].endswith(IMPLEMENTATIONS)


def link(entry):
    """A link to a page of DocC. Pages of DocC need the slash at the end."""
    return f'<a href="{quote(entry["path"].lstrip("/"))}/"><code>{escape(entry["title"])}</code></a>'


def item(archive, entry):
    """A line of a list, with the members of a nested type."""
    abstract = archive.abstract(entry["path"])
    members = [item(archive, child) for child in entry.get("children", []) if is_listed(child)]
    return f"<li>{link(entry)} {abstract}{listing(members)}</li>"


def listing(items):
    return "<ul>\n" + "\n".join(items) + "\n</ul>" if items else ""


def library_page(folder):
    """The page of a library: its symbols in the order of its topics. Each type has a heading."""
    archive = Archive(folder)
    root = archive.root
    lines = [f"# {root['title']}", "", f"<p>{archive.abstract(root['path'])}</p>", ""]
    lines += [f"<p>Overview, declarations, parameters and examples: {link(root)}. This page lists all symbols.</p>", ""]
    alone = []  # symbols without members, which share a list

    def end_list():
        lines.extend([listing(alone), ""] if alone else [])
        alone.clear()

    for entry in root.get("children", []):
        if entry["type"] == "groupMarker":
            end_list()
            lines += [f"## {entry['title']}", ""]
        elif is_listed(entry):
            members = [item(archive, child) for child in entry.get("children", []) if is_listed(child)]
            if not members:
                alone.append(item(archive, entry))
                continue
            end_list()
            lines += [f"### {entry['title']}", "", f"<p>{link(entry)} {archive.abstract(entry['path'])}</p>", "", listing(members), ""]
    end_list()
    return LibraryPage(root["title"], archive.abstract(root["path"]), "\n".join(lines))


def overview_page(pages):
    rows = [f'<tr><td><a href="{page.name}.html">{page.name}</a></td><td>{page.abstract}</td></tr>' for page in pages]
    table = "\n".join(['<table class="docutils">', "<thead><tr><th>library</th><th>purpose</th></tr></thead>", "<tbody>", *rows, "</tbody></table>"])
    return f"# Swift libraries\n\nThe reference of each library is made from its source by DocC, and needs JavaScript. The search of this site finds all symbols.\n\n{table}\n"
