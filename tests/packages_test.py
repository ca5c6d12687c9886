#!/usr/bin/env python3
"""Tests of .ci/packages.sh with commands of their own instead of apt's."""

import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The output of `apt-cache policy libboost1.81-dev` in Debian 12, and in Debian 13, where other packages refer to this
# one but no package has that name.
CANDIDATE = """libboost1.81-dev:
  Installed: (none)
  Candidate: 1.81.0-5+deb12u1
  Version table:
     1.81.0-5+deb12u1 500
"""
NO_CANDIDATE = """libboost1.81-dev:
  Installed: (none)
  Candidate: (none)
  Version table:
"""


class PackagesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for command in ("bash", "cat", "env", "rm", "sed"):
            found = subprocess.run(
                ["bash", "-c", f"type -P {command}"], capture_output=True, text=True, check=True
            )
            (self.folder / command).symlink_to(found.stdout.strip())

    def command(self, name, output=""):
        """Makes a command that prints `output`."""
        path = self.folder / name
        path.write_text(f"#!/usr/bin/env bash\ncat <<'END'\n{output}END\n")
        path.chmod(0o755)

    def run_function(self, call, **variables):
        """The output of the function with only this test's commands in the PATH."""
        done = subprocess.run(
            [self.folder / "bash", "-euo", "pipefail", "-c", f'. "{ROOT}/.ci/packages.sh"; {call}'],
            env={"PATH": str(self.folder), **variables},
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.strip()

    def test_an_older_boost_is_taken_if_apt_has_it(self):
        self.command("apt-cache", CANDIDATE)
        self.assertEqual(self.run_function("boost_package"), "libboost1.81-dev")

    def test_a_package_without_a_candidate_is_not_asked_for(self):
        self.command("apt-cache", NO_CANDIDATE)
        self.assertEqual(self.run_function("boost_package"), "libboost-dev")
        self.command("apt-cache")
        self.assertEqual(self.run_function("boost_package"), "libboost-dev")

    def test_a_tool_that_cannot_be_installed_does_not_stop_the_others(self):
        asked_for = self.run_function(
            'say() { echo "$*"; }; '
            'install_packages() { echo "asked for $*"; [ "$*" != "one two" ] && made=$made:$1:; }; '
            'have() { [ "$1" = there ] || [[ $made = *:one:* && $1 = one-command ]]; }; '
            "made=; install_tools there:zero:unused one-command:one:unused two-command:two:'it is not done' || "
            "echo failed"
        )
        self.assertEqual(
            asked_for.splitlines(),
            [
                "asked for one two",
                "asked for one",
                "asked for two",
                "note: no two-command, so it is not done",
                "failed",
            ],
        )

    def test_chromium_is_asked_for_where_it_is_a_package(self):
        for is_ubuntu, asked_for in ("true", False), ("false", True):
            output = self.run_function(
                'say() { :; }; install_packages() { :; }; install_tools() { echo "$*"; }; have() { false; }; '
                f"is_ubuntu() {{ {is_ubuntu}; }}; prepare_tests"
            )
            self.assertIn("microsocks:", output)
            self.assertEqual("chromium:" in output, asked_for)

    def test_the_compiler_is_the_one_that_cxx_names(self):
        for named, package in (
            ("", "g++"),
            ("g++", "g++"),
            ("g++-13", "g++-13"),
            ("clang++", "clang"),
            ("clang++-18", "clang-18"),
            ("elsewhere/c++", ""),
        ):
            self.assertEqual(self.run_function("compiler_package", CXX=named), package, named)

    def test_a_compiler_that_is_there_is_not_installed(self):
        self.command("clang++")
        self.assertEqual(self.run_function("compiler_package", CXX="clang++"), "")
        self.assertEqual(self.run_function("compiler_package"), "g++")

    def configured_anew(self, **variables):
        """Whether a folder that was configured with g++ is configured again."""
        cache = self.folder / "build" / "dev" / "CMakeCache.txt"
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(f"CMAKE_CXX_COMPILER:FILEPATH={self.folder / 'g++'}\nOTHER:STRING=g++\n")
        self.run_function("follow_compiler dev", **variables)
        return not cache.exists()

    def test_another_compiler_reconfigures(self):
        self.command("g++")
        self.command("clang++")
        self.assertTrue(self.configured_anew(CXX="clang++"))
        self.assertFalse(self.configured_anew(CXX="g++"))
        self.assertFalse(self.configured_anew())


if __name__ == "__main__":
    unittest.main()
