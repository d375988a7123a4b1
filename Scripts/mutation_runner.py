"""Applies mutations of source files to a scratch copy, one at a time, and checks that a test of the rule fails.

Scripts/mdns-mutations and Scripts/prove-home use it. A mutation is a tuple: rule, file below the folder of the sources, text, the replacement of its
first occurrence. It is caught when a test fails whose name cites the rule. Other outcomes are: these tests pass (SURVIVED), trap (TRAPPED) or do not
end (HUNG), and the mutation cannot be built (NOT BUILT).
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def copy(folder, work):
    """Makes a folder of the copy equal to that of the checkout. Files that are equal stay, so that the build is incremental."""
    source, target = ROOT / folder, work / folder
    wanted = {file.relative_to(source) for file in source.rglob("*") if file.is_file()}
    for file in [file for file in target.rglob("*") if file.is_file() and file.relative_to(target) not in wanted]:
        file.unlink()
    for link in [file for file in source.rglob("*") if file.is_symlink() and file.is_dir()]:
        place = target / link.relative_to(source)
        if not place.is_symlink():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(link.readlink())
    for file in wanted:
        place = target / file
        if not place.exists() or place.read_bytes() != (source / file).read_bytes():
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes((source / file).read_bytes())


class Runner:
    """`work` is the folder of the copy, `sources` that of the mutated files in the checkout and in the copy. `prepare` makes the copy. `mark` returns
    the text that cites a rule in the name of a test. `tests` are the folders of the tests. `flags` and `environment` are those of the build."""

    def __init__(self, name, mutations, work, sources, tests, prepare, mark, flags=(), environment=None):
        self.name, self.mutations, self.work, self.sources, self.tests = name, mutations, work, sources, tests
        self.prepare, self.mark, self.flags, self.environment = prepare, mark, flags, environment or {}

    def build(self):
        done = subprocess.run(
            ["swift", "build", "--build-tests", *self.flags], cwd=self.work, capture_output=True, text=True, env={**os.environ, **self.environment})
        return done.returncode == 0, done.stdout + done.stderr

    def cites(self, text, rule):
        """Returns whether a text cites the rule, and not only a rule with a longer number."""
        return re.search(re.escape(self.mark(rule)) + r"(?!\d)", text) is not None

    def suites(self, rules):
        """Returns the options that select the suites whose tests cite one of the rules."""
        found = []
        for file in sorted(file for folder in self.tests for file in (self.work / folder).rglob("*.swift")):
            text = file.read_text()
            if any(self.cites(text, rule) for rule in rules):
                found += re.findall(r"@Suite.*?struct (\w+)", text, re.DOTALL)
        return [option for suite in found for option in ("--filter", rf"\.{suite}/")]

    def outcome(self, rules):
        """Runs the suites whose tests cite one of the rules. Returns the outcome, and the first line that reports the failure of a test that cites one."""
        binary = self.work / ".build" / "debug" / "hapsimPackageTests.xctest"
        suites = self.suites(rules)
        if not suites:
            return "NO TEST", ""
        try:
            done = subprocess.run(
                [binary, "--testing-library", "swift-testing", *suites], cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                timeout=600)
            words, status = done.stdout, done.returncode
        except subprocess.TimeoutExpired as timeout:
            words, status = timeout.stdout or b"", None
        lines = words.decode(errors="replace").splitlines()
        for line in lines:
            if "✘" in line and any(self.cites(line, rule) for rule in rules):
                return "caught", line
        # A trap has a negative status.
        if status is not None and status >= 0:
            return "SURVIVED", ""
        return ("HUNG" if status is None else "TRAPPED"), next((line for line in lines if "Fatal error" in line), "")

    def try_one(self, mutation):
        """Returns the outcome of a mutation, the line that reports a failure, and the output of a failed build."""
        rule, file, text, new = mutation
        place = self.work / self.sources / file
        original = place.read_text()
        place.write_text(original.replace(text, new, 1))
        try:
            is_built, words = self.build()
            return (*self.outcome([rule]), words) if is_built else ("NOT BUILT", "", words)
        finally:
            place.write_text(original)

    def main(self, description):
        """Returns the exit status: 0 every mutation was caught; 1 some were not, or the source does not contain the text of one; 2 wrong usage."""
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("rules", nargs="*", metavar="RULE", help="only mutations of these rules")
        parser.add_argument("--list", action="store_true", help="print the mutations and do not build")
        options = parser.parse_args()
        chosen = [mutation for mutation in self.mutations if not options.rules or mutation[0] in options.rules]
        missing = [m for m in self.mutations if m[2] not in (ROOT / self.sources / m[1]).read_text()]
        for rule, file, text, _ in missing:
            print(f"{self.name}: {rule}: {file} does not contain {text!r}; correct the mutation", file=sys.stderr)
        if missing:
            return 1
        if not chosen:
            print(f"{self.name}: no mutation has one of these rules: {' '.join(options.rules)}", file=sys.stderr)
            return 2
        if options.list:
            for rule, file, text, new in chosen:
                print(f"{rule} {file}: {text.strip()!r} -> {new.strip()!r}")
            return 0
        self.prepare()
        is_built, words = self.build()
        result, line = self.outcome({mutation[0] for mutation in chosen}) if is_built else ("NOT BUILT", words[-2000:])
        if result != "SURVIVED":
            print(f"{self.name}: without a mutation, the tests of these rules do not pass ({result})\n{line}", file=sys.stderr)
            return 1
        counts = collections.Counter()
        for mutation in chosen:
            rule, file, text, new = mutation
            result, failure, words = self.try_one(mutation)
            counts[result] += 1
            test = re.search(r'Test "?(.*?)"? (recorded|failed)|$', failure).group(1)
            print(f"{result:9} {rule:5} {file}: {text.strip()[:60]!r} -> {new.strip()[:60]!r}{': ' + test if test else ''}", flush=True)
            if result == "NOT BUILT":
                print("\n".join(line for line in words.splitlines() if "error" in line)[:600], flush=True)
        print(f"{self.name}: {counts['caught']} of {len(chosen)} caught")
        return 0 if counts["caught"] == len(chosen) else 1
