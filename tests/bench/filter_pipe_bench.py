#!/usr/bin/env python3
"""How fast `petal filter match --stdin` reads candidates from a pipe.

usage: filter_pipe_bench.py PETAL [LINES]
Prints one JSON object: lines, seconds, lines a second, CPU seconds of petal. The filter has 36,000
bytes and 16 functions, and half of its bits are set. Each line has 20 bytes in hexadecimal.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time


def half_full_filter(petal):
    elements = "".join(os.urandom(20).hex() + "\n" for _ in range(12_474))
    command = [petal, "filter", "make", "--bytes", "36000", "--hashes", "16", "--stdin"]
    return subprocess.run(command, input=elements, capture_output=True, text=True, check=True).stdout


def main(petal, lines):
    with tempfile.TemporaryDirectory() as folder:
        filter_file = os.path.join(folder, "filter.hex")
        with open(filter_file, "w", encoding="ascii") as out:
            out.write(half_full_filter(petal))
        block = "".join(os.urandom(20).hex() + "\n" for _ in range(100_000)).encode()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        command = [petal, "filter", "match", "--file", filter_file, "--stdin", "--matches-only"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            for _ in range(lines // 100_000):
                process.stdin.write(block)
            process.stdin.close()
            status = process.wait()
        seconds = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"status": status, "lines": lines, "seconds": round(seconds, 3),
                      "lines_per_second": round(lines / seconds),
                      "lines_per_cpu_second": round(lines / cpu)}))  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20_000_000)
