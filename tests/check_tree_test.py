"""Proves that check_tree.py finds the errors that it must find."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

from check_tree import FOLDERS, broken_rules, unbuilt_tests

CLEAN = [
    ("README.md", "Run ./demo.sh; data lie in ~/.local/share/petal and https://a.example/home/x."),
    ("chain/a.h", "#pragma once\n"),
    ("cli/a.cpp", 'const auto path = base / "tmp" / "x";'),
    (".ci/run", "data=../shared"),
]
BROKEN = [
    ("README.md", "See /home/someone/petal."),
    *(("tests/a.cpp", f'open("/{folder}/data.bin");')
      for folder in ("home", "root", "work", "Users", "tmp")),
    ("tests/a.cpp", 'open("/tmp/petal-test");'),
    ("demo.sh", "cd /root/petal"),
    ("tests/a.cpp", '// as in ../shared/notes.txt'),
    ("tests/a.cpp", 'open("../../shared/vectors");'),
    ("chain/a.h", "int a;\n"),
    ("chain/a.cpp", "int a; \n"),
]


class Tree(unittest.TestCase):
    def test_passes_a_clean_tree(self):
        for name, text in CLEAN:
            with self.subTest(name=name, text=text[:60]):
                self.assertEqual(broken_rules(name, text), [])

    def test_finds_each_broken_rule(self):
        for name, text in BROKEN:
            with self.subTest(name=name, text=text[:60]):
                self.assertEqual(len(broken_rules(name, text)), 1)

    def test_finds_tests_that_nothing_builds(self):
        lists = {
            "tests": "add_subdirectory(net)\nforeach(check IN ITEMS docs tree)\n"
                     "run(check_${check}_test.py)\nendforeach() # foreach(check IN ITEMS size)",
            "tests/net": "petal_tests(net SOURCES wire/a_test.cpp b_test.cpp the_d_test.cpp)",
            "tests/chain": "file(GLOB_RECURSE sources *.cpp)",
            "tests/cli": "foreach(part IN ITEMS\n    send node\n    peers)\nrun(-m ${part}_test)\nendforeach()",
            "tests/install": 'run("${CMAKE_CURRENT_SOURCE_DIR}/install_test.py")',
            "examples": "run(-m library_test)",
        }
        lists = {pathlib.PurePosixPath(folder): text for folder, text in lists.items()}
        built = ["tests/net/wire/a_test.cpp", "tests/net/b_test.cpp", "tests/chain/script/c_test.cpp",
                 "tests/check_docs_test.py", "tests/check_tree_test.py", "tests/cli/end_to_end/send_test.py",
                 "tests/cli/end_to_end/peers_test.py", "tests/cli/end_to_end/library_test.py",
                 "tests/install/install_test.py"]
        others = ["net/a.cpp", "tests/net/scene.cpp", "examples/d_test.cpp", "tests/cli/end_to_end/wire.py"]
        unbuilt = ["tests/net/wire/b2_test.cpp", "tests/net/c_test.cpp", "tests/e_test.cpp", "tests/net/d_test.cpp",
                   "tests/check_size_test.py", "tests/cli/end_to_end/kill_send_test.py", "tests/chain/c_test.py",
                   "tests/install/reference_test.py"]
        self.assertEqual(unbuilt_tests(built + others + unbuilt, lists), unbuilt)

    def test_the_program_asks_for_every_readme(self):
        script = pathlib.Path(__file__).with_name("check_tree.py")
        with tempfile.TemporaryDirectory() as folder:
            for missing in (False, True):
                for name in FOLDERS:
                    readme = pathlib.Path(folder, name, "README.md")
                    readme.parent.mkdir(exist_ok=True)
                    readme.write_text("What this is.\n", encoding="utf-8")
                if missing:
                    pathlib.Path(folder, "net", "README.md").unlink()
                run = subprocess.run(
                    [sys.executable, script, folder], capture_output=True, text=True, check=False
                )
                self.assertEqual(run.returncode, int(missing), run.stdout)
                self.assertEqual("net/: has no README.md" in run.stdout, missing)


if __name__ == "__main__":
    unittest.main()
