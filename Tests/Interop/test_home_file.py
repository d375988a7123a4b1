"""YAML that this project writes, read by PyYAML (YAML 1.1) and ruamel.yaml (YAML 1.2): both must read the value of the JSON form.

Without sockets: a built program reads standard input.
"""

import json
import math
import random
import subprocess
from pathlib import Path

import pytest
import ruamel.yaml
import yaml

from process import hapsim

# Texts that YAML 1.1 or 1.2 reads as another kind of value, or that need quotes for another reason.
TEXTS = [
    "", " ", "a ", " a", "on", "off", "yes", "No", "y", "n", "true", "NULL", "null", "~", "18:00", "1:30:15", "2026-06-01", "2026-06-01T19:00",
    "0x1F", "0o17", "017", "0b1", "1_000", "1e3", "1.", ".5", ".inf", "-.INF", ".nan", "-", "- a", "a: b", "a:", ":a", "#a", "a #b", "a#b", "&a", "*a",
    "!a", "!!str a", "|", ">", "%a", "@a", "`a", "'", '"', "''", "a'b", 'a"b', "[a]", "{a", "a,b", "a, b", "?", "? a", "---", "...", "<<", "=", "a\nb",
    "\n", "a\tb", "\\", "\u0085", "\u2028", "\ufeff", "\u0000", "\u001b", "é", "🙂", "x" * 300, "AA:BB:CC:00:00:01", "+1", "-0", "1,5", "{}", "[]",
]


def answers(command, texts):
    program = Path(hapsim()).with_name("HomeFileRunner")
    done = subprocess.run([program, command], input=json.dumps(texts), capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout)


def tree(source, depth):
    """Returns a random value of JSON."""
    kind = source.randrange(9 if depth else 6)
    if kind < 3:
        return source.choice(TEXTS)
    if kind == 3:
        return source.choice([None, True, False])
    if kind == 4:
        return source.choice([0, 7, -1, 2**40, 10**12])
    if kind == 5:
        return source.choice([0.5, -2.25, 100.125])
    if kind == 6:
        return [tree(source, depth - 1) for _ in range(source.randrange(4))]
    return {source.choice(TEXTS): tree(source, depth - 1) for _ in range(source.randrange(5))}


def readers():
    modern = ruamel.yaml.YAML(typ="safe", pure=True)
    modern.version = (1, 2)
    return {"PyYAML": yaml.safe_load, "ruamel.yaml": modern.load}


def equal(one, other):
    """Compares values with their kinds: 1 is not true, and not 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other))


@pytest.mark.parametrize("name", ["PyYAML", "ruamel.yaml"])
def test_other_software_reads_the_written_yaml_as_the_same_value(name):
    source = random.Random(26)
    values = [text for text in TEXTS] + [{text: text} for text in TEXTS] + [[text] for text in TEXTS] + [tree(source, 4) for _ in range(400)]
    wrong = []
    for value, text in zip(values, answers("yaml", [json.dumps(value) for value in values]), strict=True):
        try:
            read = readers()[name](text)
        except Exception as error:
            read = f"refused: {error}"
        if not equal(read, value):
            wrong.append((value, text, read))
    assert not wrong, f"{len(wrong)} of {len(values)}: {wrong[:8]}"


@pytest.mark.parametrize("name", ["PyYAML", "ruamel.yaml"])
def test_other_software_reads_both_forms_of_a_home_as_the_same_value(name):
    documents = [path.read_text() for path in sorted(Path("Fuzz/Corpus/hashome").glob("seed-*"))]
    read = [forms for forms in answers("hashome", documents) if isinstance(forms, list)]
    assert len(read) >= 3
    for written_yaml, written_json in read:
        assert equal(readers()[name](written_yaml), json.loads(written_json)), written_yaml
