"""The list of libraries in the programs, their licences, and the bill of materials of a release.

Without sockets: the tests run a script on the sources and on the built programs.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from process import ROOT, hapsim

sys.path.insert(0, str(ROOT / "Scripts"))
import third_party as parties  # noqa: E402

SCRIPT = ROOT / "Scripts/third-party"
SPDX = ROOT / ".venv-release/bin/pyspdxtools"
PATIENCE = 600  # seconds; reached only if a process hangs


def run(*words):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600"}
    return subprocess.run([SCRIPT, *words], capture_output=True, text=True, timeout=PATIENCE, env=environment)


def is_valid(path):
    assert SPDX.exists(), f"{SPDX} is missing; run `make test-deps`"
    return subprocess.run([SPDX, "-i", path], capture_output=True, text=True, timeout=PATIENCE)


# MARK: the list


def test_each_library_is_in_the_list_and_the_page_has_the_list():
    checked = run("check")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.fixture
def checkout(tmp_path):
    """A copy of the files that the check reads."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "Sources", root / "Sources", symlinks=True)
    for name in ("Package.swift", "Scripts/static-libraries", parties.LIST, parties.PAGE):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    assert parties.page(root) == (ROOT / parties.PAGE).read_text()
    return root


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("path", "old", "new", "library"),
    [
        ("Sources/CSQLite/module.modulemap", 'link "sqlite3"', 'link "sqlite3"\n  link "other"', "other"),
        ("Sources/HAPDiscovery/Daemon/DNSSDLibrary.swift", 'dlopen("libdns_sd.so.1"', 'dlopen("libother.so.1"', "libother.so.1"),
        ("Package.swift", '.target(name: "HAPWire")', '.target(name: "HAPWire", linkerSettings: [.linkedLibrary("other")])', "other"),
        ("Scripts/static-libraries", "-lbsd -lmd -ltinfo", "-lbsd -lother", "other"),
        ("Scripts/third-party.json", '"links": ["yaml"]', '"links": []', "yaml"),
    ],
)
def test_a_library_that_is_not_in_the_list_is_an_error(checkout, path, old, new, library):
    edit(checkout / path, old, new)
    with pytest.raises(parties.Problem, match=rf"{re.escape(library)}, which is not in Scripts/third-party.json"):
        parties.page(checkout)


def test_an_entry_that_no_program_uses_is_an_error(checkout):
    edit(checkout / parties.LIST, '"links": ["yaml"]', '"links": ["yaml", "z"]')
    parties.page(checkout)
    edit(checkout / "Sources/CEdit/module.modulemap", 'link "edit"', "")
    with pytest.raises(parties.Problem, match="no program links libedit"):
        parties.page(checkout)


def test_a_library_of_one_target_is_listed_only_for_the_programs_with_this_target(checkout):
    users = parties.programs_by_component(checkout)
    assert users["libedit"] == ["hapctl"] and users["qrencode"] == ["hapsim"] and users["libuv"] == list(parties.PROGRAMS)


@pytest.mark.skipif(not parties.is_debian_12(), reason="the licences are compared with the files of Debian 12")
def test_a_licence_or_a_holder_that_debians_file_does_not_name_is_an_error(checkout):
    assert list(parties.licence_errors(checkout)) == []
    edit(checkout / parties.LIST, '"licence": "ISC"', '"licence": "Zlib"')
    edit(checkout / parties.LIST, "Kirill Simonov", "Another Person")
    errors = list(parties.licence_errors(checkout))
    assert len(errors) == 2 and "libsodium" in errors[0] and "Another Person" in errors[1], errors


# MARK: the built programs


@pytest.fixture(scope="module")
def programs():
    return Path(hapsim()).parent


@pytest.fixture(scope="module")
def document(programs, tmp_path_factory):
    path = tmp_path_factory.mktemp("sbom") / "first.spdx.json"
    made = run("sbom", "hapsim.tar.gz", "1.0.0", "--programs", programs, "--packed", programs, "--artefact", SCRIPT, "--output", path)
    assert made.returncode == 0, made.stderr
    return path


