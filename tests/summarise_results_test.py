"""Proves that summarise_results.py counts what CTest reports and fails when it should."""

import contextlib
import io
import pathlib
import tempfile
import unittest

from summarise_results import summarise

PASSED = '<testcase name="chain/A.B" status="run"><system-out>fine</system-out></testcase>'
FAILED = '<testcase name="net/C.D" status="fail"><failure message=""/></testcase>'
NOT_RUN = '<testcase name="net/E.F" status="notrun"/>'
NOT_BUILT = """<testcase name="petal_net_tests_NOT_BUILT" status="notrun"><skipped message="Unable to find executable"/>
<system-out>Unable to find executable: petal_net_tests_NOT_BUILT</system-out></testcase>"""
SKIPPED = """<testcase name="cli/G.H" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/><system-out>
[ RUN      ] G.H
file.cpp:7: Skipped
no node:
set BITCOIND

[  SKIPPED ] G.H (0 ms)
</system-out></testcase>"""

SKIPPED_IN_PYTHON = """<testcase name="cli/end_to_end/i" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>setUpModule (i_test) ... skipped "no namespaces: not 'root'"

Ran 0 tests in 0.001s

OK (skipped=1)
</system-out></testcase>"""

PART_OF_PYTHON = """<testcase name="cli/end_to_end/j" status="run"><system-out>
test_a (j_test.J.test_a) ... ok
test_b (j_test.J.test_b) ... skipped 'no node'
test_c (j_test.J.test_c)
What it is about. ... skipped "no 'proxy'"
setUpClass (j_test.K) ... skipped 'no node'

----------------------------------------------------------------------
Ran 3 tests in 0.004s

OK (skipped=3)
</system-out></testcase>"""

SILENT_PYTHON = """<testcase name="house/l" status="run"><system-out>ss..
----------------------------------------------------------------------
Ran 4 tests in 0.004s

OK (skipped=2)
</system-out></testcase>"""

WHOLE_PYTHON = """<testcase name="house/m" status="run"><system-out>..
----------------------------------------------------------------------
Ran 2 tests in 0.004s

OK
</system-out></testcase>"""

SHARD = """<testcase name="chain/shard_1" status="run"><system-out>
file.cpp:66: Skipped
no vectors
file.cpp:340: Skipped
no vectors
[==========] 42 tests from 7 test suites ran. (56 ms total)
[  PASSED  ] 40 tests.
[  SKIPPED ] 2 tests.
</system-out></testcase>"""

FAILED_SHARD = """<testcase name="net/shard_2" status="fail"><failure message=""/><system-out>
[  FAILED  ] I.J (3 ms)
[  FAILED  ] K/L.M/0, where GetParam() = 7 (1 ms)
[==========] 3 tests from 2 test suites ran. (5 ms total)
[  PASSED  ] 1 test.
[  FAILED  ] 2 tests, listed below:
[  FAILED  ] I.J
[  FAILED  ] K/L.M/0, where GetParam() = 7
</system-out></testcase>"""

CRASHED_SHARD = """<testcase name="net/shard_3" status="fail"><failure message=""/><system-out>
[ RUN      ] A.B
[       OK ] A.B (3 ms)
[ RUN      ] C.D
==1==ERROR: AddressSanitizer: heap-use-after-free
</system-out></testcase>"""


def run(*cases):
    """The result and the printed lines of a run with these cases. Without cases, there is no file."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "dev", "junit.xml")
        file.parent.mkdir()
        if cases:
            file.write_text(f"<testsuite>{''.join(cases)}</testsuite>", encoding="utf-8")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            good = summarise([file])
    return good, printed.getvalue().splitlines()


class Summary(unittest.TestCase):
    def test_counts_and_gives_the_reason_of_a_skip(self):
        good, lines = run(PASSED, PASSED, SKIPPED)
        self.assertTrue(good)
        self.assertEqual(
            lines, ["skipped 1: no node: set BITCOIND", "2 passed, 0 failed, 1 skipped"]
        )

    def test_gives_the_reason_of_a_python_module(self):
        self.assertEqual(run(PASSED, SKIPPED_IN_PYTHON)[1][0],
                         "skipped 1: no namespaces: not 'root'")

    def test_counts_the_tests_of_a_python_module(self):
        for case, expected in [
            (WHOLE_PYTHON, ["2 passed, 0 failed, 0 skipped"]),
            (PART_OF_PYTHON, ["skipped 1: no 'proxy'", "skipped 2: no node", "1 passed, 0 failed, 3 skipped"]),
            (SILENT_PYTHON, ["skipped 2: no reason given", "2 passed, 0 failed, 2 skipped"]),
        ]:
            self.assertEqual(run(case), (True, expected))

    def test_fails_when_a_test_fails_or_did_not_run(self):
        for case, name in [
            (FAILED, "net/C.D"), (NOT_RUN, "net/E.F"), (NOT_BUILT, "petal_net_tests_NOT_BUILT")
        ]:
            good, lines = run(PASSED, case)
            self.assertFalse(good)
            self.assertEqual(lines[0], f"FAILED dev: {name}")
            self.assertEqual(lines[-1], "1 passed, 1 failed, 0 skipped")

    def test_counts_the_tests_of_a_shard(self):
        good, lines = run(PASSED, SHARD)
        self.assertTrue(good)
        self.assertEqual(lines, ["skipped 2: no vectors", "41 passed, 0 failed, 2 skipped"])

    def test_names_the_tests_that_fail_in_a_shard(self):
        good, lines = run(FAILED_SHARD)
        self.assertFalse(good)
        self.assertEqual(lines[0], "FAILED dev: net/shard_2 I.J K/L.M/0")

    def test_names_the_test_that_a_shard_crashed_in(self):
        self.assertEqual(run(CRASHED_SHARD)[1][0], "FAILED dev: net/shard_3 C.D")

    def test_shows_the_report_of_a_failure(self):
        failed = """<testcase name="net/M.N" status="fail"><failure message=""/><system-out>
[ RUN      ] M.N
file.cpp:7: Failure
Expected: 1
[  FAILED  ] M.N (3 ms)
</system-out></testcase>"""
        self.assertEqual(run(failed)[1][1:3], ["    file.cpp:7: Failure", "    Expected: 1"])

    def test_fails_when_no_test_ran(self):
        self.assertFalse(run(SKIPPED)[0])
        good, lines = run()
        self.assertFalse(good)
        self.assertEqual(lines[-1], "0 passed, 1 failed, 0 skipped")


if __name__ == "__main__":
    unittest.main()
