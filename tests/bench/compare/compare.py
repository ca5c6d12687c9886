#!/usr/bin/env python3
"""Syncs one chain with petal and with other SPV wallets, in turn, and prints how they compare.

The others are programs that are started as COMMAND HOST:PORT HEIGHT ACCOUNT_KEY (the tpub of a BIP84 account). Each
syncs a new watch-only wallet up to that height, and prints one line of JSON, {"transactions": N}:
  petal                 once in each way: with a Bloom filter, with compact filters, with full blocks
  null client           downloads the same in each way, and checks nothing: the lower bound
  bcoin                 its SPV node, which ./test.sh installs; PETAL_BCOIN names another folder that has bcoin in
                        its node_modules; NODE_BACKEND=native makes it use its parts in C if they are built; if it is
                        not there, its row says so
  PETAL_COMPARE_NAME    the command of another program, which the table calls NAME: that of kyoto/ or of neutrino/
                        in this folder, for example (README.md says how to build them)

The figures in brackets are multiples of those of petal: of the same way, or, in the rows of other wallets, of the way
that they use (compact filters for the NAMEs kyoto and neutrino, a Bloom filter otherwise).

The chain is served by petal's regtest node; with --core, by the Bitcoin Core that BITCOIND names, which
downloads it from there first. The result of a wallet is compared with the chain: the table shows how many of the
transactions it has. A program's time is that of the whole process. Below the table is the time that starting
takes, measured by a sync up to height 0. Needs an optimised build (.ci/thorough.sh bench), and
an idle machine.
"""

import argparse
import contextlib
import datetime
import functools
import json
import os
import pathlib
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import sync_bench  # noqa: E402  (the modules are in the folder above)
from regtest_bench import free_ports  # noqa: E402

LIMIT = 600  # seconds that a program may take for one sync
COLUMNS = ["", "wall, s", f"with {sync_bench.DELAY_MS} ms each way, s", "CPU, s", "peak, MiB", "carried, MB", "found"]
# The ways, by their names for --source.
SOURCES = {"bloom": "Bloom filter", "compact": "compact filters", "blocks": "full blocks"}
# As petal has them in flight.
BLOCKS_IN_FLIGHT = 2_000
BYTES_IN_FLIGHT = 16_000_000
OF_COMPACT_FILTERS = ("kyoto", "neutrino")
MISSING = "not installed (./test.sh installs it)"


def bcoin_folder():
    """PETAL_BCOIN, or else where ./test.sh keeps bcoin; nothing if it is not there."""
    if "PETAL_BCOIN" in os.environ:
        return os.environ["PETAL_BCOIN"]
    user_cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    cache = pathlib.Path(os.environ.get("PETAL_CACHE") or pathlib.Path(user_cache, "petal"))
    installed = sorted(cache.glob("bcoin-*/installed"), key=lambda mark: mark.stat().st_mtime)
    return installed[-1].parent if installed else None


def commands():
    """The commands of the other wallets that are there, by name."""
    found = {}
    if bcoin := bcoin_folder():
        modules = pathlib.Path(bcoin, "node_modules")
        backend = os.environ.get("NODE_BACKEND", "js")  # without its parts in C, as the tests install it
        found["bcoin"] = ["env", f"NODE_PATH={modules}", f"NODE_BACKEND={backend}", "node",
                          str(HERE / "bcoin_spv.js")]
    else:
        print(f"note: bcoin is {MISSING}", file=sys.stderr)
    for name, command in sorted(os.environ.items()):
        if name.startswith("PETAL_COMPARE_"):
            found[name.removeprefix("PETAL_COMPARE_").lower()] = shlex.split(command)
    return found


def account_key(programs, truth):
    """The extended public key of the account that the chain pays."""
    with sync_bench.Wallet(programs, truth) as wallet:
        done = subprocess.run(wallet.command("info"), check=True, stdout=subprocess.PIPE, text=True)
    descriptor = json.loads(done.stdout)["descriptors"][0]
    return descriptor.partition("]")[2].partition("/")[0]


