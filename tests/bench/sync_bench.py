#!/usr/bin/env python3
"""Measures `petal sync` against embedded nodes in another process.

The parts, all of which run unless some are named:
  direct    a long chain from one node, compared with a client that validates nothing
  paced     the same, from a node that takes as long for a block as Bitcoin Core does
  delayed   the same, with a latency of 50 ms each way
  full      a sync with full blocks of 5 kB and of 400 kB, compared with a client that searches nothing
            and has as many in flight; then with a latency of 50 ms each way
  nodes     from 1, 2, 4 and 8 nodes that take 5 ms for each block
  memory    200,000 blocks
  addresses 1,000 to 100,000 addresses that are paid in order, ten in each block
  refetch   blocks that are fetched again because coins were found, from nodes as above
  warm      round trips from the start to the end of a small sync, from a known peer
  day       following the chain for a day: half a minute without events, and the cost of 144 blocks and
            120 unconfirmed payments, one right after the other

Every sync has a new wallet, and its result is checked against the node's payments and spends.
Runs that are compared alternate. Needs the build's programs petal and petal_bench_*, optimised
(.ci/thorough.sh bench).
"""

import argparse
import contextlib
import json
import math
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli" / "end_to_end"))
from rpc_client import client_of

DELAY_MS = 50
BLOCK_US = 5_000
# About the time that Bitcoin Core takes for a small filtered block. The embedded node alone takes far less.
CORE_BLOCK_US = 40


MNEMONIC = "abandon " * 11 + "about"


class Programs:
    """The paths of the build's programs."""

    def __init__(self, build):
        for name in ("petal", "petal_bench_node", "petal_bench_null_client",
                     "petal_bench_measure"):
            found = [path for path in build.rglob(name) if path.is_file()]
            if len(found) != 1:
                sys.exit(f"error: {build} has {len(found)} programs named {name}, not one")
            setattr(self, name.removeprefix("petal_bench_"), str(found[0]))
        self.delay_proxy = str(pathlib.Path(__file__).with_name("delay_proxy.py"))


@contextlib.contextmanager
def running(*command):
    """Runs a program that prints its address as one line of JSON, and ends with its standard input."""
    process = subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        if not line:
            sys.exit(f"error: {command[0]} does not start")
        yield json.loads(line)
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


