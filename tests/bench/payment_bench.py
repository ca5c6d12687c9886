#!/usr/bin/env python3
"""Measures `petal send` over loopback, from a wallet without a password.

usage: payment_bench.py PETAL [--payments N]

  announced   from the start of the command to the inv that a peer receives, the median
  done        to the end of the command, when the peer has shown that it accepted the payment
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ADDRESS = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"
PAYEE = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"
WORDS = "abandon " * 11 + "about"


def measure(petal, count, folder):
    os.environ["PETAL_EXECUTABLE"] = petal
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli" / "end_to_end"))
    from petal_process import Server
    from relay import lead_messages_to

    def run(*arguments, words=""):
        command = [petal, "--datadir", folder, "--network", "regtest", "--json", *arguments]
        done = subprocess.run(command, input=words, text=True, check=True, capture_output=True)
        return json.loads(done.stdout)

    paid = [word for _ in range(count) for word in ("--pay", ADDRESS)]
    node = subprocess.Popen([petal, "--network", "regtest", "regtest-node", "--port", "0",
                             "--json", *paid], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            text=True)
    try:
        announced_at = []

        def note(command):
            if command == b"inv":
                announced_at.append(time.perf_counter())

        server = Server(lead_messages_to(json.loads(node.stdout.readline())["address"], note))
        run("restore", "--mnemonic-file", "-", words=WORDS)
        run("sync", "--connect", server.address)
        coins = [f"{coin['txid']}:{coin['vout']}" for coin in run("utxos")["utxos"]]
        times = []
        for coin in coins:
            announced_at.clear()
            begin = time.perf_counter()
            run("send", PAYEE, "all", "--utxo", coin, "--yes", "--connect", server.address)
            times.append((announced_at[0] - begin, time.perf_counter() - begin))
        server.close()
        return times
    finally:
        node.terminate()
        node.communicate()


def main():
    parser = argparse.ArgumentParser(usage="payment_bench.py PETAL [--payments N]")
    parser.add_argument("petal")
    parser.add_argument("--payments", type=int, default=11)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="petal-bench-") as folder:
        times = measure(options.petal, options.payments, folder)
    for name, column in ("announced", 0), ("done", 1):
        print(f"{name:<10} {1_000 * statistics.median(row[column] for row in times):.1f} ms")


if __name__ == "__main__":
    main()
