#!/usr/bin/env python3
"""Measures `petal sync` of a long chain from an embedded node in another process.

usage: sync_bench.py BUILD_DIR [--blocks N] [--transactions N] [--payments N] [--runs N]

Each run syncs a fresh wallet, and its result is checked against what the node paid and spent; then
once more, with nothing new to fetch. Needs the build's programs petal, petal_bench_node and
petal_bench_measure, optimised (cmake --workflow --preset bench).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile


def find_program(build, name):
    found = [path for path in build.rglob(name) if path.is_file()]
    if len(found) != 1:
        sys.exit(f"error: {build} has {len(found)} programs named {name}, not one")
    return str(found[0])


class Bench:
    def __init__(self, build, node_arguments):
        self.petal = find_program(build, "petal")
        self.measure = find_program(build, "petal_bench_measure")
        self.node = subprocess.Popen(
            [find_program(build, "petal_bench_node"), *map(str, node_arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.truth = json.loads(self.node.stdout.readline())

    def close(self):
        self.node.stdin.close()
        self.node.wait()

    def command(self, folder, *arguments):
        return [self.petal, "--datadir", folder, "--network", "regtest", "--json", *arguments]

    def restore(self, folder):
        subprocess.run(self.command(folder, "restore", "--mnemonic-file", "-"), check=True,
                       input=self.truth["mnemonic"], text=True, stdout=subprocess.DEVNULL)

    def sync(self, folder):
        """One sync: what it took, and what it printed."""
        sync = self.command(folder, "sync", "--connect", self.truth["endpoint"])
        done = subprocess.run([self.measure, *sync], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"error: sync failed with status {done.returncode}\n{done.stdout}{done.stderr}")
        return json.loads(done.stderr.splitlines()[-1]), json.loads(done.stdout)

    def check(self, folder):
        """Ends the program where the wallet knows anything else than the truth."""
        def ask(*arguments):
            done = subprocess.run(self.command(folder, *arguments), check=True,
                                  stdout=subprocess.PIPE, text=True)
            return json.loads(done.stdout)

        found = {
            "height": ask("balance")["height"],
            "confirmed_sat": ask("balance")["confirmed_sat"],
            "utxos": len(ask("utxos")["utxos"]),
            "transactions": len(ask("history")["transactions"]),
        }
        expected = {key: self.truth[key] for key in found}
        if found != expected:
            sys.exit(f"error: the wallet has {found}, not {expected}")


def report(title, taken, blocks):
    wall = statistics.median(one["wall_s"] for one in taken)
    cpu = statistics.median(one["user_s"] + one["system_s"] for one in taken)
    peak = max(one["peak_kib"] for one in taken) / 1024
    rate = f"  {blocks / wall:7,.0f} blocks/s" if blocks else ""
    print(f"{title:18}{wall:7.3f} s wall  {cpu:6.3f} s CPU  {peak:5.1f} MiB peak{rate}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--blocks", type=int, default=20_000)
    parser.add_argument("--transactions", type=int, default=20)
    parser.add_argument("--payments", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()

    bench = Bench(options.build, [options.blocks, options.transactions, options.payments])
    first, again = [], []
    with tempfile.TemporaryDirectory() as root:
        for number in range(options.runs):
            folder = f"{root}/{number}"
            bench.restore(folder)
            taken, result = bench.sync(folder)
            first.append(taken)
            bench.check(folder)
            again.append(bench.sync(folder)[0])
            bench.check(folder)
    bench.close()

    stats = result["stats"]
    print(f"{options.blocks:,} blocks of {options.transactions} transactions, "
          f"{options.payments} of them the wallet's; median of {options.runs} runs")
    report("sync", first, options.blocks)
    report("nothing to fetch", again, 0)
    print(f"received {stats['bytes_received']:,} bytes, sent {stats['bytes_sent']:,}; "
          f"{stats['filter_loads']} filter loads, {stats['refetched_blocks']} blocks fetched again, "
          f"{stats['false_positives']} false positives")


if __name__ == "__main__":
    main()
