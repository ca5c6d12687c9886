"""Unconfirmed payments that conflict, as peers claim: what honest peers show must stay."""

import json
import time
import unittest

import wire
from petal_process import LIMIT, PetalTest, interrupt
from signing import KEY_HASH

GENESIS = bytes.fromhex(
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac7"
    "2c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000")
HONEST = wire.payment(KEY_HASH, 90_000, b"coin")
LIE = wire.payment(KEY_HASH, 600, b"coin")


class ClaimsTest(PetalTest):
    def setUp(self):
        super().setUp()
        now = int(time.time())
        self.headers = [wire.mine(GENESIS, now - 1200)]
        self.headers.append(wire.mine(self.headers[0], now - 600))
        self.restore()

    def peer(self, group, *transactions):
        """A peer of this network group, with its transactions."""
        pool = wire.Pool(*transactions)
        node = wire.headers_node(wire.REGTEST, GENESIS, self.headers, pool=pool)
        server = self.start_server(node, f"127.{group}.0.1")
        return server.address, pool

    def sync(self, *addresses):
        arguments = [word for address in addresses for word in ("--connect", address)]
        self.succeed("sync", "--wait-unconfirmed", "4", *arguments)

    def entry(self, transaction):
        history = self.succeed("history", "--json").json["transactions"]
        return next(each for each in history if each["txid"] == wire.txid_of(transaction))

    def assert_counts(self, transaction, other):
        shown, hidden = self.entry(transaction), self.entry(other)
        self.assertEqual((shown["counts"], shown["replaced_by"], shown["conflicts_with"]),
                         (True, None, [hidden["txid"]]))
        self.assertEqual((hidden["counts"], hidden["replaced_by"], hidden["conflicts_with"]),
                         (False, None, [shown["txid"]]))
        self.assertEqual(hidden["net_sat"], 0)
        balance = self.succeed("balance", "--json").json
        self.assertEqual(balance["pending_sat"], shown["received_sat"])

    def test_one_liar_beside_honest_peers_hides_nothing(self):
        peers = [self.peer(1, HONEST)[0], self.peer(2, HONEST)[0], self.peer(3, LIE)[0]]
        self.sync(*peers)
        self.assert_counts(HONEST, LIE)
        liar = self.peer(4, LIE)[0]
        self.sync(liar)
        self.assert_counts(HONEST, LIE)
        text = self.succeed("tx", wire.txid_of(HONEST)).out
        self.assertIn("conflicts with  " + wire.txid_of(LIE), text)
        self.assertNotIn("replaced", text)
        self.assertIn("conflict", self.succeed("history").out)
        waited = self.succeed("wait", "--tx", wire.txid_of(HONEST), "--conf", "0", "--connect", liar,
                              "--json")
        self.assertTrue(waited.json["counts"])
        self.succeed("bump", "--child", wire.txid_of(HONEST), "--dry-run", "--fee-rate", "5")

    def test_follower_follows_a_replacement_that_all_peers_show(self):
        peers = [self.peer(group, HONEST) for group in (1, 2, 3)]
        arguments = [word for address, _ in peers for word in ("--connect", address)]
        process = self.start("sync", "--follow", "--json", *arguments)

        def wait_for(transaction, counts):
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "transaction" and event["txid"] == wire.txid_of(transaction):
                    if event["counts"] == counts:
                        return event
            return self.fail(process.stderr.read())

        wait_for(HONEST, True)
        peers[0][1].show(LIE)
        event = wait_for(LIE, False)
        self.assertEqual(event["conflicts_with"], [wire.txid_of(HONEST)])
        time.sleep(0.1)
        peers[1][1].show(LIE)
        self.assertEqual(wait_for(LIE, True)["replaced_by"], None)
        interrupt(process)
        process.communicate(timeout=LIMIT)
        self.assert_counts(LIE, HONEST)


if __name__ == "__main__":
    unittest.main()
