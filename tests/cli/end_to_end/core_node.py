"""A regtest node of petal and one of Bitcoin Core, both controlled by RPC. The latter is the bitcoind that BITCOIND
names, or else that of the PATH."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from petal_process import PetalTest
from rpc_client import RpcClient, RpcError, client_of, free_ports

BITCOIND = os.environ.get("BITCOIND") or shutil.which("bitcoind")
BITCOIN_CLI = BITCOIND and pathlib.Path(BITCOIND).with_name("bitcoin-cli")

needs_core = unittest.skipUnless(BITCOIND, "neither BITCOIND nor the PATH has a bitcoind")


class RpcNodeTest(PetalTest):
    def client(self, listening):
        client = client_of(listening)
        self.addCleanup(client.close)
        return client

    def start_core(self, *options):
        """Starts it with these options instead of no P2P port."""
        folder = tempfile.TemporaryDirectory(prefix="petal-core-")
        [port] = free_ports(1)
        process = subprocess.Popen(
            [BITCOIND, "-regtest", *(options or ["-listen=0"]), "-connect=0", "-server", "-txindex",
             "-datadir=" + folder.name, f"-rpcport={port}", "-rpcuser=u", "-rpcpassword=p"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(folder.cleanup)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        deadline = time.monotonic() + 60
        while True:
            core = RpcClient(port, "u:p")
            try:
                core.getblockcount()
                self.addCleanup(core.close)
                return core
            except (OSError, RpcError):
                core.close()
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
