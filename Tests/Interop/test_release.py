"""Scripts/release refuses wrong versions and checkouts, and the image that Packaging/oci-image writes is valid and repeatable.

Without sockets: scripts and files. The artefacts themselves are tested by Packaging/tests, which Scripts/release runs.
"""

import gzip
import hashlib
import json
import os
import subprocess
import tarfile

import pytest

from process import ROOT

GIT = {f"GIT_{who}_{what}": "test@localhost" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, check=True, env={**os.environ, **GIT, "GIT_CONFIG_GLOBAL": "/dev/null"}, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """A repository of the version 1.2.0, with the tag v1.1.0, and with the files that the script reads before it builds."""
    files = {
        "Scripts/release": (ROOT / "Scripts/release").read_text(),
        "Sources/HAPCommandLine/Version.swift": '/// The version.\npackage let projectVersion = "1.2.0"\n',
        "CHANGELOG.md": "# Changes\n\n## 1.2.0 (not released yet)\n\n## 1.2.0-rc.1 (not released yet)\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "Scripts/release").chmod(0o755)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    git(tmp_path, "tag", "v1.1.0")
    return tmp_path


def release(folder, *words):
    run = subprocess.run(["Scripts/release", *words], cwd=folder, capture_output=True, text=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})
    return run.returncode, run.stdout, run.stderr


def change(folder, name, old, new):
    path = folder / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    git(folder, "commit", "-qam", "change")


DRY = ("--dry-run", "--programs", "nowhere", "--output", "../release-output")


def test_a_new_version_of_a_clean_checkout_is_accepted(repository):
    """There is nothing to package in this repository, so the run ends after the archive of the sources."""
    status, output, errors = release(repository, "1.2.0", *DRY)
    assert "release: sources of " in output, errors
    assert status != 0 and "Packaging/install-tree" in errors


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("1.2", "is not a version such as 1.0.0"),
        ("01.2.0", "is not a version such as 1.0.0"),
        ("1.1.0", "1.1.0 is not newer than 1.1.0, the newest tag"),
        ("1.1.0-rc.1", "1.1.0-rc.1 is not newer than 1.1.0, the newest tag"),
        ("1.0.9", "1.0.9 is not newer than 1.1.0, the newest tag"),
        ("1.10.0", "Version.swift has the version '1.2.0', not 1.10.0"),
    ],
)
def test_a_wrong_version_is_refused(repository, version, reason):
    status, output, errors = release(repository, version, *DRY)
    assert (status, output) == (1, "") and reason in errors


def test_a_release_is_newer_than_its_candidates(repository):
    git(repository, "tag", "v1.2.0-rc.1")
    assert "release: sources of " in release(repository, "1.2.0", *DRY)[1]
    git(repository, "tag", "v1.2.0-rc.10")
    change(repository, "Sources/HAPCommandLine/Version.swift", "1.2.0", "1.2.0-rc.1")
    assert "is not newer than 1.2.0-rc.10" in release(repository, "1.2.0-rc.1", *DRY)[2]


def test_a_folder_with_other_files_is_not_deleted(repository, tmp_path_factory):
    folder = tmp_path_factory.mktemp("output")
    (folder / "mine").write_text("x")
    for output in (str(folder), "."):
        status, _, errors = release(repository, "1.2.0", "--dry-run", "--programs", "nowhere", "--output", output)
        assert status == 1 and "has files that are not of an earlier release" in errors
    assert (folder / "mine").read_text() == "x" and (repository / ".git").exists()
    (folder / "mine").unlink()
    assert "release: sources of " in release(repository, "1.2.0", "--dry-run", "--programs", "nowhere", "--output", str(folder))[1]
    programs = folder / "work/programs"
    programs.mkdir()
    status, _, errors = release(repository, "1.2.0", "--dry-run", "--programs", str(programs), "--output", str(folder))
    assert status == 1 and "--programs is in" in errors and programs.exists()
    # The folder of an earlier run is deleted and made again.
    assert "release: sources of " in release(repository, "1.2.0", "--dry-run", "--programs", "nowhere", "--output", str(folder))[1]
    assert not programs.exists()


def test_a_changed_checkout_is_refused(repository):
    (repository / "new.txt").write_text("x")
    status, output, errors = release(repository, "1.2.0", *DRY)
    assert (status, output) == (1, "") and "the checkout has changes" in errors and "new.txt" in errors


def test_a_version_without_changes_is_refused(repository):
    change(repository, "CHANGELOG.md", "## 1.2.0 (", "## 1.2.01 (")
    status, output, errors = release(repository, "1.2.0", *DRY)
    assert (status, output) == (1, "") and "CHANGELOG.md has no heading '## 1.2.0'" in errors


