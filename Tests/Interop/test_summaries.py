"""The output of `make test`: Scripts/summarize, Scripts/unit-tests and Scripts/interop, with fake test programs.

Without sockets: shells run programs that are made for the tests.
"""

import os
import re
import resource
import subprocess

import pytest

from process import ROOT

PATIENCE = 300  # seconds
# Prints the output of Swift Testing for the kind of run in FAKE.
SWIFT = r"""#!/usr/bin/env bash
# Without arguments, it is the run of XCTest.
if [ $# -eq 0 ] && [ "${0##*.}" = xctest ]; then
  case $FAKE in
  xctest) echo 'DoorTests.swift:7: error: DoorTests.testDoor : XCTAssertTrue failed'; echo 'Executed 1 test, with 1 failure'; exit 1 ;;
  noxctest) exit 0 ;;
  *) echo 'Executed 1 test, with 0 failures'; exit 0 ;;
  esac
fi
case $FAKE in
none) echo '✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.'; exit 0 ;;
esac
echo 'a line that a test printed'
echo '◇ Test run started.'
echo '◇ Suite "Doors" started.'
echo '◇ Test "A door opens" started.'
echo '◇ Test "A door closes" started.'
echo '✔ Test "A door opens" passed after 0.001 seconds.'
case $FAKE in
crash)
  echo 'HAPLoop/EventLoop.swift:64: Precondition failed: no event loop'
  kill -SEGV $$ ;;
stuck) exec sleep 1000 ;;
known)
  echo '━ Test "A door closes" recorded a known issue at DoorTests.swift:7:3: Expectation failed: Bool(false)'
  echo '━ Test "A door closes" passed after 0.002 seconds with 1 known issue.'
  echo '✔ Suite "Doors" passed after 0.003 seconds.'
  echo '━ Test run with 2 tests in 1 suite passed after 0.003 seconds with 1 known issue.'
  exit 0 ;;
fail)
  echo '✘ Test "A door closes" recorded an issue at DoorTests.swift:7:3: Expectation failed: (state → 1) == 0'
  echo '↳ the door is open'
  echo '✘ Test "A door closes" failed after 0.002 seconds with 1 issue.'
  echo '✘ Suite "Doors" failed after 0.003 seconds with 1 issue.'
  echo '✘ Test run with 2 tests in 1 suite failed after 0.003 seconds with 1 issue.'
  exit 1 ;;
esac
echo '✔ Test "A door closes" passed after 0.002 seconds.'
echo '✔ Suite "Doors" passed after 0.003 seconds.'
echo '✔ Test run with 2 tests in 1 suite passed after 0.003 seconds.'
"""
# Prints the output of pytest. FAKE selects the result of the part with the page's tests.
PYTEST = r"""#!/usr/bin/env bash
how=pass
case "$*" in
*'pytest Tests/Interop/test_page.py'*) how=$FAKE ;;
esac
echo '============================= test session starts =============================='
echo 'platform linux -- Python 3.11'
echo "arguments: $*"
case $how in
pass) echo 'test_x.py ..    [100%]'; echo '============================== 2 passed in 0.01s ===============================' ;;
none) echo '============================ no tests ran in 0.01s ============================='; exit 5 ;;
crash) echo 'test_page.py .'; kill -SEGV $$ ;;
silent) echo 'test_page.py .'; exit 0 ;;
fail)
  echo 'test_page.py F.    [100%]'
  echo '=================================== FAILURES ==================================='
  echo 'E       assert "shut" == "open"'
  echo '========================= 1 failed, 1 passed in 0.01s =========================='
  exit 1 ;;
esac
"""


