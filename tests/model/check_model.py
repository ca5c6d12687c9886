#!/usr/bin/env python3
"""Has spin search every state of filtered_sync.pml. usage: check_model.py COMPILER CASE

CASE is `sync` (no state claims too much or stalls, and the end is reached), `reorganisation` (the same with a
reorganisation), or `bugs` (spin finds a counterexample for each switch). Exits with 77 if spin is missing."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MODEL = pathlib.Path(__file__).resolve().parent / "filtered_sync.pml"
NO_SPIN = 77
LIMIT = 900  # seconds

# Each bug with the switches that it also needs: the smallest chain on which it can be found.
BUGS = {
    "LOAD_WITHOUT_FOUND": [],
    "GAP_WITHOUT_REFETCH": [],
    "OTHERS_NOT_TOLD": [],
    "FINDER_NOT_TOLD": [],
    "MISSED_NOT_NOTED": [],
    "COVERED_BY_OLD_FILTER": [],
    "TAKEN_OVER_IS_COVERED": [],
    "ANY_ANSWER_COVERS": [],
    "COVERAGE_NOT_STORED": [],
    "OLD_REQUESTS_COUNT": [],
    "FILTERS_NOT_REPLACED": [],
    "HELD_IS_IRRELEVANT": ["-DN=4"],
    "DROPPED_IS_HELD": [],
    "DROPPED_NOT_REQUESTED": [],
}


def is_complete(out):
    """Whether pan visited every state. Its exit status is 0 even if it ran out of memory. Only after a complete search
    does it list the code that no state reaches."""
    markers = ("Full statespace search for:", "errors: 0\n", "unreached in proctype sync")
    faults = ("Search not completed", "max search depth too small")
    return all(marker in out for marker in markers) and not any(fault in out for fault in faults)


def search(compiler, optimise, *switches):
    """Returns whether a state violates an assertion. With many states, optimising the search saves time."""
    with tempfile.TemporaryDirectory(prefix="petal-model-") as folder:
        def run(*command):
            return subprocess.run(
                command, cwd=folder, capture_output=True, text=True, check=True, timeout=LIMIT).stdout

        # By default, spin calls gcc, which a machine with only clang lacks.
        run("spin", f"-P{compiler} -E -x c", "-a", *switches, str(MODEL))
        # A model of one process has no interleavings that could be left out.
        run(compiler, optimise, "-w", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=256", "-o", "pan", "pan.c")
        out = run("./pan", "-m10000", "-w24")
    # pan also ends at other errors, such as a deadlock.
    violated = "assertion violated" in out
    if not violated and not is_complete(out):
        sys.exit(f"error: no assertion is violated, but the search is incomplete:\n{out}")
    states = re.search(r"(\S+) states, stored", out)
    memory = re.search(r"(\S+)\s+total actual memory", out)
    print(f"{' '.join(switches):50} {int(float(states[1])):>9} states, {memory[1]:>8} MB"
          f"{', counterexample' if violated else ''}", flush=True)
    return violated


def check(compiler, *switches):
    if search(compiler, "-O2", *switches):
        sys.exit("error: a sync claims too much, or stalls")
    if not search(compiler, "-O0", *switches, "-DWITNESS"):
        sys.exit("error: no sync comes to its end")


def check_bugs(compiler):
    in_model = set(re.findall(r"\bBUG_(\w+)", MODEL.read_text(encoding="utf-8")))
    if in_model != set(BUGS):
        sys.exit(f"error: not both in the model and here: {', '.join(in_model ^ set(BUGS))}")
    for bug, switches in BUGS.items():
        if not search(compiler, "-O0", f"-DBUG_{bug}", *switches):
            sys.exit(f"error: BUG_{bug} is not found")


def main():
    compiler, case = sys.argv[1:]
    if not shutil.which("spin"):
        print("model ... skipped 'no spin, so the model of the sync is not checked'")
        return NO_SPIN
    if case == "bugs":
        check_bugs(compiler)
    else:
        check(compiler, *{"sync": [], "reorganisation": ["-DREORG"]}[case])
    return 0


if __name__ == "__main__":
    sys.exit(main())
