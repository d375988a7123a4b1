#!/usr/bin/env python3
"""Copies DocC archives into one folder of the site, so that they work below any address, and without a request to another host.

    Site/archives.py FOLDER ARCHIVE…
"""

import json
import re
import shutil
import sys
from pathlib import Path

# The database of the navigation is for documentation viewers; a browser reads index.json. The pictures are for links on social networks.
LEFT_OUT = shutil.ignore_patterns("*.mdb", "navigator.index", "availability.index", "developer-og*", "metadata.json")
INDEX = "index/index.json"


def with_relative_addresses(text, depth):
    """The text of a page of DocC, which contains addresses below the root of a host."""
    up = "../" * depth
    text = text.replace('href="/', f'href="{up}').replace('src="/', f'src="{up}')
    # DocC's pages have no link to other pages of the site.
    text = re.sub(r"(<body[^>]*>)", rf'\1<p style="margin: 0; padding: .4rem 1rem; font: 14px sans-serif"><a href="{up}index.html">hapsim documentation</a></p>', text)
    return text.replace('var baseUrl = "/"', f'var baseUrl = new URL("{up}", document.location.href).pathname')


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, archives = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    indexes = []
    for archive in archives:
        for part in sorted(archive.iterdir()):
            # The start page of the libraries is not one of DocC.
            if part.is_dir():
                shutil.copytree(part, folder / part.name, ignore=LEFT_OUT, dirs_exist_ok=True)
            elif part.name.startswith("favicon."):
                shutil.copyfile(part, folder / part.name)
        indexes.append(json.loads((archive / INDEX).read_text()))
    merged = indexes[0]
    for index in indexes[1:]:
        merged["includedArchiveIdentifiers"] += index["includedArchiveIdentifiers"]
        for language, modules in index["interfaceLanguages"].items():
            merged["interfaceLanguages"].setdefault(language, []).extend(modules)
    (folder / INDEX).write_text(json.dumps(merged, sort_keys=True, separators=(",", ":")))
    # DocC's script asks for it.
    (folder / "theme-settings.json").write_text("{}\n")
    for page in sorted((folder / "documentation").rglob("index.html")):
        page.write_text(with_relative_addresses(page.read_text(), len(page.relative_to(folder).parts) - 1))


main()
