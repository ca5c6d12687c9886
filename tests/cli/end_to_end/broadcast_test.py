"""`petal broadcast`: transactions announced by the built command."""

import signal
import subprocess
import time
import unittest

from petal_process import ADDRESS, LIMIT, PetalTest, interrupt, silence
from wire import FEE, spend

BITCOIN = 100_000_000
NODE = ("--blocks", "121", "--pay", ADDRESS)  # always the same chain


class BroadcastTest(PetalTest):
    def setUp(self):
        super().setUp()
        self.node, listening = self.start_node(*NODE)
        self.address = listening["address"]

    def own_coin(self):
        """Syncs, and returns a coin of the wallet."""
        self.restore()
        self.succeed("sync", "--connect", self.address)
        return self.succeed("utxos", "--json").json["utxos"][0]

    def mempool(self, node=None):
        return len((node or self.node).rpc.getrawmempool())

    def broadcast(self, transaction, *arguments, **options):
        return self.run_petal("broadcast", transaction, "--json", *arguments, **options)

    def test_refuses_a_node_that_is_named_twice(self):
        local = "localhost:" + self.address.rpartition(":")[2]
        result = self.broadcast(spend(self.own_coin()), "--connect", self.address, "--connect", local)
        self.assert_fails(result, 2, "usage")

    def test_waits_for_the_node_to_accept_it(self):
        report = self.broadcast(spend(self.own_coin()), "--connect", self.address).json
        self.assertEqual((report["outcome"], report["announced_to"], report["seen_from"]),
                         ("accepted", 1, 0))
        self.assertEqual((report["fee_sat"], report["in_wallet"]), (FEE, True))
        self.assertEqual(self.mempool(), 1)
        history = self.succeed("history", "--json").json["transactions"]
        self.assertEqual((history[0]["txid"], history[0]["height"]), (report["txid"], None))

    def test_finds_the_peers_that_were_added(self):
        self.succeed("peers", "add", self.address)
        result = self.broadcast(spend(self.own_coin()))
        self.assertEqual((result.status, result.json["accepted_by"]), (0, 1), result.err)

    def test_refuses_what_a_block_has_spent_otherwise(self):
        coin = self.own_coin()
        self.succeed("broadcast", spend(coin), "--connect", self.address)
        self.mine()
        self.succeed("sync", "--connect", self.address)
        again = self.broadcast(spend(coin, fee=2 * FEE), "--connect", self.address)
        self.assert_fails(again, 1, "already-spent")

    def test_abandon_gives_the_coin_back_until_a_block_has_the_transaction(self):
        coin = self.own_coin()
        txid = self.succeed("broadcast", spend(coin), "--json", "--connect", self.address).json["txid"]
        before = self.succeed("balance", "--json").json
        self.assertEqual((before["confirmed_sat"], before["unconfirmed_spent_sat"]),
                         (0, coin["amount_sat"]))
        text = self.succeed("balance").out
        self.assertRegex(text, "being spent +1.00000000 BTC, by unconfirmed payments")
        self.assertIn(" abandon TXID` forgets", text)

        self.assertEqual(self.succeed("abandon", txid, "--json").json,
                         {"txid": txid, "abandoned": [txid], "counting_again": []})
        after = self.succeed("balance", "--json").json
        self.assertEqual((after["confirmed_sat"], after["unconfirmed_spent_sat"]),
                         (coin["amount_sat"], 0))
        self.assertNotIn("abandon", self.succeed("balance").out)
        self.assertEqual(len(self.succeed("history", "--json").json["transactions"]), 1)
        self.assert_fails(self.run_petal("abandon", txid, "--json"), 1, "unknown-transaction")
        self.assert_fails(self.run_petal("abandon", coin["txid"], "--json"), 1,
                          "already-confirmed")
        self.assert_fails(self.run_petal("abandon", txid[1:] + "x", "--json"), 2, "usage")
        self.assert_fails(self.run_petal("abandon", "--json"), 2, "usage")

        forgetful, listening = self.start_node(*NODE)
        self.succeed("sync", "--wait-unconfirmed", "1", "--connect", listening["address"])
        self.assertEqual(self.mempool(forgetful), 0)
        self.mine()
        self.succeed("sync", "--connect", self.address)
        self.assertEqual(self.succeed("balance", "--json").json["confirmed_sat"], 0)

    def test_abandon_says_what_it_has_forgotten(self):
        txid = self.succeed("broadcast", spend(self.own_coin()), "--json",
                            "--connect", self.address).json["txid"]
        out = self.succeed("abandon", txid).out
        self.assertIn(f"Transaction {txid} is abandoned.", out)
        self.assertIn("block confirms it, it is back", out)
        self.assertIn("1.00000000 BTC", out)

    def test_standard_input_holds_it_no_longer_than_it_may(self):
        transaction = spend(self.own_coin())
        start = time.monotonic()
        process = self.start("broadcast", "-", "--json", "--connect", self.address,
                             "--timeout", "1", stdin=subprocess.PIPE)
        process.stdin.write(transaction)  # this is the whole transaction, but petal cannot know that
        process.stdin.flush()
        process.wait(LIMIT)
        self.assertLess(time.monotonic() - start, 10)
        result = self.finish(process)
        self.assert_fails(result, 3, "timed-out")
        self.assertIn("standard input", result.err)
        self.assertEqual(self.mempool(), 0)

    def test_ends_with_a_signal(self):
        server = self.start_server(silence)
        process = self.start("broadcast", spend(self.own_coin()), "--json",
                             "--connect", server.address)
        self.assertTrue(server.connected.wait(LIMIT))
        interrupt(process, signal.SIGTERM)
        result = self.finish(process)
        self.assert_fails(result, 130, "interrupted")
        self.assertIn("announced to no peer", result.err)

    def test_does_not_bypass_an_unreachable_proxy(self):
        result = self.broadcast(spend(self.own_coin()), "--connect", self.address,
                                "--proxy", "127.0.0.1:1")
        self.assert_fails(result, 3, "no-usable-peer")
        self.assertEqual(self.mempool(), 0)

    def test_a_follower_announces_it_again(self):
        told = self.succeed("broadcast", spend(self.own_coin()), "--connect", self.address).out
        self.assertIn("was accepted by 1 peer.", told)
        self.assertIn("sync --follow` announces it again", told)
        forgetful, listening = self.start_node(*NODE)
        self.start("sync", "--follow", "--connect", listening["address"])
        self.wait_for(lambda: self.mempool(forgetful) > 0)


if __name__ == "__main__":
    unittest.main()