def sync_petal(programs, truth, source, endpoint):
    taken, _ = sync_bench.sync_once(programs, truth, [endpoint], "--source", source)
    return taken, truth["transactions"]  # sync_once() has checked this


def sync_null_client(programs, truth, source, block_bytes, endpoint):
    with tempfile.NamedTemporaryFile("w", suffix=".hex") as filter_file:
        filter_file.write(truth["filter"])
        filter_file.flush()
        what = {"bloom": [filter_file.name],
                "compact": ["--compact-filters", *truth["heights"]],
                "blocks": ["--full-blocks", min(BLOCKS_IN_FLIGHT, max(1, BYTES_IN_FLIGHT // block_bytes))]}[source]
        taken, _ = sync_bench.measure(programs, programs.null_client, endpoint, *map(str, what))
    return taken, None  # it can't tell false positives from the wallet's payments


def sync_other(programs, height, endpoint, command, key):
    done = subprocess.run([programs.measure, *command, endpoint, str(height), key],
                          capture_output=True, text=True, check=False, timeout=LIMIT)
    if done.returncode != 0:
        sys.exit(f"error: {shlex.join(command)} ended with status {done.returncode}\n{done.stderr}")
    return json.loads(done.stderr.splitlines()[-1]), json.loads(done.stdout)["transactions"]


@contextlib.contextmanager
def core_with(endpoint, height):
    """Starts a Bitcoin Core that serves both kinds of filters and has downloaded the chain. Gives its address."""
    bitcoind = pathlib.Path(os.environ["BITCOIND"])
    with tempfile.TemporaryDirectory() as folder:
        port, rpc_port = free_ports(2)
        shared = ["-regtest", f"-datadir={folder}", f"-rpcport={rpc_port}"]
        # The blocks of the chain have old times. Without -maxtipage, Core would not serve them.
        process = subprocess.Popen(
            [bitcoind, *shared, "-printtoconsole=0", "-peerbloomfilters=1", "-dnsseed=0", "-listen=1",
             "-blockfilterindex=1", "-peerblockfilters=1", f"-bind=127.0.0.1:{port}", f"-connect={endpoint}",
             "-maxtipage=10000000000"])
        try:
            end = time.monotonic() + LIMIT
            while time.monotonic() < end and process.poll() is None:
                asked = subprocess.run([bitcoind.with_name("bitcoin-cli"), *shared, "getindexinfo"],
                                       capture_output=True, text=True, check=False)
                index = json.loads(asked.stdout or "{}").get("basic block filter index", {})
                if index.get("synced") and index["best_block_height"] == height:
                    break
                time.sleep(0.5)
            else:
                sys.exit("error: Bitcoin Core did not download the chain")
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def measure(clients, endpoint, runs):
    """The measurements of each client in each run, taken in turn, and the number of transactions that it found,
    or None."""
    taken = {name: [] for name in clients}
    found = {}
    for _ in range(runs):
        for name, sync in clients.items():
            one, found[name] = sync(endpoint)
            taken[name].append(one)
    return taken, found


def carried(programs, clients, endpoint):
    """The number of bytes that each client exchanges with the node."""
    result = {}
    for name, sync in clients.items():
        relay, sizes = sync_bench.counting_relay(programs, endpoint)
        sync(relay.address)
        result[name] = sum(sizes)
        relay.close()
    return result


def median(taken, figure):
    return statistics.median(map(figure, taken))


def compared_with(name):
    """The row of petal with which a row is compared; nothing for petal's own."""
    way = name.partition(", ")[2]
    if name.startswith("petal, "):
        return None
    if name.startswith("null client, "):
        return f"petal, {way}"
    return f"petal, {SOURCES['compact' if name in OF_COMPACT_FILTERS else 'bloom']}"


def rows(clients, direct, delayed, sizes, found, transactions):
    """The rows of the table: petal's figures, and those of the others, also as multiples of petal's."""
    columns = (
        lambda name: median(direct[name], lambda one: one["wall_s"]),
        lambda name: median(delayed[name], lambda one: one["wall_s"]),
        lambda name: median(direct[name], sync_bench.cpu_of),
        lambda name: median(direct[name], lambda one: one["peak_kib"] / 1024),
        lambda name: sizes[name] / 1e6,
    )
    for name in clients:
        figures = [f"{column(name):.2f}" for column in columns]
        if own := compared_with(name):
            figures = [f"{figure} ({column(name) / column(own):.2f}x)"
                       for figure, column in zip(figures, columns)]
        yield [name, *figures, "" if found[name] is None else f"{found[name]} of {transactions}"]
    if "bcoin" not in clients:
        yield ["bcoin", MISSING, *[""] * len(COLUMNS[2:])]


def processor():
    with contextlib.suppress(OSError):
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def print_table(options, table):
    server = "Bitcoin Core" if options.core else "petal's regtest node"
    print(f"{datetime.date.today()}, {os.cpu_count()} x {processor()}; {options.blocks:,} blocks of "
          f"{options.transactions} transactions with {options.outputs + 1} outputs, {options.payments} payments, "
          f"served by {server}; medians of {options.runs} runs\n")
    print("| " + " | ".join(COLUMNS) + " |")
    print("|---" * len(COLUMNS) + "|")
    for row in table:
        print("| " + " | ".join(row) + " |")


def compare(programs, options):
    # There are only payments and no spends, because the embedded chain's spends are unsigned and Core would refuse
    # them.
    with contextlib.ExitStack() as stack:
        truth = stack.enter_context(sync_bench.nodes(
            programs, blocks=options.blocks, transactions=options.transactions, outputs=options.outputs,
            payments=options.payments, coins=options.payments))
        endpoint = truth["endpoints"][0]
        if options.core:
            endpoint = stack.enter_context(core_with(endpoint, options.blocks))
        proxy = stack.enter_context(sync_bench.running(programs.delay_proxy, endpoint,
                                                       sync_bench.DELAY_MS))
        key = account_key(programs, truth)
        # A transaction of the chain has some 160 bytes besides its outputs of 31 bytes.
        block_bytes = options.transactions * (160 + 31 * options.outputs)
        clients = {f"petal, {way}": functools.partial(sync_petal, programs, truth, source)
                   for source, way in SOURCES.items()}
        clients |= {f"null client, {way}": functools.partial(sync_null_client, programs, truth, source, block_bytes)
                    for source, way in SOURCES.items()}
        others = {name: lambda at, height=truth["height"], command=command:
                  sync_other(programs, height, at, command, key) for name, command in commands().items()}
        clients |= others
        direct, found = measure(clients, endpoint, options.runs)
        delayed, _ = measure(clients, proxy["endpoint"], options.runs)
        sizes = carried(programs, clients, endpoint)
        starts = {name: min(sync(endpoint, height=0)[0]["wall_s"] for _ in range(options.runs))
                  for name, sync in others.items()}
    print_table(options, rows(clients, direct, delayed, sizes, found, truth["transactions"]))
    for name, start in starts.items():
        print(f"\n{name} takes {start:.2f} s of it to start.")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--blocks", type=int, default=20_000)
    parser.add_argument("--transactions", type=int, default=20, help="in each block")
    parser.add_argument("--outputs", type=int, default=1, help="of each transaction, besides the change")
    parser.add_argument("--payments", type=int, default=200, help="to the wallet")
    parser.add_argument("--runs", type=int, default=5, help="of each client")
    parser.add_argument("--core", action="store_true", help="let BITCOIND serve the chain")
    options = parser.parse_args()
    if options.core and not os.environ.get("BITCOIND"):
        parser.error("--core needs BITCOIND, which names a bitcoind")
    compare(sync_bench.Programs(options.build), options)


if __name__ == "__main__":
    main()
