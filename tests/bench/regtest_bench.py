#!/usr/bin/env python3
"""Measures `petal regtest-node`, and bitcoind -regtest as well if BITCOIND names one.

usage: regtest_bench.py PETAL [--client PROGRAM] [--blocks N] [--transactions N]

All calls use JSON-RPC by one client on one persistent connection, so that a call costs
both nodes the same in addition to their own work:

  ready      from the start of the program to its first answer, the median of eleven
  blocks     making a chain of the given number of blocks
  block      generatetoaddress 1, the median of a hundred
  send       sendrawtransaction, the median of two hundred
  check      a block of 2,000 signed inputs by submitblock
  served     filtered blocks a second of that chain, headers included, to petal_bench_null_client,
             which --client names
  memory     anonymous memory, with the chain of 10,000 blocks and 20,000 transactions
  resident   also with the pages of files, which all processes of the program share
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli" / "end_to_end"))
from rpc_client import RpcClient, RpcError, client_of, free_ports  # noqa: E402

ADDRESS = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"


def timed(task):
    begin = time.perf_counter()
    result = task()
    return time.perf_counter() - begin, result


class Node:
    def __init__(self, process, rpc, port):
        self.process, self.rpc, self.port = process, rpc, port

    def memory(self):
        """The memory in MB, by the names of the results."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines())
        return {name: 1.024e-3 * int(fields[field].split()[0])
                for name, field in [("memory", "RssAnon"), ("resident", "VmRSS")]}


@contextlib.contextmanager
def petal(program, *arguments):
    process = subprocess.Popen(
        [program, "regtest-node", "--port", "0", "--rpc", "0", "--json", *arguments],
        stdout=subprocess.PIPE, text=True)
    ready = json.loads(process.stdout.readline())
    # Its events are read, so that it never waits for a full pipe.
    reader = threading.Thread(target=lambda: all(map(bool, process.stdout)))
    reader.start()
    rpc = client_of(ready)
    rpc.getblockcount()
    try:
        yield Node(process, rpc, ready["port"])
    finally:
        process.terminate()
        process.wait()
        reader.join()
        process.stdout.close()


