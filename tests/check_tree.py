#!/usr/bin/env python3
"""Fails when a file names a machine's own paths, a folder of the product lacks its README, or nothing
builds or runs a test. usage: check_tree.py ROOT"""

import pathlib
import re
import subprocess
import sys

FOLDERS = ("chain", "bloom", "wallet", "net", "regtest", "cli", "tests")

TEXT = {
    "", ".cpp", ".h", ".md", ".py", ".sh", ".cmake", ".txt", ".json", ".in", ".toml", ".yml", ".js", ".pml"
}
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:home|root|work|Users|tmp)/[\w.-]+|(?<![\w/])[A-Z]:\\\\")
SHARED = re.compile(r"(?:\.\./)+shared\b")
# The only file that may name the data folder beside the clone, and the examples in the checks themselves.
MAY_NAME_SHARED = {".ci/run"}
EXAMPLES = {"tests/check_tree.py", "tests/check_tree_test.py"}

FOREACH = re.compile(r"foreach\((?P<name>\w+) IN ITEMS(?P<items>[^)]*)\)(?P<body>.*?)endforeach\(\)", re.DOTALL)


def broken_rules(name, text):
    """(line, reason) for each line of the file `name` that breaks a rule."""
    broken = []
    for number, line in enumerate(text.splitlines(), 1):
        if path := MACHINE_PATH.search(line):
            broken.append((number, f"a path of one machine: {path[0]}"))
        if SHARED.search(line) and name not in MAY_NAME_SHARED:
            broken.append((number, "a path outside the repository"))
        if name.endswith((".cpp", ".h")) and line != line.rstrip():
            broken.append((number, "a space at the end of the line"))
    if name.endswith(".h") and not re.search(r"^#pragma once$", text, re.MULTILINE):
        broken.append((1, "no #pragma once"))
    return broken


def words_of(cmake):
    """The words of a CMakeLists.txt, with each foreach over items written out."""

    def write_out(loop):
        return " ".join(loop["body"].replace(f"${{{loop['name']}}}", item) for item in loop["items"].split())

    text = FOREACH.sub(write_out, re.sub(r"#.*", "", cmake))
    return set(re.split(r'[\s()"]+', text.replace("${CMAKE_CURRENT_SOURCE_DIR}/", "")))


def unbuilt_tests(names, lists):
    """The tests among the files `names` that no CMakeLists.txt of a folder above them names or globs, and that no
    CMakeLists.txt names as a Python module. `lists` has the text of each CMakeLists.txt by its folder."""
    words = {folder: words_of(text) for folder, text in lists.items()}

    def is_built(test):
        above = [folder for folder in test.parents if folder in words]
        if any(test.relative_to(folder).as_posix() in words[folder] for folder in above):
            return True
        if test.suffix == ".py":
            return any(test.stem in named for named in words.values())
        return any("GLOB_RECURSE" in words[folder] for folder in above)

    tests = [name for name in names if re.fullmatch(r"tests/.*_test\.(cpp|py)", name)]
    return [name for name in tests if not is_built(pathlib.PurePosixPath(name))]


def files_of(root):
    """The files under version control, and new files that are not ignored; without git, all files except build/."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
        return sorted(root / name for name in names if (root / name).is_file())
    kept = (path for path in root.iterdir() if path.name not in {".git", "build"})
    inside = (file for path in kept for file in ([path] if path.is_file() else path.rglob("*")))
    return sorted(file for file in inside if file.is_file())


def check(root):
    files = files_of(root)
    names = [path.relative_to(root).as_posix() for path in files]
    lists = {
        pathlib.PurePosixPath(name).parent: (root / name).read_text(encoding="utf-8")
        for name in names
        if name.endswith("CMakeLists.txt")
    }
    complaints = [f"{name}: no CMakeLists.txt names it" for name in unbuilt_tests(names, lists)]
    for path in files:
        name = path.relative_to(root).as_posix()
        if path.suffix not in TEXT or name in EXAMPLES or "/corpus/" in name:
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        complaints += [f"{name}:{line}: {reason}" for line, reason in broken_rules(name, text)]
    for folder in FOLDERS:
        if not (root / folder / "README.md").is_file():
            complaints.append(f"{folder}/: has no README.md")
    return complaints


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]).resolve())
    print("\n".join(found) if found else "the tree is clean")
    sys.exit(bool(found))