def test_the_bill_of_materials_is_valid_and_lists_each_library_of_each_program(document, programs):
    checked = is_valid(document)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    content = json.loads(document.read_text())
    assert content["creationInfo"]["created"] == "2026-01-01T00:00:00Z"
    packages = {package["SPDXID"]: package for package in content["packages"]}
    assert len(packages) == len(content["packages"])
    pairs = {(relation["spdxElementId"], relation["relatedSpdxElement"]) for relation in content["relationships"]}
    for program in parties.PROGRAMS:
        own = f"SPDXRef-Program-{program}"
        for part, users in parties.programs_by_component().items():
            linked = any((own, f"SPDXRef-{part.replace('_', '-')}-{how}") in pairs for how in ("static", "shared"))
            optional = (f"SPDXRef-{part.replace('_', '-')}-loaded", own) in pairs
            # A shared library may need further ones by itself. Whether the compiler's own libraries are needed depends on the build.
            if part not in ("libbsd", "libmd", "ncurses", "libgcc", "libstdcxx"):
                assert (linked or optional) == (program in users), (program, part)
        sums = packages[own]["checksums"]
        digest = subprocess.run(["sha256sum", programs / program], capture_output=True, text=True, check=True).stdout.split()[0]
        assert [entry["checksumValue"] for entry in sums] == [digest]


@pytest.fixture(scope="module")
def one(programs, tmp_path_factory):
    """A folder with one program, because reading the symbols of all takes seconds."""
    folder = tmp_path_factory.mktemp("one")
    (folder / "haptest").symlink_to(programs / "haptest")
    return folder


def test_equal_inputs_give_equal_bytes(one, tmp_path):
    paths = [tmp_path / f"{number}.spdx.json" for number in range(3)]
    for path in paths[:2]:
        assert run("sbom", "x.tar.gz", "1.0.0", "--programs", one, "--packed", one, "--artefact", SCRIPT, "--output", path).returncode == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert run("sbom", "x.tar.gz", "1.0.0", "--output", paths[2]).returncode == 0
    names = {json.loads(path.read_text())["documentNamespace"] for path in paths}
    assert len(names) == 2


def test_the_tool_that_validates_refuses_an_invalid_document(document, tmp_path):
    content = json.loads(document.read_text())
    content["packages"][0]["licenseDeclared"] = "No-Such-Licence"
    path = tmp_path / "invalid.spdx.json"
    path.write_text(json.dumps(content))
    assert is_valid(path).returncode != 0


def test_an_artefact_without_programs_and_an_image_with_packages_are_described(tmp_path):
    status = tmp_path / "status"
    status.write_text(
        "Package: tzdata\nStatus: install ok installed\nArchitecture: all\nVersion: 2026a-0+deb12u1\n\n"
        "Package: gone\nStatus: deinstall ok config-files\nArchitecture: all\nVersion: 1\n"
    )
    path = tmp_path / "image.spdx.json"
    assert run("sbom", "image", "1.0.0", "--dpkg-status", status, "--output", path).returncode == 0
    checked = is_valid(path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    packages = json.loads(path.read_text())["packages"]
    assert [package["name"] for package in packages] == ["image", "tzdata"]
    assert packages[1]["externalRefs"][0]["referenceLocator"] == "pkg:deb/debian/tzdata@2026a-0%2Bdeb12u1?arch=all"


def test_the_texts_are_those_of_the_static_libraries(document, one, tmp_path):
    made = run("texts", tmp_path, "--programs", one)
    relations = json.loads(document.read_text())["relationships"]
    static = {relation["relatedSpdxElement"] for relation in relations if (relation["spdxElementId"], relation["relationshipType"]) == ("SPDXRef-Program-haptest", "STATIC_LINK")}
    if not static:
        assert made.returncode == 1 and "no program with a static library" in made.stderr
        return
    names = {name.removeprefix("SPDXRef-").removesuffix("-static") for name in static}
    assert {path.stem for path in tmp_path.glob("*.txt")} == names
    assert (tmp_path / parties.PAGE).read_bytes() == (ROOT / parties.PAGE).read_bytes()
    for path in tmp_path.glob("*.txt"):
        assert len(path.read_text()) > 1000, path.name


def test_a_static_library_whose_archive_is_not_in_the_list_is_an_error(checkout, programs):
    if not any(how == "static" for name, how, _ in parties.linked_parts(programs / "haptest") if name == "libyaml"):
        pytest.skip("these programs use the shared LibYAML")
    edit(checkout / parties.LIST, '"archives": ["libyaml.a"], ', "")
    with pytest.raises(parties.Problem, match="linked with LibYAML, but Scripts/third-party.json has no archive of it"):
        parties.linked_parts(programs / "haptest", checkout)


@pytest.mark.parametrize(("program", "error"), [("curl", "needs libcurl.so.4, which is not in"), ("true", "has no symbols")])
def test_a_program_with_another_library_or_without_symbols_is_refused(program, error, tmp_path):
    shutil.copyfile(shutil.which(program), tmp_path / "hapsim")
    made = run("sbom", "x", "1.0.0", "--programs", tmp_path, "--output", tmp_path / "x.spdx.json")
    assert made.returncode == 1 and error in made.stderr, made.stderr
    assert not (tmp_path / "x.spdx.json").exists()
