#!/usr/bin/env python3
"""Sums up the JUnit files of several CTest runs: skipped tests and why, failed tests with their reports, and at the end
`N passed, N failed, N skipped`. usage: summarise_results.py FILE..."""

import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

# Python's unittest, with -v, prints the reason in quotes. A skipped setUpModule or setUpClass is none of the tests that
# it counts.
SKIPPED_IN_PYTHON = re.compile(r"^(?P<test>.*) \.\.\. skipped ['\"](?P<reason>.+)['\"]$", re.MULTILINE)
COUNT_IN_PYTHON = re.compile(
    r"^Ran (?P<ran>\d+) tests? in [\d.]+s\n\nOK(?: \(skipped=(?P<skipped>\d+)\))?$", re.MULTILINE
)

# GoogleTest prints the reason on the lines between these two patterns.
SKIP_REASONS = (
    re.compile(r": Skipped\n(?P<reason>.+?)\n\s*\n?\[\s+SKIPPED \]", re.DOTALL),
    SKIPPED_IN_PYTHON,
)
NO_REASON = "no reason given"

# The output of a program about several tests that it ran in one process, as shards do.
PASSED_IN_PROCESS = re.compile(r"^\[  PASSED  \] (\d+) tests?\.$", re.MULTILINE)
FAILED_IN_PROCESS = re.compile(r"^\[  FAILED  \] ([^\s,]*\.[^\s,]+)", re.MULTILINE)
# The test that was running in a process when it ended without a result.
UNFINISHED_IN_PROCESS = re.compile(
    r"^\[ RUN      \] (\S+)$(?!.*^\[ RUN      \])(?!.*^\[       OK \])", re.MULTILINE | re.DOTALL
)
SKIPPED_IN_PROCESS = re.compile(r": Skipped\n(.+)$", re.MULTILINE)

# The beginning of error reports by GoogleTest and the sanitizers.
REPORT = re.compile(r"^.*(: Failure|ERROR: \w+Sanitizer.*|: runtime error: .*)$", re.MULTILINE)
LINES_OF_A_REPORT = 30


def output_of(case):
    return case.findtext("system-out") or ""


def was_skipped(case):
    """Whether the test asked to be skipped; CTest also calls a test skipped whose program is missing."""
    skip = case.find("skipped")
    return skip is not None and skip.get("message", "").startswith("SKIP_")


def skip_reason(case):
    output = output_of(case)
    matches = [match for pattern in SKIP_REASONS if (match := pattern.search(output))]
    return " ".join(matches[0]["reason"].split()) if matches else NO_REASON


def results_of(output):
    """How many tests passed in a program that succeeded with this output, and the reasons of those that it skipped."""
    if count := COUNT_IN_PYTHON.search(output):
        skips = list(SKIPPED_IN_PYTHON.finditer(output))
        reasons = [skip["reason"] for skip in skips]
        reasons += [NO_REASON] * (int(count["skipped"] or 0) - len(reasons))
        outside = sum(skip["test"].startswith("setUp") for skip in skips)
        return int(count["ran"]) - (len(reasons) - outside), reasons
    count = PASSED_IN_PROCESS.search(output)
    return int(count[1]) if count else 1, SKIPPED_IN_PROCESS.findall(output)


def report_of(case):
    """The lines that best explain why this test failed."""
    output = output_of(case)
    if found := REPORT.search(output):
        return output[found.start() :].splitlines()[:LINES_OF_A_REPORT]
    return output.rstrip().splitlines()[-LINES_OF_A_REPORT:]


def summarise(files):
    """Prints the summary; returns True if every file was there and nothing failed."""
    passed, failed = 0, {}
    skipped = collections.Counter()
    for file in files:
        run = file.parent.name
        if not file.is_file():
            failed[f"{run}: did not come to its tests"] = []
            continue
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            if was_skipped(case):
                skipped[skip_reason(case)] += 1
            elif case.get("status") == "run" and case.find("failure") is None:
                count, reasons = results_of(output_of(case))
                passed += count
                skipped.update(reasons)
            else:
                name = case.get("name")
                tests = dict.fromkeys(FAILED_IN_PROCESS.findall(output_of(case)))
                tests = tests or UNFINISHED_IN_PROCESS.findall(output_of(case))
                inner = [test for test in tests if not name.endswith(test)]
                failed[" ".join([f"{run}: {name}", *inner])] = report_of(case)
    for reason, count in sorted(skipped.items()):
        print(f"skipped {count}: {reason}")
    for name, report in failed.items():
        print(f"FAILED {name}")
        for line in report:
            print(f"    {line}")
    print(f"{passed} passed, {len(failed)} failed, {skipped.total()} skipped")
    return not failed and passed > 0


if __name__ == "__main__":
    sys.exit(not summarise([pathlib.Path(name) for name in sys.argv[1:]]))
