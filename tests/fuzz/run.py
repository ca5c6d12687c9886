#!/usr/bin/env python3
"""Runs each fuzz target for a given CPU time, and prints a table of the results.

The binaries come from `cmake --build --preset fuzz`. Inputs that reach new code are kept in
CORPUS/TARGET; logs, inputs that fail, and the figures of all runs are kept in LOG. A target starts from its
corpus and from the seeds beside this script: files in corpus/TARGET/, made by hand, and lines of
base64 in corpus/TARGET.seeds, which --merge chooses from the corpus. --record adds the runs in LOG to the
table beside this script, which outlives the build folder.
"""

import argparse
import base64
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parent.parent / "build" / "fuzz"
# Targets that reach thousands of features in each execution. With its entropic schedule, libFuzzer would spend more
# time on counting rare features than on executions.
WITHOUT_ENTROPIC = ("sync_engine", "whole_sync")
# Bytes of an input to these targets. Longer ones reach little more, at less than 100 executions a second.
LONGEST = {"sync_engine": 200, "whole_sync": 72}
MOST_FINDINGS = 10  # in one run of a target
MOST_MERGED_BYTES = 16_000  # of selected seeds for a target
RECORD = HERE / "runs.md"
RECORD_HEAD = """# Fuzz runs so far

The sum of the long runs, by `run.py --record`; executions a second and edges are those of the last run. Inputs that
failed are counted, of which several may show one fault. All are mended, and among the seeds.

"""
COLUMNS = ("target", "last run", "CPU min", "executions", "per s", "edges", "found")
EDGES = re.compile(r"cov: (\d+) ft: ")
UNITS = re.compile(r"stat::number_of_executed_units: (\d+)")


def unpack(name, folder):
    """Writes the seeds of corpus/NAME.seeds into the folder, a file each."""
    packed = HERE / "corpus" / f"{name}.seeds"
    for number, line in enumerate(packed.read_text().split() if packed.exists() else []):
        (folder / str(number)).write_bytes(base64.b64decode(line, validate=True))


def cpu_seconds(process):
    try:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return int(fields[11]) / os.sysconf("SC_CLK_TCK")


