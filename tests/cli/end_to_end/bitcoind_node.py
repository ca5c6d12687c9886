"""petal-bitcoind as a process of a test."""

import os
import pathlib
import re
import subprocess
import threading
import time

from petal_process import EXECUTABLE, LIMIT, PetalTest
from rpc_client import RpcClient, free_ports

BITCOIND = str(pathlib.Path(EXECUTABLE).with_name("petal-bitcoind"))


class Node:
    """A running petal-bitcoind, whose standard output is read all the time."""

    def __init__(self, process, folder, rpc_port):
        self.process = process
        self.folder = folder / "regtest"
        self.rpc_port = rpc_port
        self.lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def wait_for_line(self, pattern):
        deadline = time.monotonic() + LIMIT
        while not any(re.search(pattern, line) for line in self.lines):
            assert time.monotonic() < deadline, (pattern, self.lines)
            assert self.process.poll() is None or self._reader.is_alive(), self.lines
            time.sleep(0.01)

    def client(self):
        return RpcClient(self.rpc_port, (self.folder / ".cookie").read_text(encoding="ascii"))

    def end(self):
        """Waits for the end. Returns the exit status."""
        status = self.process.wait(LIMIT)
        self._reader.join(LIMIT)
        return status


class BitcoindCase(PetalTest):
    def setUp(self):
        super().setUp()
        self.data.mkdir()

    def arguments(self, *more):
        return [BITCOIND, "-regtest", f"-datadir={self.data}", *more]

    def launch(self, *more):
        """Starts a node on free ports, without waiting."""
        [rpc_port] = free_ports(1)
        process = subprocess.Popen(
            self.arguments("-port=0", f"-rpcport={rpc_port}", *more), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        return Node(process, self.data, rpc_port)

    def start(self, *more):
        node = self.launch(*more)
        node.wait_for_line("init message: Done loading$")
        return node

    def refusal(self, *arguments):
        """The last line on standard error of a start that fails."""
        done = subprocess.run([BITCOIND, *arguments], capture_output=True, text=True, timeout=LIMIT,
                              env={**os.environ, "HOME": str(self.folder)}, check=False)
        self.assertEqual(done.returncode, 1, done)
        return done.stderr.splitlines()[-1]

    def client(self, node):
        client = node.client()
        self.addCleanup(client.close)
        return client
