"""The fixtures in examples/, if their languages are installed."""

import pathlib
import shutil
import subprocess
import unittest

from petal_process import EXECUTABLE, LIMIT, environment

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "regtest"
PYTEST = shutil.which("pytest-3") or shutil.which("pytest")


class ExamplesTest(unittest.TestCase):
    def run_example(self, *command, **variables):
        done = subprocess.run(
            command,
            env=environment(PETAL=EXECUTABLE, PYTHONDONTWRITEBYTECODE="1", **variables),
            capture_output=True, text=True, timeout=5 * LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(PYTEST, "pytest is not there")
    def test_pytest(self):
        self.run_example(PYTEST, "-q", "-p", "no:cacheprovider",
                         str(EXAMPLES / "test_payment.py"))

    @unittest.skipUnless(shutil.which("node"), "Node is not there")
    def test_node(self):
        self.run_example("node", "--test", str(EXAMPLES / "payment.test.mjs"))

    @unittest.skipUnless(shutil.which("go"), "Go is not there")
    def test_go(self):
        # Go keeps its compiled standard library, which takes a minute, but no result of the test.
        self.run_example("go", "test", "-count=1", "-vet=off", str(EXAMPLES / "payment_test.go"))


if __name__ == "__main__":
    unittest.main()
