"""The fixtures in examples/, where the languages are there."""

import importlib.util
import pathlib
import shutil
import subprocess
import sys
import unittest

from petal_process import EXECUTABLE, LIMIT, environment

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples" / "regtest"


class ExamplesTest(unittest.TestCase):
    def run_example(self, *command):
        done = subprocess.run(
            command, env=environment(PETAL=EXECUTABLE, PYTHONDONTWRITEBYTECODE="1"),
            capture_output=True, text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not there")
    def test_pytest(self):
        self.run_example(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                         str(EXAMPLES / "test_payment.py"))

    @unittest.skipUnless(shutil.which("node"), "Node is not there")
    def test_node(self):
        self.run_example("node", "--test", str(EXAMPLES / "payment.test.mjs"))


if __name__ == "__main__":
    unittest.main()
