"""Scripts/corpus: what it compares and what it ignores.

Without sockets: two small folders are compared.
"""

import subprocess
import sys

import pytest

from process import ROOT

sys.path.insert(0, str(ROOT / "Scripts"))
import corpus_compare  # noqa: E402

PAIRED = """$ hapctl pair 127.0.0.1:8826 --code 031-45-154 --alias garage
Paired with {device}, called garage.
exit status 0
"""


@pytest.fixture
def folders(tmp_path):
    """`folders(old, new)` writes the files of two recordings and returns their paths."""

    def write(old, new):
        for name, texts in (("old", old), ("new", new)):
            for path, text in {"manifest.json": name, **texts}.items():
                file = tmp_path / name / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        return tmp_path / "old", tmp_path / "new"

    return write


def normalized(path, text, **how):
    return "\n".join(corpus_compare.normalized(path, text, **how))


def test_equal_recordings_have_no_differences_and_kept_and_the_manifest_are_ignored(folders):
    old, new = folders({"texts/a.txt": "one\n", "kept/a": "x"}, {"texts/a.txt": "one\n", "kept/a": "y", "kept/b": ""})
    assert corpus_compare.compare(old, new) == ([], [])


def test_a_changed_a_missing_and_a_new_file_are_differences(folders):
    old, new = folders({"a.txt": "one\ntwo\n", "b.txt": ""}, {"a.txt": "one\nthree\n", "c.txt": ""})
    (changed, missing, added), _ = corpus_compare.compare(old, new)
    assert "-two" in changed.splitlines() and "+three" in changed.splitlines()
    assert (missing, added) == ("b.txt: missing", "c.txt: new")


def test_an_intended_difference_is_skipped_and_an_entry_that_matches_nothing_is_reported(folders):
    old, new = folders({"a.txt": "one\ntwo\n"}, {"a.txt": "one\nthree\n"})
    intended = "# both signs\nfiles: a.txt\nlines: ^[-+]t\nwhy: numbers rose\n\nfiles: b*\nlines: .\nwhy: never\n"
    found, unused = corpus_compare.compare(old, new, intended)
    assert found == [] and [(entry.files, entry.number) for entry in unused] == [("b*", 6)]


def test_a_file_with_another_difference_besides_the_intended_one_is_reported(folders):
    old, new = folders({"a.txt": "one\ntwo\n"}, {"a.txt": "won\nthree\n"})
    found, unused = corpus_compare.compare(old, new, "files: a.txt\nlines: ^[-+]t\nwhy: numbers rose\n")
    assert len(found) == 1 and unused == []


def test_a_replaced_word_is_expected_in_the_new_recording_also_where_it_breaks_lines_differently(folders):
    old, new = folders(
        {"a.txt": "show the manners of\nan accessory\n", "b.txt": "manners\n"},
        {"a.txt": "show the quirks of an\naccessory\n", "b.txt": "manners\n"},
    )
    intended = "files: *.txt\nreplace: \\bmanners\\b\nwith: quirks\nwhy: the word of the field\n"
    found, unused = corpus_compare.compare(old, new, intended)
    assert len(found) == 1 and "-quirks" in found[0] and unused == []


@pytest.mark.parametrize(
    "text", ["files: a\n", "files: a\nlines: x\n", "file: a\n", "files: a\nfiles: b\n", "files: a\nlines: (\nwhy: x\n",
             "files: a\nlines: x\nreplace: y\nwhy: x\n", "files: a\nlines: x\nwhy:\n"]
)  # fmt: skip
def test_a_malformed_file_of_intended_differences_is_refused_with_a_line(text):
    with pytest.raises(ValueError, match=r"line \d+: "):
        corpus_compare.intended_differences(text)


def test_random_identifiers_are_replaced_by_numbers_only_in_live_recordings():
    first, second = PAIRED.format(device="2E:9C:96:62:5A:87"), PAIRED.format(device="00:11:22:33:44:55")
    assert normalized("live/a.txt", first) == normalized("live/a.txt", second)
    assert "Paired with <device 1>" in normalized("live/a.txt", first)
    assert normalized("texts/a.txt", first) == first
    assert "<device 1> <device 2> <device 1>" in normalized(
        "live/a.txt", "2E:9C:96:62:5A:87 00:11:22:33:44:55 2E:9C:96:62:5A:87")