@pytest.fixture
def script(tmp_path):
    """Runs a script of this repository with fake programs. Returns its exit status and its output."""
    environment = {name: value for name, value in os.environ.items() if name != "VERBOSE"}
    environment |= {"HAPSIM_TEST_LOGS": str(tmp_path / "logs"), "PATH": f"{tmp_path}/bin:{environment['PATH']}"}

    def run(*words, **more):
        ended = subprocess.run(
            [ROOT / words[0], *words[1:]], env=environment | more, text=True, timeout=PATIENCE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return ended.returncode, ended.stdout

    def program(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    run.program, run.logs = program, tmp_path / "logs"
    return run


@pytest.fixture
def unit_tests(script, tmp_path):
    script.program("bin/swift", SWIFT)
    script.program("scratch/debug/hapsimPackageTests.xctest", SWIFT)
    return lambda how, **more: script("Scripts/unit-tests", tmp_path / "scratch", FAKE=how, **more)


@pytest.fixture
def interop(script):
    # Without defects Scripts/prove runs no test.
    for name in ("hapsim", "haptest"):
        hapsim = script.program(f"products/{name}", "#!/bin/sh\necho '[]'\n").with_name("hapsim")
    fake = script.program("python", PYTEST)
    return lambda how, **more: script("Scripts/interop", FAKE=how, HAPSIM=str(hapsim), PYTHON=str(fake), **more)


def unit_test_parts(script):
    return len(list(script.logs.glob("unit-tests-*.log")))


def test_passing_unit_tests_print_a_line_for_each_suite_and_the_closing_lines(unit_tests, script):
    status, output = unit_tests("pass")
    assert status == 0
    parts = unit_test_parts(script)
    assert output.count('✔ Suite "Doors" passed') == output.count("✔ Test run with 2 tests in 1 suite passed") == parts
    assert "A door" not in output and "a line that a test printed" not in output
    assert str(script.logs) in output
    assert parts > 1 and all("a line that a test printed" in log.read_text() for log in script.logs.glob("unit-tests-*.log"))


def test_unit_tests_with_a_known_issue_pass(unit_tests):
    status, output = unit_tests("known")
    assert status == 0
    assert "━ Test run with 2 tests in 1 suite passed" in output and "not finished" not in output


def test_verbose_unit_tests_print_everything(unit_tests, script):
    status, output = unit_tests("pass", VERBOSE="1")
    assert status == 0
    assert output.count("a line that a test printed") == output.count('✔ Test "A door opens" passed') == unit_test_parts(script)


def test_a_failing_unit_test_is_printed_with_its_output(unit_tests):
    status, output = unit_tests("fail")
    assert status == 1
    assert "DoorTests.swift:7:3: Expectation failed: (state → 1) == 0\n↳ the door is open\n" in output
    assert "✘ Test run with 2 tests in 1 suite failed" in output and 'Test "A door opens"' not in output


def test_unit_tests_that_crash_fail_and_the_unfinished_tests_are_printed(unit_tests, script):
    status, output = unit_tests("crash")
    assert status != 0
    parts = unit_test_parts(script)
    # Each part prints it, and it is repeated at the end of the output.
    assert re.findall('not finished: (.*)', output) == ['Test "A door closes"'] * (parts + 1)
    assert output.count("Precondition failed: no event loop") == 2 * parts + 1
    assert 'not finished: Test "A door closes"' in output.splitlines()[-2]


def test_tests_of_xctest_run_too(unit_tests):
    status, output = unit_tests("pass")
    assert status == 0 and "XCTest: Executed 1 test, with 0 failures" in output
    status, output = unit_tests("xctest")
    assert status == 1 and output.count("DoorTests.swift:7: error: DoorTests.testDoor") == 2
    status, output = unit_tests("noxctest")
    assert status == 1 and "XCTest: error: the run failed, or ran no test" in output


def test_a_run_without_unit_tests_fails(unit_tests):
    status, output = unit_tests("none")
    assert status == 1 and "ran no test" in output


def test_unit_tests_without_output_are_ended_and_the_unfinished_test_is_printed(unit_tests, script):
    status, output = unit_tests("stuck", HAPSIM_TEST_SILENCE="20")
    assert status == 124
    parts = unit_test_parts(script)
    assert output.count("no output for 20 s; the command is ended") == 2 * parts
    assert re.findall('not finished: (.*)', output) == ['Test "A door closes"'] * (parts + 1)


def test_a_terminated_summary_ends_the_command_and_prints_the_unfinished_test(script, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    fake = script.program("stuck", SWIFT.replace("exec sleep", f"printf 'the last words'; echo >{gate}; exec sleep"))
    summary = subprocess.Popen(
        [ROOT / "Scripts/summarize", "swift", "doors", fake], stdout=subprocess.PIPE, text=True,
        env=os.environ | {"FAKE": "stuck", "HAPSIM_TEST_LOGS": str(script.logs), "VERBOSE": ""},
    )  # fmt: skip
    gate.read_text()  # the test writes to it directly before it hangs
    summary.terminate()
    output = summary.communicate(timeout=PATIENCE)[0]
    assert summary.returncode == 143
    assert "doors: ended by SIGTERM" in output and "the last words\n" in output and 'not finished: Test "A door closes"' in output


def test_passing_interop_tests_print_a_line_for_each_file_and_the_closing_lines(interop, script):
    status, output = interop("pass")
    assert status == 0
    parts = len(list(script.logs.glob("interop-*.log"))) - 1  # the proof does not run pytest
    assert parts > 10 and len(re.findall(r"^=+ 2 passed in 0.01s =+$", output, re.MULTILINE)) == parts
    assert output.count("test_x.py ..") == parts and "platform" not in output
    assert "prove: 0 of 0 defects proven" in output and str(script.logs) in output
    assert interop("pass", VERBOSE="1")[1].count("platform linux") == parts
    check_that_thousands_of_connections_are_alone(script)


def check_that_thousands_of_connections_are_alone(script):
    asked = {log.stem: re.search("^arguments: -m pytest (.*)", log.read_text(), re.MULTILINE) for log in script.logs.glob("interop-*.log")}
    asked = {name: match[1] for name, match in asked.items() if match}
    for test in ("test_abuse", "test_flood"):
        assert asked.pop(f"interop-{test}") == f"Tests/Interop/{test}.py"
        everything = {name for name, words in asked.items() if "Tests/Interop" in words.split()}
        assert everything == {name for name, words in asked.items() if f"{test}.py" in words} == {f"interop-others-{number}" for number in range(1, 7)}
        assert all(f"--ignore=Tests/Interop/{test}.py" in asked[name] for name in everything)


def test_a_failing_interop_test_is_printed_and_not_repeated(interop, script):
    status, output = interop("fail")
    assert status == 1
    assert 'E       assert "shut" == "open"' in output and "= 1 failed, 1 passed in 0.01s =" in output
    logs = [log.read_text() for log in script.logs.glob("interop-*.log")]
    assert sum("1 failed, 1 passed" in log for log in logs) == 1


@pytest.mark.parametrize(("how", "expected", "printed"), [
    ("crash", 139, "without a closing line"), ("silent", 1, "test_page.py .\npytest ended without a closing line\n"), ("none", 5, "no tests ran"),
])  # fmt: skip
def test_a_part_of_the_interop_tests_that_crashes_or_runs_nothing_fails(interop, how, expected, printed):
    status, output = interop(how)
    assert status == expected and printed in output, output


def test_a_failing_build_prints_its_errors_and_no_progress(script):
    fake = script.program("build", "#!/bin/sh\necho '[1/2] Compiling Door'\necho 'Door.swift:1:1: error: no door' >&2\nexit 3\n")
    status, output = script("Scripts/summarize", "build", "doors", fake)
    assert status == 3
    assert "error: no door" in output and "Compiling" not in output and f"{script.logs}/doors.log" in output
    assert "Compiling" in (script.logs / "doors.log").read_text()


def test_a_successful_build_prints_one_line_and_its_warnings(script):
    fake = script.program("build", "#!/bin/sh\necho '[1/2] Compiling Door'\necho 'Door.swift:1:1: warning: a hinge is loose'\n")
    status, output = script("Scripts/summarize", "build", "doors", fake)
    assert status == 0
    assert re.fullmatch(r"Door.swift:1:1: warning: a hinge is loose\ndoors: passed \([0-9]+ s, [0-9]+ s of CPU\)\n", output)


def test_a_command_may_open_more_files_than_the_usual_limit(script):
    fake = script.program("build", "#!/bin/bash\nulimit -n\nexit 1\n")
    limited = script.program("limited", f"#!/bin/bash\nulimit -S -n 256\nexec {ROOT}/Scripts/summarize build doors {fake}\n")
    status, output = script(limited)
    assert status == 1 and int(output.splitlines()[0]) >= min(20_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1])


def test_a_command_that_cannot_be_started_fails(script):
    status, output = script("Scripts/summarize", "build", "doors", "/nonexistent/swift")
    assert status == 127 and "/nonexistent/swift cannot be started" in output


def test_a_command_without_the_permission_to_run_fails_with_its_reason(script, tmp_path):
    program = script.program("door", "#!/bin/sh\n")
    program.chmod(0o644)
    status, output = script("Scripts/summarize", "build", "doors", program)
    assert (status, output) == (126, f"doors: {program} cannot be started: Permission denied\n")


def test_the_summary_does_not_wait_for_a_child_of_the_command(script, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    # The child keeps standard output open until the gate is written to, which happens after the summary has ended.
    fake = script.program("build", f"#!/bin/sh\necho 'error: no door'\ncat {gate} &\nexit 1\n")
    try:
        status, output = script("Scripts/summarize", "build", "doors", fake)
    finally:
        with open(gate, "w", encoding="utf-8") as end:
            end.write("the child was there\n")
    assert status == 1 and output.startswith("error: no door\n")


def test_a_log_is_read_to_its_last_byte(script):
    fake = script.program("build", "#!/bin/sh\nprintf 'error: \\342\\234\\230\\377\\nno line break'; exit 1\n")
    status, output = script("Scripts/summarize", "build", "doors", fake)
    assert status == 1 and output.startswith("error: ✘\ufffd\nno line break\n")


def recipe(target):
    """Returns the commands that make would run."""
    run = subprocess.run(["make", "-n", target, "LAN="], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_make_run_builds_only_hapsim_without_optimization_and_prints_it():
    commands = recipe("run")
    assert re.findall(r"--product (\w+)", commands) == ["hapsim"]
    assert "release --product" not in commands and 'echo "Building hapsim without optimization' in commands


@pytest.mark.parametrize("target", ["release", "install"])
def test_released_and_installed_programs_are_optimized(target):
    assert re.findall(r"swift build -c release --product (\w+)", recipe(target)) == ["hapsim", "hapctl", "haptest"]


@pytest.fixture
def installed(script):
    """Returns the packages that Scripts/install-dependencies installs on a Debian that has none of them."""
    for name, text in {
        "dpkg-query": "exit 1", "swift": "exit 0", "sudo": 'exec "$@"', "uname": "echo Linux",
        "apt-get": '[ "$1" = update ] || printf "%s\\n" "$@" | grep -vE "^(-|install$)"',
    }.items():  # fmt: skip
        script.program(f"bin/{name}", f"#!/bin/sh\n{text}\n")

    def packages(wanted):
        status, output = script("Scripts/install-dependencies", wanted)
        assert status == 0, output
        said, *names = output.splitlines()
        assert said == f"Installing missing packages: {' '.join(names)}"
        return set(names)

    return packages


def test_the_unit_tests_need_few_more_packages_than_the_build(installed):
    build, unit, everything = installed("build"), installed("unit-test"), installed("test")
    assert build and unit - build == {"python3", "iproute2", "util-linux"}
    assert everything > unit and {"chromium-headless-shell", "avahi-daemon", "python3-dev"} <= everything - unit


@pytest.mark.parametrize(
    ("target", "wanted"), [("lint", ["unit-test"]), ("unit-test", ["unit-test"]), ("release", ["build"]), ("system-test-deps", ["test"])]
)
def test_a_target_installs_the_packages_that_it_needs(target, wanted):
    assert re.findall(r"Scripts/install-dependencies (\S+)", recipe(target)) == wanted
