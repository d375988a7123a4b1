"""The configuration of Sphinx for the documentation site. Scripts/build-site writes the sources (Site/stage.py) and calls Sphinx."""

from pathlib import Path

project = "hapsim"
html_title = "hapsim"
extensions = ["myst_parser"]
root_doc = "index"

# The pages are GitHub's Markdown. These additions of MyST would change the meaning of ordinary text.
myst_disable_syntax = ["myst_block_break", "myst_line_comment", "myst_target", "myst_role"]
# "--option" stays as it is written.
smartquotes = False
myst_heading_anchors = 6

# Text of terminals and excerpts of JSON are shown without colours where a lexer rejects them.
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "text"

html_theme = "furo"
html_theme_options = {"navigation_with_keys": False}
html_copy_source = False
html_use_index = False
html_show_sphinx = False
html_show_copyright = False
html_last_updated_fmt = None
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "scorer.js")