def test_chosen_ports_and_codes_stay_and_random_ones_are_replaced():
    text = normalized("live/a.txt", '127.0.0.1:8826 127.0.0.1:43569 "port":43569 031-45-154 575-70-600')
    assert text == '127.0.0.1:8826 127.0.0.1:<port> "port":<port> 031-45-154 <code>'


def test_real_times_are_replaced_and_virtual_durations_stay():
    text = '<testsuite time="10.572" timestamp="2026-11-24T16:40:59">'
    assert normalized("world/junit.xml", text, exact=True) == '<testsuite time="10.572" timestamp="<time>">'


def test_seed_dependent_lines_of_a_world_are_compared_only_exactly(folders):
    text = "haptest 0.1.0 · Lock at 127.0.0.1:{} · seed 1\nPASS        {}  75 ms\nPASS        {}  <1 ms\n"
    old, new = folders({"world/a.txt": text.format(48572, "RD-01", "WR-01")}, {"world/a.txt": text.format(50001, "WR-01", "RD-01")})
    assert corpus_compare.compare(old, new) == ([], [])
    assert len(corpus_compare.compare(old, new, exact=True)[0]) == 1
    old, new = folders({"world/a.trace": "world: 1.5 seconds passed, trace a"}, {"world/a.trace": "world: 1.5 seconds passed, trace b"})
    assert len(corpus_compare.compare(old, new)[0]) == 1


def test_unsolicited_events_are_moved_to_the_end_without_duplicates():
    text = '{"event":"advertised"}\n{"event":"wrote"}\n{"event":"advertised"}\n{"event":"paired"}'
    assert normalized("live/a.txt", text) == '{"event":"wrote"}\n{"event":"paired"}\n{"event":"advertised"}'


def test_pairing_bodies_are_shown_without_keys_and_other_bodies_as_they_are():
    proof = "0620" + "ab" * 32
    long = "03ff" + "ab" * 255 + "0381" + "cd" * 129
    text = f"> connection 1, 0.031 s\n  POST /pair-setup HTTP/1.1\n  060101{long}\n  060103{proof}\n  {{\"value\":1}}"
    assert normalized("captures/a.txt", text).splitlines() == [
        "> connection 1", "  POST /pair-setup HTTP/1.1", "  TLV 06=01 03=<key>", "  TLV 06=03 06=<key>", '  {"value":1}',
    ]  # fmt: skip


def test_the_first_list_of_accessories_is_compared_and_later_ones_are_not():
    ask, answer = "> connection 2, {} s\n  GET /accessories HTTP/1.1", "< connection 2, {} s\n  HTTP/1.1 200 OK\n  {{}}"
    read = "> connection 2, 0.2 s\n  GET /characteristics?id=1.2 HTTP/1.1\n\n< connection 2, 0.2 s\n  HTTP/1.1 200 OK"
    once = "\n\n".join([ask.format(0.1), answer.format(0.1), read])
    twice = "\n\n".join([ask.format(0.1), answer.format(0.1), ask.format(0.2), answer.format(0.2), read])
    assert normalized("captures/a.txt", twice) == normalized("captures/a.txt", once)
    assert once.count("HTTP/1.1 200 OK") == normalized("captures/a.txt", twice).count("HTTP/1.1 200 OK")


def test_long_json_is_split_at_its_commas_and_texts_in_it_are_not():
    text = '{"a":[1,2],"b":"' + "x,{" * 200 + '"}'
    assert normalized("a.json", text).splitlines()[:4] == ["{", '"a":[', "1,", "2],"]
    assert "".join(normalized("a.json", text).splitlines()) == text


def test_the_script_exits_with_1_if_recordings_differ_or_an_entry_is_unused(folders, tmp_path):
    old, new = folders({"a.txt": "one\n"}, {"a.txt": "two\n"})
    intended = tmp_path / "intended"

    def status(text):
        intended.write_text(text)
        words = [sys.executable, "-B", ROOT / "Scripts" / "corpus", "compare", old, new, "--intended", intended]
        return subprocess.run(words, capture_output=True, timeout=60).returncode

    entry = "files: a.txt\nlines: .\nwhy: counted again\n"
    assert [status(""), status(entry), status(f"{entry}\nfiles: b\nlines: .\nwhy: never\n"), status("files\n")] == [1, 0, 1, 2]