def test_a_real_release_needs_its_date_a_build_and_tests(repository):
    assert "write the date of the release" in release(repository, "1.2.0")[2]
    assert "--programs is only for --dry-run" in release(repository, "1.2.0", "--programs", "nowhere")[2]
    assert "--without-tests is only for --dry-run" in release(repository, "1.2.0", "--without-tests")[2]


def test_a_dry_run_without_addresses_makes_a_formula_with_addresses_that_do_not_exist(repository):
    """The scripts that make the artefacts are replaced."""
    scripts = {"Packaging/install-tree": 'mkdir -p "$2/bin" && cp /bin/true "$2/bin/hapsim"', "Scripts/third-party": ":"}
    scripts |= {f"Packaging/build-{step}": ":" for step in ("tar", "deb", "image", "wheel")}
    scripts["Packaging/build-formula"] = 'echo "formula: $DOWNLOADS $HOMEPAGE"'
    for name, text in scripts.items():
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text(f"#!/bin/sh\n{text}\n")
        (repository / name).chmod(0o755)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "scripts")
    status, output, errors = release(repository, "1.2.0", *DRY, "--without-tests")
    assert status == 0, errors
    assert "the Homebrew formula has addresses that do not exist" in output
    assert "formula: https://example.invalid/downloads https://example.invalid\n" in output
    status, output, _ = release(repository, "1.2.0", *DRY, "--without-tests", "--downloads", "https://a.test", "--homepage", "https://b.test")
    assert "formula: https://a.test https://b.test\n" in output and "do not exist" not in output


@pytest.mark.parametrize("words", [(), ("1.2.0", "1.3.0"), ("1.2.0", "--no-such"), ("1.2.0", "--output")])
def test_wrong_usage_has_the_status_2(repository, words):
    assert release(repository, *words)[0] == 2


def test_the_installed_tree_has_the_manual_pages_and_completions_of_the_programs(tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("hapsim", "hapctl", "haptest"):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $* $SOURCE_DATE_EPOCH"\n')
        (programs / name).chmod(0o755)
    tree = tmp_path / "tree"
    subprocess.run([ROOT / "Packaging/install-tree", programs, tree], check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "7"})
    for name in ("hapsim", "hapctl", "haptest"):
        for path, words in [
            (f"man/man1/{name}.1", "--man"),
            (f"bash-completion/completions/{name}", "--completions bash"),
            (f"zsh/site-functions/_{name}", "--completions zsh"),
            (f"fish/vendor_completions.d/{name}.fish", "--completions fish"),
        ]:
            file = tree / "share" / path
            assert file.read_text() == f"{name} {words} 7\n"
            assert file.stat().st_mode & 0o777 == 0o644
    assert (tree / "bin/hapsim").exists() and (tree / "share/hapsim/Profiles/lock.hasaccessory").exists()
    assert (tree / "share/doc/hapsim/docs/README.md").exists()


def test_programs_that_do_not_run_are_not_installed(tmp_path):
    for name in ("hapsim", "hapctl", "haptest"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    run = subprocess.run([ROOT / "Packaging/install-tree", tmp_path, tmp_path / "tree"], capture_output=True, text=True)
    assert run.returncode == 1 and "the programs do not run here" in run.stderr
    assert not (tmp_path / "tree").exists()


def image(folder, name):
    layer = folder / "layer.tar"
    if not layer.exists():
        (folder / "file").write_text("contents")
        with tarfile.open(layer, "w") as archive:
            archive.add(folder / "file", "etc/file")
    words = ["--version", "1.2.0", "--created", "1700000000", "--output", folder / name]
    subprocess.run([ROOT / "Packaging/oci-image", layer, *words], check=True)
    return folder / name


def test_an_image_is_the_same_each_time(tmp_path):
    assert image(tmp_path, "one.tar").read_bytes() == image(tmp_path, "two.tar").read_bytes()


def test_each_blob_of_an_image_has_the_digest_and_size_of_its_descriptor(tmp_path):
    with tarfile.open(image(tmp_path, "image.tar")) as archive:
        files = {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}

    def blob(descriptor):
        algorithm, _, digest = descriptor["digest"].partition(":")
        data = files.pop(f"blobs/{algorithm}/{digest}")
        assert (algorithm, hashlib.sha256(data).hexdigest(), len(data)) == ("sha256", digest, descriptor["size"])
        return data

    assert json.loads(files.pop("oci-layout")) == {"imageLayoutVersion": "1.0.0"}
    (described,) = json.loads(files.pop("index.json"))["manifests"]
    manifest = json.loads(blob(described))
    config, layers = json.loads(blob(manifest["config"])), [gzip.decompress(blob(layer)) for layer in manifest["layers"]]
    assert config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest() for layer in layers]
    assert layers == [(tmp_path / "layer.tar").read_bytes()]
    assert (config["created"], config["config"]["User"]) == ("2023-11-14T22:13:20Z", "10001:10001")
    assert files == {}
