#!/usr/bin/env python3
"""Fails when an optimised executable lacks one of the properties that cmake/PetalHardening.cmake gives
it. usage: check_hardening.py EXECUTABLE [BUILD_FOLDER]"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def readelf(executable, *options):
    """The output of readelf, with one line for each header or symbol."""
    command = ["readelf", "--wide", *options, executable]
    english = os.environ | {"LC_ALL": "C"}
    done = subprocess.run(command, env=english, capture_output=True, text=True, check=True)
    return done.stdout


def segments(headers):
    """(type, flags) of each program header, as ("LOAD", "RE")."""
    row = re.compile(r"^ +([A-Z_]+)(?: +0x[0-9a-f]+){5} ([RWE ]{3}) ", re.MULTILINE)
    return [(kind, flags.replace(" ", "")) for kind, flags in row.findall(headers)]


def branch_protection(machine, objects):
    """The kind of branch protection that the processor has, and whether all object files were compiled for it. The
    executable only shows it if the C library's start files have it too, which Debian's do not."""
    if "X86-64" in machine:
        name, note = "CET in all object files", "IBT, SHSTK"
    elif "AArch64" in machine:
        name, note = "BTI and PAC in all object files", "BTI, PAC"
    else:
        return {}
    return {name: bool(objects) and all(note in readelf(file, "--notes") for file in objects)}


def missing_properties(executable, objects, build_paths):
    """The properties that `executable`, linked from the object files `objects`, lacks. It must not contain any of
    `build_paths`."""
    header = readelf(executable, "--file-header")
    dynamic = readelf(executable, "--dynamic")
    symbols = set(re.findall(r" ([\w.]+)@", readelf(executable, "--dyn-syms")))
    program = segments(readelf(executable, "--program-headers"))
    content = pathlib.Path(executable).read_bytes()

    flags = dict(program)
    loads = [flags for kind, flags in program if kind == "LOAD"]
    fortified = {name for name in symbols if re.fullmatch(r"__\w+_chk", name)}
    present = {
        "position-independent executable": "DYN (" in header and "PIE" in dynamic,
        "RELRO": "GNU_RELRO" in flags,
        "BIND_NOW": re.search(r"\(FLAGS_1\).*\bNOW\b", dynamic) is not None,
        "stack that cannot be executed": flags.get("GNU_STACK") == "RW",
        "no segment both written and executed": not any("W" in f and "E" in f for f in loads),
        "code in a segment of its own": loads[:1] == ["R"],
        "stack canaries (__stack_chk_fail)": "__stack_chk_fail" in symbols,
        "_FORTIFY_SOURCE": bool(fortified),
        "_GLIBCXX_ASSERTIONS": any("__glibcxx_assert_fail" in name for name in symbols),
        "no search path for libraries": re.search(r"\((RPATH|RUNPATH)\)", dynamic) is None,
    }
    present |= branch_protection(header, objects)
    for path in build_paths:
        present[f"no build path ({path})"] = str(path).encode() not in content
    return [name for name, there in present.items() if not there]


def main(executable, build_folder=None):
    build = pathlib.Path(build_folder or pathlib.Path(executable).parent.parent).resolve()
    objects = [file for file in build.rglob("*.o") if "CMakeFiles/petal" in str(file)]
    missing = missing_properties(executable, objects, [ROOT, build])
    for name in missing:
        print(f"{executable}: lacks: {name}")
    if not missing:
        print(f"{executable} is hardened")
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