def run_once(command, log, seconds):
    """Runs the fuzzer until it fails or has used this time in user mode. Returns the time used."""
    # The stacks of allocations are only recorded when a failing input is run by itself: recording costs a tenth of the
    # time. Freed memory is used again after one megabyte, which stays in the processor's cache: with ASan's 256, a
    # fourth of the time goes into waiting for memory. The tests keep those.
    asan = os.environ.get("ASAN_OPTIONS", "")
    asan += ":malloc_context_size=1:quarantine_size_mb=1:thread_local_quarantine_size_kb=16"
    with open(log, "wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env={**os.environ, "ASAN_OPTIONS": asan})
        stopped = 0.0
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if not stopped and cpu_seconds(process) >= seconds:
                process.send_signal(signal.SIGUSR1)  # libFuzzer ends after the current input
                stopped = time.monotonic()
            elif stopped and time.monotonic() > stopped + 120:
                process.kill()
            time.sleep(0.1)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime


class Target:
    def __init__(self, name, options):
        self.name = name
        self.options = options
        self.binary = options.binaries / f"petal_fuzz_{name}"
        self.corpus = options.corpus / name
        self.found = options.log / "found" / name
        for folder in (self.corpus, self.found):
            folder.mkdir(parents=True, exist_ok=True)

    def seed_folders(self, unpacked):
        unpack(self.name, unpacked)
        return [str(folder) for folder in (HERE / "corpus" / self.name, unpacked) if folder.is_dir()]

    def run(self):
        """Runs for the requested time, again after each failure. Returns the figures."""
        known = set(self.found.iterdir())
        figures = {"target": self.name, "seconds": 0.0, "executions": 0, "edges": 0}
        log = self.options.log / f"{self.name}.log"
        with tempfile.TemporaryDirectory() as unpacked:
            command = [str(self.binary), "-print_final_stats=1", "-timeout=30", "-rss_limit_mb=1024"]
            command += ["-report_slow_units=30"]  # by the clock: on a busy machine, less says nothing
            command += [f"-artifact_prefix={self.found}/", "-reload=0", f"-seed={self.options.seed}"]
            command += ["-entropic=0"] if self.name in WITHOUT_ENTROPIC else []
            command += [f"-max_len={LONGEST[self.name]}"] if self.name in LONGEST else []
            command += [str(self.corpus), *self.seed_folders(pathlib.Path(unpacked))]
            for attempt in range(MOST_FINDINGS):
                if attempt:
                    log.rename(log.with_suffix(f".failure-{attempt}.log"))
                used = run_once(command, log, self.options.seconds - figures["seconds"])
                self.add(figures, used, log.read_text(errors="replace"))
                if figures["seconds"] >= 0.98 * self.options.seconds:
                    break
        figures["found"] = sorted(file.name for file in set(self.found.iterdir()) - known)
        figures["ended"] = int(time.time())
        with open(self.options.log / "runs.jsonl", "a", encoding="ascii") as runs:
            runs.write(json.dumps(figures) + "\n")
        print(f"{self.name}: {figures['executions']} executions, found {figures['found']}", flush=True)
        return figures

    @staticmethod
    def add(figures, used, text):
        figures["seconds"] = round(figures["seconds"] + used, 1)
        figures["executions"] += sum(int(units) for units in UNITS.findall(text)[-1:])
        for edges in EDGES.findall(text)[-1:]:
            figures["edges"] = max(figures["edges"], int(edges))

    def merge(self):
        """Replaces corpus/TARGET.seeds by inputs that together reach as many edges as their room allows."""
        by_hand = HERE / "corpus" / self.name
        with tempfile.TemporaryDirectory() as made, tempfile.TemporaryDirectory() as unpacked, \
                tempfile.NamedTemporaryFile() as control:
            for file in by_hand.iterdir() if by_hand.is_dir() else []:
                (pathlib.Path(made) / file.name).write_bytes(file.read_bytes())
            known = set(pathlib.Path(made).iterdir())
            unpack(self.name, pathlib.Path(unpacked))
            subprocess.run([self.binary, "-merge=1", f"-merge_control_file={control.name}", "-use_counters=0",
                            "-timeout=30", made, self.corpus, unpacked], check=True, stderr=subprocess.DEVNULL)
            reached = list(read_features(pathlib.Path(control.name)))
            begin = set().union(*(edges for file, edges in reached if file in known))
            candidates = {file.read_bytes() for file in set(pathlib.Path(made).iterdir()) - known}
            inputs = {seed: edges for file, edges in reached if (seed := file.read_bytes()) in candidates}
        chosen, missed = choose_seeds(inputs, begin, MOST_MERGED_BYTES)
        (HERE / "corpus" / f"{self.name}.seeds").write_text("".join(map(seed_line, chosen)))
        print(f"{self.name}: {len(chosen)} seeds; there was no room for {missed} edges", flush=True)


def read_features(control):
    """The files of libFuzzer's record of a merge, each with the edges that it reaches."""
    count, _, *lines = control.read_text().splitlines()
    files = [pathlib.Path(line) for line in lines[:int(count)]]
    for line in lines[int(count):]:
        kind, number, *edges = line.split()
        if kind == "FT":
            yield files[int(number)], set(map(int, edges))


def seed_line(seed):
    return base64.b64encode(seed).decode() + "\n"


def choose_seeds(inputs, reached, room):
    """Chooses, one after the other, the input that reaches the most new edges for its size. Returns the chosen ones, the
    smallest first, and the number of edges for which there was no room."""
    chosen, best = [], None
    while True:
        reached = inputs[best] if best else reached
        inputs = {seed: new for seed, edges in inputs.items() if (new := edges - reached)}
        fitting = [seed for seed in inputs if len(seed_line(seed)) <= room]
        if not fitting:
            return sorted(chosen, key=lambda seed: (len(seed), seed)), len(set().union(*inputs.values()))
        best = max(fitting, key=lambda seed: (len(inputs[seed]) / len(seed_line(seed)), seed))
        room -= len(seed_line(best))
        chosen.append(best)


def cells(row):
    def number(value):
        return "" if value is None else f"{value:,}"

    return (row["target"], row["last_run"], f"{row['minutes']:,.1f}", number(row["executions"]), number(row["per_s"]),
            number(row["edges"]), number(row["found"]))


def print_table(rows):
    table = [COLUMNS] + [cells(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table)]
    for name, *others in table:
        print(name.ljust(widths[0]), *(text.rjust(width) for text, width in zip(others, widths[1:])))


def read_record(path):
    """The rows of the table in the file, by target."""
    def number(text):
        return int(text.replace(",", "")) if text else None

    rows = {}
    for line in path.read_text(encoding="ascii").splitlines() if path.exists() else []:
        texts = [text.strip() for text in line.strip("|").split("|")]
        if len(texts) == len(COLUMNS) and texts[0] != COLUMNS[0] and not texts[0].startswith("-"):
            target, last_run, minutes, *numbers = texts
            executions, per_s, edges, found = map(number, numbers)
            rows[target] = {"target": target, "last_run": last_run, "minutes": float(minutes.replace(",", "")),
                            "executions": executions, "per_s": per_s, "edges": edges, "found": found}
    return rows


def write_record(path, rows):
    lines = [COLUMNS, ("---", "---", *["--:"] * (len(COLUMNS) - 2))] + [cells(rows[target]) for target in sorted(rows)]
    path.write_text(RECORD_HEAD + "".join(f"| {' | '.join(line)} |\n" for line in lines), encoding="ascii")


def add_run(rows, run):
    """Adds the figures of a run to the target's row."""
    before = rows.get(run["target"], {"minutes": 0, "executions": 0, "found": 0})
    ended = datetime.datetime.fromtimestamp(run["ended"], datetime.timezone.utc)
    rows[run["target"]] = {
        "target": run["target"],
        "last_run": ended.date().isoformat(),
        "minutes": before["minutes"] + run["seconds"] / 60,
        "executions": before["executions"] + run["executions"],
        "per_s": round(run["executions"] / max(run["seconds"], 0.1)),
        "edges": run["edges"],
        "found": before["found"] + len(run["found"]),
    }


def runs_in(file):
    return [json.loads(line) for line in file.read_text(encoding="ascii").splitlines()] if file.exists() else []


def record(log, path=RECORD):
    """Moves the runs from the log to the table."""
    runs, taken = log / "runs.jsonl", log / "recorded.jsonl"
    if not runs.exists():
        sys.exit(f"error: no runs in {log}")
    runs.rename(taken)  # a run that ends now starts a new file
    rows = read_record(path)
    for run in runs_in(taken):
        add_run(rows, run)
    write_record(path, rows)


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all, if none is named")
    parser.add_argument("--seconds", type=float, default=600, help="of CPU in user mode for each target")
    parser.add_argument("--jobs", type=int, default=1, help="targets that run at once")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations; 0 for a random one")
    parser.add_argument("--binaries", type=pathlib.Path, default=BUILD / "tests" / "fuzz", metavar="FOLDER")
    parser.add_argument("--corpus", type=pathlib.Path, default=BUILD / "corpus", metavar="FOLDER")
    parser.add_argument("--log", type=pathlib.Path, default=BUILD / "log", metavar="FOLDER")
    parser.add_argument("--merge", action="store_true", help="choose new seeds for the sources, and run nothing")
    parser.add_argument("--record", action="store_true", help="add the runs in LOG to runs.md, and run nothing")
    parser.add_argument("--table", action="store_true", help="print runs.md with those in LOG, and run nothing")
    return parser.parse_args()


def main():
    options = parse_options()
    if options.record:
        record(options.log)
    if options.record or options.table:
        rows = read_record(RECORD)
        for run in runs_in(options.log / "runs.jsonl"):
            add_run(rows, run)
        print_table(rows[target] for target in sorted(rows))
        return 0
    prefix = "petal_fuzz_"
    names = options.targets or sorted(
        file.name[len(prefix):] for file in options.binaries.glob(prefix + "*") if os.access(file, os.X_OK))
    targets = [Target(name, options) for name in names]
    if options.merge:
        for target in targets:
            target.merge()
        return 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = list(pool.map(Target.run, targets))
    rows = {}
    for run in runs:
        add_run(rows, run)
    print_table(rows.values())
    return 1 if any(run["found"] for run in runs) else 0


if __name__ == "__main__":
    sys.exit(main())