@contextlib.contextmanager
def rpc_node(programs):
    """A node with JSON-RPC: the JSON that it printed when it listened, and a client of its interface."""
    command = [programs.petal, "regtest-node", "--port", "0", "--json", "--rpc", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        listening = json.loads(process.stdout.readline())
        yield listening, client_of(listening)
        process.terminate()


def counting_relay(programs, endpoint):
    """A server that forwards connections to an endpoint, and the list of the numbers of bytes that it carried."""
    os.environ["PETAL_EXECUTABLE"] = programs.petal
    from petal_process import Server
    from relay import lead_to

    carried = []
    return Server(lead_to(endpoint, carried.append)), carried


def nodes(programs, **options):
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    return running(programs.node, *arguments)


class Wallet:
    """A new wallet of the node's mnemonic in its own folder."""

    def __init__(self, programs, truth):
        self.programs = programs
        self.truth = truth
        self.folder = tempfile.TemporaryDirectory()
        subprocess.run(self.command("restore", "--mnemonic-file", "-"), check=True,
                       input=truth["mnemonic"], text=True, stdout=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def command(self, *arguments):
        return [self.programs.petal, "--datadir", self.folder.name, "--network", "regtest",
                "--json", *arguments]

    def sync(self, endpoints, *options):
        """Runs one sync and checks its result. Returns its measurements and its output."""
        connect = [word for endpoint in endpoints for word in ("--connect", endpoint)]
        taken, result = measure(self.programs, *self.command("sync", *connect, *options))
        self.check()
        return taken, result

    def check(self):
        """Ends the program if the wallet's data differ from the truth."""
        def ask(*arguments):
            done = subprocess.run(self.command(*arguments), check=True, stdout=subprocess.PIPE,
                                  text=True)
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


def measure(programs, *command):
    """The measurements of a command, and the JSON that it printed."""
    done = subprocess.run([programs.measure, *command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"error: {command[0]} ended with status {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    return json.loads(done.stderr.splitlines()[-1]), json.loads(done.stdout)


def sync_once(programs, truth, endpoints, *options):
    with Wallet(programs, truth) as wallet:
        return wallet.sync(endpoints, *options)


def verdict(value, limit, at_most=True):
    """The limit for a value, and whether the value misses it."""
    held = value <= limit if at_most else value >= limit
    return f"{'at most' if at_most else 'at least'} {limit:g}{'' if held else ': MISSED'}"


def cpu_of(taken):
    return taken["user_s"] + taken["system_s"]


def row(title, taken):
    walls = [one["wall_s"] for one in taken]
    cpu = statistics.median(map(cpu_of, taken))
    peak = max(one["peak_kib"] for one in taken) / 1024
    print(f"  {title:18}{min(walls):8.3f} s least {statistics.median(walls):8.3f} s median "
          f"{cpu:7.3f} s CPU {peak:6.1f} MiB peak")


def compare(programs, options, endpoint, truth, limit):
    """Runs petal and the null client in turn, on one chain from one endpoint."""
    with tempfile.NamedTemporaryFile("w", suffix=".hex") as filter_file:
        filter_file.write(truth["filter"])
        filter_file.flush()
        null, petal = [], []
        for _ in range(options.runs):
            taken, got = measure(programs, programs.null_client, endpoint, filter_file.name)
            if got["blocks"] != truth["height"] or got["transactions"] < truth["transactions"]:
                sys.exit(f"error: the null client got {got}")
            null.append(taken)
            taken, result = sync_once(programs, truth, [endpoint])
            petal.append(taken)
    row("null client", null)
    row("petal", petal)
    null_walls, petal_walls = ([one["wall_s"] for one in taken] for taken in (null, petal))
    median = statistics.median
    # On a machine with other users, runs side by side are the most comparable.
    for name, ratio in (
            ("of the least", min(petal_walls) / min(null_walls)),
            ("of the medians", median(petal_walls) / median(null_walls)),
            ("median of pairs", median(p / n for p, n in zip(petal_walls, null_walls)))):
        print(f"  ratio, {name:18}{ratio:8.3f}   {verdict(ratio, limit)}")
    stats = result["stats"]
    print(f"  received {stats['bytes_received']:,} bytes, sent {stats['bytes_sent']:,}; "
          f"{stats['filter_loads']} filter loads, {stats['refetched_blocks']} blocks fetched "
          f"again, {stats['false_positives']} false positives")


def part_direct(programs, options):
    with nodes(programs, blocks=options.blocks, transactions=options.transactions,
               payments=200) as truth:
        compare(programs, options, truth["endpoints"][0], truth, 1.05)
        again = []
        with Wallet(programs, truth) as wallet:
            wallet.sync(truth["endpoints"])
            for _ in range(options.runs):
                again.append(wallet.sync(truth["endpoints"])[0])
        row("nothing to fetch", again)


def part_paced(programs, options):
    with nodes(programs, blocks=options.blocks, transactions=options.transactions,
               payments=200, block_us=CORE_BLOCK_US) as truth:
        compare(programs, options, truth["endpoints"][0], truth, 1.05)


def part_delayed(programs, options):
    with nodes(programs, blocks=options.blocks, transactions=options.transactions,
               payments=200) as truth, \
            running(programs.delay_proxy, truth["endpoints"][0], DELAY_MS) as proxy:
        compare(programs, options, proxy["endpoint"], truth, 1.1)


def compare_full(programs, options, endpoint, truth, in_flight):
    """Syncs with full blocks from one endpoint, and downloads them by the null client, in turn."""
    null, petal = [], []
    for _ in range(options.runs):
        taken, got = measure(programs, programs.null_client, endpoint, "--full-blocks", str(in_flight))
        if got["blocks"] != truth["height"]:
            sys.exit(f"error: the null client got {got}")
        null.append(taken)
        taken, result = sync_once(programs, truth, [endpoint], "--full-blocks")
        petal.append(taken)
    row("null client", null)
    row("petal", petal)
    median = statistics.median
    ratio = median(p["wall_s"] / n["wall_s"] for p, n in zip(petal, null))
    print(f"  ratio, median of pairs {ratio:8.3f}   {verdict(ratio, 1.5)}")
    megabytes = result["stats"]["bytes_received"] / 1e6
    rate = megabytes / min(map(cpu_of, petal))
    print(f"  received {megabytes:.0f} MB, {rate:.0f} MB a second of CPU   "
          f"{verdict(rate, 400, at_most=False)}")
    peak = max(one["peak_kib"] for one in petal) / 1024
    print(f"  MiB at the peak: {verdict(peak, 40)}")


def part_full(programs, options):
    for blocks, transactions, outputs, in_flight in ((options.blocks, 20, 5, 2_000),
                                                     (options.full_blocks, 400, 30, 40)):
        with nodes(programs, blocks=blocks, transactions=transactions, outputs=outputs,
                   payments=100) as truth, \
                running(programs.delay_proxy, truth["endpoints"][0], DELAY_MS) as proxy:
            for title, endpoint in ((f"{blocks:,} blocks of {transactions} transactions with {outputs + 1} outputs",
                                     truth["endpoints"][0]),
                                    (f"the same, {DELAY_MS} ms each way", proxy["endpoint"])):
                print(f" {title}:")
                compare_full(programs, options, endpoint, truth, in_flight)


def part_nodes(programs, options):
    walls = {}
    with nodes(programs, blocks=options.slow_blocks, transactions=options.transactions, payments=0,
               nodes=8, block_us=BLOCK_US) as truth:
        for count in (1, 2, 4, 8):
            taken, _ = sync_once(programs, truth, truth["endpoints"][:count])
            walls[count] = taken["wall_s"]
            speed_up = walls[1] / walls[count]
            bar = f"   {verdict(speed_up, 0.85 * count, at_most=False)}" if count > 1 else ""
            print(f"  {count} nodes {walls[count]:9.3f} s   {speed_up:5.2f} times as fast as one"
                  f"{bar}")


def part_memory(programs, options):
    blocks = 10 * options.blocks
    with nodes(programs, blocks=blocks, transactions=1, payments=200) as truth:
        taken, _ = sync_once(programs, truth, truth["endpoints"])
        row(f"{blocks:,} blocks", [taken])
        print(f"  MiB at the peak: {verdict(taken['peak_kib'] / 1024, 30)}")


def part_addresses(programs, options):
    before = None
    for count in (1_000, 4_000, 16_000, 100_000):
        with nodes(programs, blocks=max(count // 10, 200), transactions=10, payments=count,
                   coins=count) as truth:
            taken, _ = sync_once(programs, truth, truth["endpoints"])
        cpu = cpu_of(taken)
        row(f"{count:,} addresses", [taken])
        if count == 16_000:
            print(f"  s CPU: {verdict(cpu, 0.8)}")
        if before:
            power = math.log(cpu / before[1]) / math.log(count / before[0])
            print(f"  power of the growth {power:5.2f}   {verdict(power, 1.2)}")
        before = count, cpu


def part_refetch(programs, options):
    for payments in (100, 1_000):
        walls = {}
        with nodes(programs, blocks=options.blocks, transactions=options.transactions,
                   payments=payments, coins=10, nodes=4, block_us=BLOCK_US) as truth:
            for count, limit in ((1, 1), (4, 10)):
                taken, result = sync_once(programs, truth, truth["endpoints"][:count])
                walls[count] = taken["wall_s"]
                share = 100 * result["stats"]["refetched_blocks"] / options.blocks
                bar = f"   {verdict(share, limit)}" if payments == 100 else ""
                print(f"  {payments:5,} transactions, {count} nodes {walls[count]:9.3f} s   "
                      f"{share:6.2f} % fetched again{bar}")
        speed_up = walls[1] / walls[4]
        bar = f"   {verdict(speed_up, 1.8, at_most=False)}" if payments == 1_000 else ""
        print(f"  {payments:5,} transactions, 4 nodes {speed_up:5.2f} times as fast as one{bar}")


def part_warm(programs, options):
    with nodes(programs, blocks=500, transactions=1, payments=5) as truth, \
            running(programs.delay_proxy, truth["endpoints"][0], DELAY_MS) as proxy:
        walls = []
        for _ in range(options.runs):
            with Wallet(programs, truth) as wallet:
                subprocess.run(wallet.command("peers", "add", proxy["endpoint"]), check=True,
                               stdout=subprocess.DEVNULL)
                walls.append(wallet.sync([])[0]["wall_s"])
        trips = min(walls) / (2 * DELAY_MS / 1_000)
        print(f"  {min(walls):.3f} s, {trips:.2f} round trips   {verdict(trips, 5)}")


class Follower:
    """`petal sync --follow` of a wallet, measured."""

    def __init__(self, programs, wallet, endpoint):
        self.process = subprocess.Popen(
            [programs.measure, *wallet.command("sync", "--follow", "--connect", endpoint)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for(self, event, **fields):
        while True:
            line = self.process.stdout.readline()
            if not line:
                sys.exit(f"error: the follower ended: {self.process.stderr.read()}")
            told = json.loads(line)
            if told.get("event") == event and fields.items() <= told.items():
                return

    def pid(self):
        measuring = self.process.pid
        return int(pathlib.Path(f"/proc/{measuring}/task/{measuring}/children").read_text())

    def cpu(self):
        """The CPU time so far in seconds, to the nanosecond."""
        threads = pathlib.Path(f"/proc/{self.pid()}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9

    def end(self):
        """Interrupts the command, and returns its last line of output."""
        os.kill(self.pid(), signal.SIGINT)
        _, said = self.process.communicate()
        return json.loads(said.splitlines()[-1])


def part_day(programs, options):
    settling_seconds = 30
    idle_seconds = 120  # it sends one ping in this time
    with rpc_node(programs) as (node, rpc), \
            Wallet(programs, {"mnemonic": MNEMONIC}) as wallet:
        relay, carried = counting_relay(programs, node["address"])
        follower = Follower(programs, wallet, relay.address)
        follower.wait_for("synced", height=node["height"])
        asked = subprocess.run(wallet.command("addresses"), check=True, stdout=subprocess.PIPE,
                               text=True)
        time.sleep(settling_seconds)
        before = follower.cpu()
        time.sleep(idle_seconds)
        idle = (follower.cpu() - before) / idle_seconds * 86_400
        print(f"  a quiet day     {idle:8.3f} s CPU, by {idle_seconds} s of it   {verdict(idle, 1)}")
        addresses = [row["address"] for row in json.loads(asked.stdout)["addresses"]]
        for block in range(144):
            for payment in range(block * 5 // 6, (block + 1) * 5 // 6):
                txid = rpc.sendtoaddress(addresses[payment % 20], 0.001)
                follower.wait_for("transaction", txid=txid)
            rpc.generatetoaddress(1, node["own_address"])
            height = rpc.getblockcount()
            follower.wait_for("synced", height=height)
        taken = follower.end()
        print(f"  a day's events  {cpu_of(taken):8.3f} s CPU   {verdict(cpu_of(taken), 1)}")
        print(f"                  {sum(carried) / 1e6:8.3f} MB carried   "
              f"{verdict(sum(carried) / 1e6, 20)}")
        print(f"                  {taken['peak_kib'] / 1024:8.1f} MiB peak   "
              f"{verdict(taken['peak_kib'] / 1024, 20)}")
        wallet.truth = {"height": height, "confirmed_sat": 120 * 100_000, "utxos": 120,
                        "transactions": 120}
        wallet.check()


PARTS = {
    "direct": part_direct,
    "paced": part_paced,
    "delayed": part_delayed,
    "full": part_full,
    "nodes": part_nodes,
    "memory": part_memory,
    "addresses": part_addresses,
    "refetch": part_refetch,
    "warm": part_warm,
    "day": part_day,
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--part", action="append", choices=PARTS, help="may be repeated")
    parser.add_argument("--runs", type=int, default=5, help="of each client that is compared")
    parser.add_argument("--blocks", type=int, default=20_000)
    parser.add_argument("--full-blocks", type=int, default=600,
                        help="of 400 kB, of the part full")
    parser.add_argument("--slow-blocks", type=int, default=6_000, help="of the part nodes")
    parser.add_argument("--transactions", type=int, default=20, help="in each block")
    options = parser.parse_args()
    programs = Programs(options.build)
    for name in options.part or PARTS:
        print(f"{name}:", flush=True)
        PARTS[name](programs, options)


if __name__ == "__main__":
    main()
