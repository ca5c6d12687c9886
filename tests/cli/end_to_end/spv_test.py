"""bcoin's SPV node, a client that shares no code with petal, syncs from the regtest node."""

import json
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from core_node import RpcNodeTest
from petal_process import environment
from rpc_client import free_ports

BCOIN = os.environ.get("PETAL_BCOIN")
BITCOIN = 100_000_000


@unittest.skipUnless(BCOIN and shutil.which("node"), "PETAL_BCOIN names no bcoin, or Node is not there")
class SpvTest(RpcNodeTest):
    def start_wallet(self, port):
        script = pathlib.Path(__file__).with_name("spv_wallet.js")
        process = subprocess.Popen(
            ["node", str(script), *map(str, [port, *free_ports(2)])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment(NODE_BACKEND="js", NODE_PATH=os.path.join(BCOIN, "node_modules"),
                            HOME=str(self.folder)))
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def ask(line, wallet):
        """The wallet's answer to a line."""
        wallet.stdin.write(line + "\n")
        wallet.stdin.flush()
        return json.loads(wallet.stdout.readline())

    def wait_to_see(self, wallet, expected):
        def shown():
            return self.ask("balance", wallet)

        self.wait_for(lambda: expected.items() <= shown().items(), shown)

    def wait_for_balance(self, wallet, node, confirmed, unconfirmed):
        """Waits until the wallet shows both balances, at the node's tip."""
        self.wait_to_see(wallet, {"confirmed": confirmed, "unconfirmed": unconfirmed,
                                  "height": node.getblockcount(), "tip": node.getbestblockhash()})

    def test_gets_its_balance_right(self):
        _, listening = self.start_node("--rpc", "0", "--start-time", str(int(time.time()) - 90_000))
        node = self.client(listening)
        wallet = self.start_wallet(listening["port"])
        address = self.ask("address", wallet)["address"]
        self.wait_for_balance(wallet, node, 0, 0)

        node.sendtoaddress(address, 0.5)
        self.wait_for_balance(wallet, node, 0, BITCOIN // 2)
        node.generatetoaddress(1, node.getnewaddress())
        self.wait_for_balance(wallet, node, BITCOIN // 2, BITCOIN // 2)
        node.generatetoaddress(1, address)
        reward = node.getblock(node.getbestblockhash(), 2)["tx"][0]["vout"][0]["value"]
        all_of_it = BITCOIN // 2 + round(reward * BITCOIN)
        self.wait_for_balance(wallet, node, all_of_it, all_of_it)
        fork = node.getblockcount() - 2
        node.invalidateblock(node.getblockhash(fork + 1))
        node.generatetoaddress(4, node.getnewaddress())
        # bcoin returns to the fork, and continues from there when it hears of one more block.
        while self.ask("balance", wallet)["tip"] != node.getbestblockhash():
            self.assertLess(node.getblockcount(), fork + 100)
            node.generatetoaddress(1, node.getnewaddress())
            time.sleep(0.2)
        # bcoin keeps the coinbase of the disconnected block among its unconfirmed transactions.
        self.wait_to_see(wallet, {"confirmed": BITCOIN // 2, "height": node.getblockcount()})


if __name__ == "__main__":
    unittest.main()