@contextlib.contextmanager
def bitcoind(program, *arguments):
    folder = tempfile.mkdtemp(prefix="petal-bench-")
    port, rpc_port = free_ports(2)
    process = subprocess.Popen(
        [program, "-regtest", "-server", f"-datadir={folder}", "-listen=1",
         f"-bind=127.0.0.1:{port}", "-peerbloomfilters", "-whitelist=noban@127.0.0.1",
         f"-rpcport={rpc_port}", "-rpcuser=u", "-rpcpassword=p", "-dnsseed=0", *arguments],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        try:
            rpc = RpcClient(rpc_port, "u:p")
            rpc.getblockcount()
            break
        except (OSError, RpcError):
            if process.poll() is not None:
                raise RuntimeError(f"bitcoind ended with {process.returncode}") from None
            time.sleep(0.002)
    try:
        yield Node(process, rpc, port)
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def start_time(make, *arguments):
    def once():
        begin = time.perf_counter()
        with make(*arguments):
            return time.perf_counter() - begin
    return statistics.median(once() for _ in range(11))


def mine(node, blocks):
    for begin in range(0, blocks, 1_000):
        node.rpc.generatetoaddress(min(1_000, blocks - begin), ADDRESS)


def median_call(calls):
    return statistics.median(timed(call)[0] for call in calls)


def raw_payments(source, count):
    """Signed payments of the node's purse, each from a different coin."""
    return [source.rpc.getrawtransaction(source.rpc.sendtoaddress(ADDRESS, 0.01))
            for _ in range(count)]


def history(node, blocks, transactions):
    """Makes a chain with this many blocks and payments."""
    each = transactions // blocks
    while node.rpc.getblockcount() < blocks:
        for _ in range(each):
            node.rpc.sendtoaddress(ADDRESS, 0.0001)
        node.rpc.generatetoaddress(1, node.rpc.getnewaddress())


def chain_of(node):
    return [node.rpc.getblock(node.rpc.getblockhash(height), 0)
            for height in range(1, node.rpc.getblockcount() + 1)]


def served(client, node):
    """How many filtered blocks are served a second, none of which matches."""
    with tempfile.NamedTemporaryFile("w", suffix=".hex") as filter_file:
        filter_file.write("08" + "00" * 8 + "05000000" + "00" * 5)
        filter_file.flush()
        done = subprocess.run([client, f"127.0.0.1:{node.port}", filter_file.name],
                              capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    return result["blocks"] / result["wall_s"]


def measure(make, chain, big_block, payments, options):
    """The measurements of a new node, which gets the blocks of `chain` where a measurement needs them."""
    results = {"ready": start_time(make) * 1_000}
    with make() as node:
        results["blocks"] = timed(lambda: mine(node, options.blocks))[0]
        if options.client:
            results["served"] = statistics.median(served(options.client, node) for _ in range(5))
    with make() as node:
        for block in chain:
            node.rpc.submitblock(block)
        results["send"] = 1_000 * median_call(
            (lambda hex=hex: node.rpc.sendrawtransaction(hex)) for hex in payments)
        results["check"] = 2_000 / timed(lambda: expect_taken(node, big_block))[0]
        results["block"] = 1_000 * median_call(
            (lambda: node.rpc.generatetoaddress(1, ADDRESS)) for _ in range(100))
    return results


def expect_taken(node, block):
    answer = node.rpc.submitblock(block)
    if answer is not None:
        raise RuntimeError(answer)


def block_of_inputs(source, count):
    """A block of payments with this many inputs in total, which is not on the source's chain."""
    for _ in range(count):
        source.rpc.sendtoaddress(ADDRESS, 0.0001)
    [block] = source.rpc.generatetoaddress(1, ADDRESS)
    raw = source.rpc.getblock(block, 0)
    source.rpc.invalidateblock(block)
    return raw


def memory(program, core, blocks, transactions):
    """The memory of petal, and of bitcoind if there is one."""
    now = int(time.time()) - blocks * 600
    with petal(program, "--blocks", "300", "--start-time", str(now)) as node:
        history(node, blocks, transactions)
        results = [node.memory()]
        if not core:
            return results
        with bitcoind(core, f"-connect=127.0.0.1:{node.port}") as other:
            while other.rpc.getblockcount() < node.rpc.getblockcount():
                time.sleep(0.2)
            return [*results, other.memory()]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("petal")
    parser.add_argument("--client")
    parser.add_argument("--blocks", type=int, default=20_000)
    parser.add_argument("--transactions", type=int, default=20_000)
    options = parser.parse_args()
    core = os.environ.get("BITCOIND")
    first = str(int(time.time()) - 400 * 600)
    with petal(options.petal, "--blocks", "300", "--start-time", first) as source:
        payments = raw_payments(source, 200)
        source.rpc.setmocktime(int(time.time()))
        results = {}
        for txid in source.rpc.getrawmempool():
            source.rpc.droptransaction(txid)
        big_block = block_of_inputs(source, 2_000)
        chain = chain_of(source)
    results["petal"] = measure(lambda: petal(options.petal, "--blocks", "0"), chain, big_block,
                               payments, options)
    if core:
        results["bitcoind"] = measure(lambda: bitcoind(core, "-connect=0"), chain, big_block,
                                      payments, options)
    of_both = memory(options.petal, core, options.blocks // 2, options.transactions)
    for figures, of_node in zip(results.values(), of_both):
        figures.update(of_node)
    units = {"ready": "ms", "blocks": "s", "block": "ms", "send": "ms", "check": "inputs/s",
             "served": "blocks/s", "memory": "MB", "resident": "MB"}
    if not options.client:
        del units["served"]
    for name, unit in units.items():
        row = [results[which][name] for which in results]
        ratio = f"  ratio {row[1] / row[0]:.2f}" if core else ""
        print(f"{name:8}" + "".join(f"{value:14.2f}" for value in row) + f"  {unit}{ratio}")


if __name__ == "__main__":
    main()
